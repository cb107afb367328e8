//===- StockMath.h - The same loop with MLIR's own functions ----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_STOCKMATH_H
#define TANDEM_TOOLS_TANDEM_BENCH_STOCKMATH_H

#include "tandem/Runtime/Compiler.h"

#include <string>
#include <vector>

namespace tandem::bench {

/// Compiles the graph of `file` as the compiled tier does, but for functions
/// such as tanh and exp: those are expanded by MLIR's polynomials. `ours` is
/// what the compiled tier has made; the result is that program with the other
/// kernel. `shapes` are as PipelineOptions has them. An error where the graph
/// is not one kernel.
Expected<Compiled> compileWithStockMath(const std::string &file,
                                        const std::vector<std::string> &shapes,
                                        const Program &ours);

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_STOCKMATH_H
