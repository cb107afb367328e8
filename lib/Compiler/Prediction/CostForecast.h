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

/// Predicts what compiling and calling the programs of one graph cost, and
/// tells the process's history what compiling has cost. `config` outlives this.
/// Thread-safe.
class CostForecast {
public:
  CostForecast(std::shared_ptr<const SerializedGraph> graph,
               const CompilerConfig &config);

  /// What is expected for inputs of these types; nothing if they do not fit the
  /// graph.
  std::optional<CompileHistory::Expectation>
  expect(std::span<const TensorType> inputs) const;
  /// The same, with the cost of compiling corrected by the history.
  Prediction predict(std::span<const TensorType> inputs) const;

  /// A compilation has taken `ns` nanoseconds of processor time.
  void observe(const std::optional<CompileHistory::Expectation> &expected,
               const KernelCounts &counts, double ns);
  /// A program was in the disk cache, so that nothing was compiled.
  void observeStored() { history.observeStored(); }

private:
  const std::shared_ptr<const SerializedGraph> graph;
  const CompilerConfig &config;
  CompileHistory &history;
};

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_PREDICTION_COSTFORECAST_H
