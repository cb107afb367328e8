//===- CompileMemory.h - What compiling leaves in memory --------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_COMPILEMEMORY_H
#define TANDEM_TOOLS_TANDEM_BENCH_COMPILEMEMORY_H

#include "tandem/Support/Error.h"

#include <string>
#include <vector>

namespace tandem::bench {

struct CompileMemoryOptions {
  std::string file;
  /// The dim whose sizes are 1, 2, 3, …; those of other names are 16.
  std::string dim = "N";
  /// Numbers of shapes after which memory is read, ascending.
  std::vector<int> shapes = {1000, 10000};
};

/// Compiles a graph for one shape after the other, keeping no program, and
/// prints the process's resident memory after each number of shapes, and how
/// much it is above the first.
Status runCompileMemory(const CompileMemoryOptions &options);

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_COMPILEMEMORY_H
