//===- Kernels.h - The kernels of bench-kernels -----------------*- C++ -*-===//
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

/// The memory operation that a kernel's time is compared with.
enum class Yardstick { Memset, Copy };

/// A kernel to be measured.
struct Kernel {
  std::string name;
  Yardstick yardstick;
  /// The MLIR text of a module `k` with one function `k`.
  std::string module;
  /// Whether it has math functions that upstream MLIR expands in another way.
  bool hasFunctions = false;
};

/// All kernels.
std::vector<Kernel> makeKernels();

} // namespace tandem::bench

#endif // TANDEM_TOOLS_BENCHKERNELS_KERNELS_H
