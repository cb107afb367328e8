//===- RandomGraph.h - Well-formed random graphs ----------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random graphs for differential testing. Each value has a bound on its
// magnitude, which keeps the arguments of partial functions in their domain;
// how far correct results may be apart is found by running the graph
// (tandem/Runtime/ErrorBounds.h).
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
  /// The value of the elements of a constant or, if `seed` is not 0, the power
  /// of two by which elements drawn from `seed` in [-1, 1) are multiplied. The
  /// drawn elements are multiples of 2^-7, exact in every float type.
  double scale = 0;
  uint64_t seed = 0;
  std::vector<int> operands;
  TensorType type;
  /// Bound on |value|, over values computed from inputs in [-1, 1) (floats) or
  /// [0, 8) (integers).
  double magnitude = 1;
  /// Every execution gives the same bits, so that ops with jumps (floor,
  /// compare, casts to integers) may follow.
  bool isExact = true;
  /// The number of the op's result that the value is.
  size_t result = 0;
  /// If not 0, element i of a constant is i / block.
  int64_t block = 0;
};

struct RandomGraph {
  std::vector<Node> nodes;
  std::vector<int> outputs;
  /// The seed that chooses the dims of inputs that are unknown in the file; 0
  /// for none.
  uint64_t dynamicSeed = 0;
  /// The seed that chooses the elements of the inputs that are infinite, NaN,
  /// very large, subnormal or zero; 0 for none.
  uint64_t specialSeed = 0;

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
  /// Percentages of graphs whose tensors are beyond the grain of kernels, of
  /// those with dims that are unknown until they are compiled, of those with
  /// special values among the inputs, and of those that begin with layers of
  /// quantized numbers.
  int large = 4, dynamic = 20, special = 20, quantized = 3;
};

/// The same graph for the same seed, on every machine.
RandomGraph makeRandomGraph(uint64_t seed, const GraphOptions &options = {});

/// A constant or an op in MLIR's generic form without its result:
/// `"tandem.add"(%1, %2) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>`.
std::string printGeneric(const Node &node, const std::vector<Node> &nodes);

/// The name of a node's value, as an operand and, for several results, where
/// the op is: `%v7`, `%v7#1`, `%v7:2`.
std::string valueName(int index, const Node &node);
std::string definedName(int index, const Node &node);

/// A function of one op: `func.func @name(%0: …) -> … { … }`. Returns the
/// result with the number `number`, of type `result`.
std::string printFunction(const std::string &name, const OpDesc &op,
                          std::span<const TensorType> operands,
                          const TensorType &result, size_t number = 0);

} // namespace tandem::fuzz

#endif // TANDEM_TEST_FUZZ_RANDOMGRAPH_H
