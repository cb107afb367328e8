//===- CheckGradients.h - Gradients of random graphs ------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TEST_FUZZ_CHECKGRADIENTS_H
#define TANDEM_TEST_FUZZ_CHECKGRADIENTS_H

#include "RandomGraph.h"

#include "tandem/Tandem.h"

#include <optional>

namespace tandem::fuzz {

/// A graph that also returns gradients, and its inputs.
struct GradientGraph {
  std::unique_ptr<Graph> graph;
  std::vector<Tensor> inputs;
};

/// Differentiates the first output of floats, multiplied by a seed, with
/// respect to all inputs of floats. `graph` is the graph `random` for `inputs`.
/// Returns nothing if there is no such output or input.
Expected<std::optional<GradientGraph>>
differentiate(const RandomGraph &random, const Graph &graph,
              std::vector<Tensor> inputs);

/// What the comparison with differences found.
enum class Differences {
  agree,
  disagree,
  /// The function is not smooth there, or rounding hides the derivative.
  undecided
};

/// The comparison, and what it compared.
struct DifferenceCheck {
  Differences verdict = Differences::undecided;
  double difference = 0, derivative = 0;
};

/// Compares the gradients of the graph, with all floats as f64, with
/// differences of its results along a random direction, on the reference tier.
Expected<DifferenceCheck> checkDifferences(const RandomGraph &random);

} // namespace tandem::fuzz

#endif // TANDEM_TEST_FUZZ_CHECKGRADIENTS_H
