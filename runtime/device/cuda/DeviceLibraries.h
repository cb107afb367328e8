//===- DeviceLibraries.h - The libraries that a GPU has ---------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_DEVICE_CUDA_DEVICELIBRARIES_H
#define TANDEM_RUNTIME_DEVICE_CUDA_DEVICELIBRARIES_H

#include "Context.h"

#include "tandem/Runtime/CUDADevice.h"

namespace tandem::cuda {

/// What computes op steps on a GPU. The device knows only this interface, and
/// runtime/eager implements it, so that the device needs no library's header.
/// Thread-safe; lives as long as the device.
class DeviceLibraries {
public:
  /// Makes the libraries of `device`, whose context is `context`. Opens none.
  /// `own` executes the ops that no library computes; if null, the kernels that
  /// come with the runtime do.
  static std::unique_ptr<DeviceLibraries>
  create(Context &context, Device &device, const Provider *own = nullptr);
  virtual ~DeviceLibraries() = default;

  // These implement the functions of CUDADevice with the same names;
  // `libraryFacts` is `facts` here.
  virtual ProviderList providers(const LibraryOptions &options) = 0;
  virtual Expected<std::unique_ptr<PreparedOp>>
  prepareFused(const FusedContraction &fused,
               const LibraryOptions &options) = 0;
  virtual Expected<std::string> facts() = 0;
};

} // namespace tandem::cuda

#endif // TANDEM_RUNTIME_DEVICE_CUDA_DEVICELIBRARIES_H
