//===- Kernels.h - What bench-kernels measures ------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_BENCHKERNELS_KERNELS_H
#define TANDEM_TOOLS_BENCHKERNELS_KERNELS_H

#include <string>
#include <vector>

namespace tandem::bench {

/// What a kernel's time is compared with.
enum class Yardstick { Memset, Copy };

struct Kernel {
  std::string name;
  Yardstick yardstick;
  /// A module `k` of one function `k`.
  std::string module;
  /// Whether upstream expands functions of it in another way.
  bool hasFunctions = false;
};

std::vector<Kernel> makeKernels();

} // namespace tandem::bench

#endif // TANDEM_TOOLS_BENCHKERNELS_KERNELS_H
