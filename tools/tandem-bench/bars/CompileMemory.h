//===- CompileMemory.h - Memory that compiling leaves behind ----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_BARS_COMPILEMEMORY_H
#define TANDEM_TOOLS_TANDEM_BENCH_BARS_COMPILEMEMORY_H

#include "tandem/Support/Error.h"

#include <string>
#include <vector>

namespace tandem::bench {

/// Options of `tandem-bench compile-memory`.
struct CompileMemoryOptions {
  std::string file;
  /// The dim that takes the sizes 1, 2, 3, …. Dims of other names have size 16.
  std::string dim = "N";
  /// The numbers of shapes after which memory is measured.
  std::vector<int> shapes = {1000, 10000};
};

/// Compiles a graph for one shape after the other, without keeping the
/// programs, and prints the resident memory of the process after each number of
/// shapes and the growth since the first.
Status runCompileMemory(const CompileMemoryOptions &options);

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_BARS_COMPILEMEMORY_H
