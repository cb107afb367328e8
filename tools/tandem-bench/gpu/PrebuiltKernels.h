//===- PrebuiltKernels.h - What the GPU's own kernels cost ------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_GPU_PREBUILTKERNELS_H
#define TANDEM_TOOLS_TANDEM_BENCH_GPU_PREBUILTKERNELS_H

#include "tandem/Support/Error.h"

#include <string>

namespace tandem::bench {

/// Options of `tandem-bench gpu-kernels`.
struct PrebuiltKernelsOptions {
  /// What to compile for: "sm_90".
  std::string arch = "sm_90";
  /// Whether to compile the kernels with 64-bit indices.
  bool isWide = false;
  /// Only programs whose names contain this.
  std::string filter;
};

/// Compiles every program of the kernels that execute single ops on a GPU, by
/// NVRTC, which needs no GPU, and prints the number of kernels, the bytes of
/// the cubin and the milliseconds of each, and of all.
Status runPrebuiltKernels(const PrebuiltKernelsOptions &options);

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_GPU_PREBUILTKERNELS_H
