//===- CUDAKernel.h - Kernels that a driver has loaded ----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_DEVICE_CUDA_CUDAKERNEL_H
#define TANDEM_RUNTIME_DEVICE_CUDA_CUDAKERNEL_H

#include "ModuleCache.h"

#include "tandem/Runtime/Device.h"

namespace tandem::cuda {

/// Loads a kernel's PTX or cubin, once for all kernels in it. Its parameters
/// are the data pointers of the step's operands and results. Errors have phase
/// "load" and carry what the driver says of the code.
Expected<std::shared_ptr<const LoadedKernel>>
loadKernel(ModuleCache &modules, const fb::KernelT &kernel);

} // namespace tandem::cuda

#endif // TANDEM_RUNTIME_DEVICE_CUDA_CUDAKERNEL_H
