//===- StockMath.h - Compiling with MLIR's math functions -------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_BARS_STOCKMATH_H
#define TANDEM_TOOLS_TANDEM_BENCH_BARS_STOCKMATH_H

#include "tandem/Runtime/Compiler.h"

#include <string>
#include <vector>

namespace tandem::bench {

/// Compiles the graph of `file` as the compiled tier does, but expands
/// functions such as tanh and exp with MLIR's polynomials. `ours` is the
/// program that the compiled tier has made; the result is that program with the
/// other kernel. `shapes` are as in PipelineOptions. Fails where the graph does
/// not become a single kernel.
Expected<Compiled> compileWithStockMath(const std::string &file,
                                        const std::vector<std::string> &shapes,
                                        const Program &ours);

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_BARS_STOCKMATH_H
