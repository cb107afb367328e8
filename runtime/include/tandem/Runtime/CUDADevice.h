//===- CUDADevice.h - GPUs of NVIDIA's --------------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_CUDADEVICE_H
#define TANDEM_RUNTIME_CUDADEVICE_H

#include "tandem/Runtime/Device.h"
#include "tandem/Runtime/FusedContraction.h"

namespace tandem {

/// What the driver says of a GPU; 0 where it does not.
struct GPUProperties {
  /// As the driver has it: "NVIDIA H200".
  std::string name;
  int64_t multiprocessors = 0;
  int64_t clockKHz = 0;
  /// The memory moves two bits a clock and line of its bus.
  int64_t memoryClockKHz = 0, memoryBusBits = 0;
  int64_t l2Bytes = 0;
  int64_t sharedBytesPerMultiprocessor = 0, sharedBytesPerBlock = 0;
  int64_t threadsPerMultiprocessor = 0;
};

/// A GPU, by its driver. Runs programs of PTX and cubin; of ops it executes
/// reshape, and conv and matmul where cuDNN and cuBLASLt are installed. Where a
/// kernel fails so that the driver takes no more calls, the device is lost:
/// everything says so from then on, and the process goes on without it. The
/// steps that may be to blame are named; TANDEM_CUDA_SYNC=1 in the environment,
/// when the device is made, has every step waited for, so that it is one.
class CUDADevice : public Device {
public:
  /// The number that the driver gives it, as in cudaDevice.
  virtual int index() const = 0;
  /// What code runs on it: "sm_90".
  virtual std::string_view arch() const = 0;
  virtual GPUProperties properties() const = 0;

  /// A Stream on `handle`, a CUstream that the caller has made in the device's
  /// primary context and that outlives it: work is done in order with what the
  /// caller enqueues. The default stream, a null handle, is refused.
  virtual Expected<std::unique_ptr<Stream>> adoptStream(void *handle) = 0;

  /// A contraction with its epilogue as one call of a library. Null where no
  /// library is known to compute that within the options.
  virtual Expected<std::unique_ptr<PreparedOp>>
  prepareFused(const FusedContraction &fused,
               const LibraryOptions &options) = 0;
  /// What prepareFused depends on beside its arguments, as lines of text, for
  /// the keys of caches: the versions of the libraries, and what was found when
  /// their fused relus were run on NaN. The first call opens the libraries and
  /// runs them; empty where there are none.
  virtual Expected<std::string> libraryFacts() = 0;
};

/// Whether there is a driver; it is not started.
bool hasCUDADriver();

/// "cuda:<index>", opened at the first call and kept. Errors say what is
/// missing. Thread-safe.
Expected<CUDADevice *> cudaDevice(int index = 0);

} // namespace tandem

#endif // TANDEM_RUNTIME_CUDADEVICE_H
