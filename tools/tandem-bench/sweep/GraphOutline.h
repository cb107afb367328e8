//===- GraphOutline.h - Graphs without their weights ------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_SWEEP_GRAPHOUTLINE_H
#define TANDEM_TOOLS_TANDEM_BENCH_SWEEP_GRAPHOUTLINE_H

#include "tandem/Runtime/Tensor.h"

#include <string>

namespace tandem::bench {

/// Adds weights to a graph that utils/graphs/make-networks.py has written with
/// --outline: for each line
///   // weights NAME EXPONENT signed|positive
/// numbers of 2^EXPONENT to twice that, which are the same each time. `dtype`
/// is f32, or bf16, of which the whole graph is then. Errors have phase "gpu".
Expected<std::string> addWeights(const std::string &outline, DType dtype);

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_SWEEP_GRAPHOUTLINE_H
