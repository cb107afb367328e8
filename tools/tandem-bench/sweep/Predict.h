//===- Predict.h - What is predicted before compiling -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_SWEEP_PREDICT_H
#define TANDEM_TOOLS_TANDEM_BENCH_SWEEP_PREDICT_H

#include "tandem/Support/Error.h"

#include <string>

namespace tandem::bench {

/// Options of `tandem-bench predict`.
struct PredictOptions {
  std::string file, function = "main", vary, json;
};

/// Prints what is predicted of C, c and e for each shape, and writes it to JSON
/// with the features that it follows from. Measures nothing.
Status runPredict(const PredictOptions &options);

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_SWEEP_PREDICT_H
