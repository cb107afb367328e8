//===- DeviceLibraries.h - The libraries that a GPU has ---------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_DEVICE_CUDA_DEVICELIBRARIES_H
#define TANDEM_RUNTIME_DEVICE_CUDA_DEVICELIBRARIES_H

#include "../../eager/cublaslt/CUBLASLt.h"
#include "../../eager/cudnn/CUDNN.h"
#include "../../eager/custom/CustomCallProvider.h"

namespace tandem::cuda {

/// The providers of a device: cuDNN and cuBLASLt, each opened when it is first
/// asked for an op, then `own`, the kernels that come with the runtime, and
/// registered functions. A list for each of the options. Thread-safe; lives as
/// long as the device.
class DeviceLibraries {
public:
  /// `device` is that of `context`.
  DeviceLibraries(Context &context, Device &device, const Provider &own);

  ProviderList providers(const LibraryOptions &options) {
    return of(options).list;
  }
  /// Implement CUDADevice::prepareFused and CUDADevice::libraryFacts.
  Expected<std::unique_ptr<PreparedOp>>
  prepareFused(const FusedContraction &fused, const LibraryOptions &options);
  Expected<std::string> facts();

private:
  struct Providers {
    Providers(DeviceLibraries &libraries, LibraryOptions options)
        : conv(libraries.cudnn, options, {&libraries.own, 1}),
          matmul(libraries.cublasLt, options),
          list{&conv, &matmul, libraries.own, &libraries.customCalls} {}
    cudnn::CUDNNProvider conv;
    cublaslt::CUBLASLtProvider matmul;
    const std::array<const Provider *, 4> list;
  };
  Providers &of(const LibraryOptions &options) {
    return options.precision == Precision::strict
               ? (options.mayDropNaN ? strictDropping : strict)
               : (options.mayDropNaN ? tf32Dropping : tf32);
  }

  const Provider *const own;
  const CustomCallProvider customCalls;
  cudnn::Session cudnn;
  cublaslt::Session cublasLt;
  Providers strict, strictDropping, tf32, tf32Dropping;
};

} // namespace tandem::cuda

#endif // TANDEM_RUNTIME_DEVICE_CUDA_DEVICELIBRARIES_H
