//===- KernelLoading.h - Compiled kernels into the process ------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_KERNELS_KERNELLOADING_H
#define TANDEM_LIB_COMPILER_KERNELS_KERNELLOADING_H

#include "Kernels/KernelDriver.h"

namespace tandem {

/// Loads a single kernel, which is unchanged on return.
Expected<std::shared_ptr<const LoadedKernel>> loadAlone(const Target &target,
                                                        fb::KernelT &kernel);

/// Makes a kernel ready for programs: loads it, adding to phase "load".
Expected<CompiledKernelPtr> loadOne(const Target &target, fb::KernelT kernel,
                                    PhaseTimes &times);

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_KERNELS_KERNELLOADING_H
