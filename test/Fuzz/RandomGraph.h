//===- RandomGraph.h - Well-formed random graphs ----------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random graphs for differential testing, each value with a bound on its
// magnitude and on the error that a correct execution may have in it. The
// bounds are a running error analysis (Higham, Accuracy and Stability of
// Numerical Algorithms, 2nd ed., section 3.3), with the square root of the
// length for sums (Higham and Mary, A new approach to probabilistic rounding
// error analysis, SISC 41(5), 2019): a mismatch is a bug, not bad conditioning.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TEST_FUZZ_RANDOMGRAPH_H
#define TANDEM_TEST_FUZZ_RANDOMGRAPH_H

#include "tandem/Support/ShapeRules.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tandem::fuzz {

enum class NodeKind { input, constant, op };

/// A value: an input of the graph, a constant, or the result of an op on
/// earlier values.
struct Node {
  NodeKind kind = NodeKind::op;
  OpDesc op;
  /// Of a constant: what its elements are, or, where `seed` is not 0, what
  /// those drawn from it in [-1, 1) are multiplied by, a power of two. They are
  /// multiples of 2^-7, exact in every float type.
  double scale = 0;
  uint64_t seed = 0;
  std::vector<int> operands;
  TensorType type;
  /// Bound on |value|, over values computed from inputs in [-1, 1) (floats) or
  /// [0, 8) (integers).
  double magnitude = 1;
  /// Bound on |computed - exact|; 0: every execution gives the same bits, so
  /// that ops with jumps (floor, compare, casts to integers) may follow.
  double error = 0;
};

struct RandomGraph {
  std::vector<Node> nodes;
  std::vector<int> outputs;

  std::vector<int> inputs() const;
  /// The graph as a file: one function `main`.
  std::string toMLIR() const;
  /// Drops what no output needs.
  void removeDead();
};

struct GraphOptions {
  /// Ops besides the inputs; the graph may have a few more, which keep the
  /// arguments of partial functions in their domain.
  int minOps = 3, maxOps = 14;
};

/// The same graph for the same seed, on every machine.
RandomGraph makeRandomGraph(uint64_t seed, const GraphOptions &options = {});

/// A constant or an op in MLIR's generic form without its result:
/// `"tandem.add"(%1, %2) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>`.
std::string printGeneric(const Node &node, const std::vector<Node> &nodes);

} // namespace tandem::fuzz

#endif // TANDEM_TEST_FUZZ_RANDOMGRAPH_H
