//===- CostForecast.cpp - What a graph's programs will cost ---------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Prediction/CostForecast.h"

using namespace tandem;

CostForecast::CostForecast(std::shared_ptr<const SerializedGraph> given,
                           const CompilerConfig &config)
    : graph(std::move(given)), config(config),
      history(CompileHistory::process(config.target->isHost())) {}

std::optional<CompileHistory::Expectation>
CostForecast::expect(std::span<const TensorType> inputs) const {
  const Expected<FusionSketch> sketch = sketchFusion(*graph->eager, inputs);
  if (!sketch)
    return std::nullopt;
  auto expected = history.expect(*sketch, *graph->eager, config.model,
                                 config.options.kernelCache);
  if (!config.target->isHost())
    predictCallsByModel(*sketch, config.model, expected.costs);
  return expected;
}

Prediction CostForecast::predict(std::span<const TensorType> inputs) const {
  const auto expected = expect(inputs);
  if (!expected)
    return {};
  return {history.compileNs(*expected), expected->costs.compiledNs,
          expected->costs.eagerNs};
}

void CostForecast::observe(
    const std::optional<CompileHistory::Expectation> &expected,
    const KernelCounts &counts, double ns) {
  if (expected)
    history.observe(*expected, counts, ns);
}
