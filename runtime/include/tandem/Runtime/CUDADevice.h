//===- CUDADevice.h - NVIDIA GPUs -------------------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_CUDADEVICE_H
#define TANDEM_RUNTIME_CUDADEVICE_H

#include "tandem/Runtime/Device.h"
#include "tandem/Runtime/Kernels/FusedContraction.h"

namespace tandem {

/// Properties of a GPU as reported by the driver; 0 if the driver does not
/// report them.
struct GPUProperties {
  /// The driver's name for the GPU, e.g. "NVIDIA H200".
  std::string name;
  /// The number of multiprocessors.
  int64_t multiprocessors = 0;
  int64_t clockKHz = 0;
  /// Memory clock and bus width. The memory transfers two bits per clock and
  /// bus line.
  int64_t memoryClockKHz = 0, memoryBusBits = 0;
  int64_t l2Bytes = 0;
  int64_t sharedBytesPerMultiprocessor = 0, sharedBytesPerBlock = 0;
  int64_t threadsPerMultiprocessor = 0;
};

/// An NVIDIA GPU, used through the CUDA driver. The device runs programs with
/// PTX and cubin kernels. Op steps run in cuDNN and cuBLASLt, where installed,
/// and in kernels that come with the runtime.
///
/// If a kernel fails in such a way that the driver accepts no more calls, the
/// device is lost. Later operations on the device then report this error, and
/// the process continues without the device. The error names the steps that may
/// have failed. If TANDEM_CUDA_SYNC=1 is set in the environment when a stream
/// is created, the stream waits for each step, so that the error names a single
/// step.
class CUDADevice : public Device {
public:
  /// The driver's index of the device, as passed to cudaDevice.
  virtual int index() const = 0;
  /// The architecture for which code is generated, e.g. "sm_90".
  virtual std::string_view arch() const = 0;
  virtual GPUProperties properties() const = 0;

  /// Creates a Stream on `handle`, a CUstream that the caller has created in
  /// the device's primary context. `handle` must outlive the result. Work of
  /// the result is ordered with the work that the caller enqueues on `handle`.
  /// Fails for the default stream, which has a null handle.
  virtual Expected<std::unique_ptr<Stream>> adoptStream(void *handle) = 0;

  /// Prepares a contraction with its epilogue as one library call. Returns null
  /// if no library is known to compute the contraction within the limits of
  /// `options`.
  virtual Expected<std::unique_ptr<PreparedOp>>
  prepareFused(const FusedContraction &fused,
               const LibraryOptions &options) = 0;
  /// Returns the facts that prepareFused depends on besides its arguments, as
  /// lines of text, for cache keys. The facts are the versions of the libraries
  /// and the results of running their fused relus on NaN. The first call opens
  /// and runs the libraries. Empty if there are no libraries.
  virtual Expected<std::string> libraryFacts() = 0;
};

/// True if a CUDA driver is installed. Does not initialize the driver.
bool hasCUDADriver();

/// Returns the device "cuda:<index>", which is opened by the first call and
/// lives as long as the process. Errors have phase "device" and say what is
/// missing. Thread-safe.
Expected<CUDADevice *> cudaDevice(int index = 0);

} // namespace tandem

#endif // TANDEM_RUNTIME_CUDADEVICE_H
