//===- CostForecast.h - What a graph's programs will cost ----- -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_PREDICTION_COSTFORECAST_H
#define TANDEM_LIB_COMPILER_PREDICTION_COSTFORECAST_H

#include "Prediction/CompileHistory.h"
#include "Remote/SerializedGraph.h"
#include "Session/CompilerConfig.h"

#include <memory>
#include <optional>
#include <span>

namespace tandem {

/// Predicts the costs of compiling and calling the programs of one graph, and
/// records the measured costs of compiling in the history of the process.
/// `config` must outlive this object. Thread-safe.
class CostForecast {
public:
  CostForecast(std::shared_ptr<const SerializedGraph> graph,
               const CompilerConfig &config);

  /// Returns the expected costs for inputs of these types, or nothing if the
  /// types do not fit the graph.
  std::optional<CompileHistory::Expectation>
  expect(std::span<const TensorType> inputs) const;
  /// Returns the same costs. The history corrects the cost of compiling.
  Prediction predict(std::span<const TensorType> inputs) const;

  /// Records that a compilation took `ns` nanoseconds of processor time.
  void observe(const std::optional<CompileHistory::Expectation> &expected,
               const KernelCounts &counts, double ns);
  /// Records that a program was in the disk cache and nothing was compiled.
  void observeStored() { history.observeStored(); }

private:
  const std::shared_ptr<const SerializedGraph> graph;
  const CompilerConfig &config;
  CompileHistory &history;
};

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_PREDICTION_COSTFORECAST_H
