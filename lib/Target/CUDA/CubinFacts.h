//===- CubinFacts.h - What NVRTC tells of each kernel -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CUDA_CUBINFACTS_H
#define TANDEM_LIB_TARGET_CUDA_CUBINFACTS_H

#include "CUDASource.h"

#include "tandem/Runtime/KernelReport.h"
#include "tandem/Runtime/Libraries/NVRTC.h"

namespace tandem {

/// The part of a program that is about one of its kernels: its source, its PTX
/// with what stands ahead of all, and its facts in the log of ptxas -v; those
/// that are not there stay 0.
KernelListing listKernel(const NamedSource &kernel, const CubinListing &cubin);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CUDA_CUBINFACTS_H
