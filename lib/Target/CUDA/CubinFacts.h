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

/// Extracts the listing of one kernel from that of a program: its source, the
/// header and its own part of the PTX, and its figures in the log of ptxas -v.
/// Figures that the log does not have are 0.
KernelListing listKernel(const NamedSource &kernel, const CubinListing &cubin);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CUDA_CUBINFACTS_H
