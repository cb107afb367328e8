//===- CUDAKernel.h - Kernels that a driver has loaded ----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_DEVICE_CUDA_CUDAKERNEL_H
#define TANDEM_RUNTIME_DEVICE_CUDA_CUDAKERNEL_H

#include "Context.h"

#include "tandem/Runtime/Device.h"

namespace tandem::cuda {

/// Loads PTX or a cubin. The error says `failure`, CUDA's name for the reason,
/// and what the driver logged; it has phase "load".
Expected<ModuleHandle> loadModule(Context &context, const std::string &image,
                                  std::string_view failure);

/// Loads a kernel's PTX or cubin. Its parameters are the data pointers of the
/// step's operands and results. Errors have phase "load" and carry what the
/// driver says of the code.
Expected<std::shared_ptr<const LoadedKernel>>
loadKernel(Context &context, const fb::KernelT &kernel);

} // namespace tandem::cuda

#endif // TANDEM_RUNTIME_DEVICE_CUDA_CUDAKERNEL_H
