//===- GraphBuilder.h - Appends ops to a random graph -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TEST_FUZZ_GRAPHBUILDER_H
#define TANDEM_TEST_FUZZ_GRAPHBUILDER_H

#include "RandomGraph.h"

#include <functional>
#include <random>

namespace tandem::fuzz {

/// Random choices, the same on every machine (the standard's distributions are
/// not).
class Random {
public:
  explicit Random(uint64_t seed) : engine(seed) {}
  /// Uniform in [0, n).
  int64_t below(int64_t n) {
    return static_cast<int64_t>(engine() % static_cast<uint64_t>(n));
  }
  /// Uniform in [low, high].
  int64_t between(int64_t low, int64_t high) {
    return low + below(high - low + 1);
  }
  bool chance(int percent) { return below(100) < percent; }
  template <typename T> T pick(std::initializer_list<T> items) {
    return items.begin()[below(static_cast<int64_t>(items.size()))];
  }

private:
  std::mt19937_64 engine;
};

/// Appends nodes; keeps what is known of their values.
class GraphBuilder {
public:
  GraphBuilder(uint64_t seed, bool isLarge) : random(seed), isLarge(isLarge) {}

  Random random;
  RandomGraph graph;
  /// Tensors are so large that kernels are shared out over threads.
  const bool isLarge;

  const Node &node(int i) const { return graph.nodes[i]; }
  const TensorType &type(int i) const { return graph.nodes[i].type; }

  int input(const TensorType &type);
  int constant(const TensorType &type, double value);
  /// Floats in [-scale, scale), scale a power of two.
  int randomConstant(const TensorType &type, double scale);
  /// `count` indices 0, 0, ..., 1, 1, ..., each of them `block` times.
  int blockIndices(int64_t count, int64_t block);
  /// Infers the type by the shape rule; a refusal is a bug of the generator and
  /// ends the process with a message. The value is the result with the number
  /// `number`.
  int op(OpDesc desc, std::vector<int> operands, double magnitude,
         size_t number = 0);
  int op(OpKind kind, std::vector<int> operands, double magnitude);

  DType randomFloat();
  DType randomInteger();
  Shape randomShape(int minRank, int maxRank);
  /// A shape that broadcasts to `shape`.
  Shape broadcastableTo(const Shape &shape);

  /// A size along one dim: those around the sizes of tiles and vectors, primes,
  /// and 1.
  int64_t randomWidth();

  /// A value that satisfies `wanted`, most often an existing one, else a new
  /// input of type `fallback()`.
  int pick(const std::function<bool(const Node &)> &wanted,
           const std::function<TensorType()> &fallback);
  int pickFloat(int minRank = 0, int maxRank = 4);
  /// A float whose bits every execution agrees on.
  int pickExact();
  int pickInteger();
  int pickBool(const Shape &shape);

  /// A float of this type, at most 4: an existing value, or a new input.
  int pickOfType(const TensorType &type);
  /// What a sum of `length` products multiplies with: constants, most often
  /// such that the sum is no greater than the data, or values computed by
  /// others.
  int pickWeights(const TensorType &type, double length);
  /// Makes the value an output of the graph, even if others read it.
  void keep(int value) { graph.outputs.push_back(value); }

  /// The value, or its tanh where |value| may exceed `limit`.
  int tamed(int value, double limit = 8);
  /// |value| + 1/2.
  int awayFromZero(int value);
};

/// Appends one op, chosen at random, with what it needs.
void appendElementwise(GraphBuilder &b);
void appendShapeOp(GraphBuilder &b);
void appendContraction(GraphBuilder &b);
/// Convolutions and products of quantized numbers.
void appendQuantized(GraphBuilder &b);
void appendLineOp(GraphBuilder &b);
/// Moments, a layer norm, random words, or a stop_gradient.
void appendTrainingOp(GraphBuilder &b);
void appendReduction(GraphBuilder &b);
/// Softmax or a norm, spelled out in ops, or reductions of one another.
void appendPattern(GraphBuilder &b);
/// A few blocks of a network, convolutional or of attention.
void appendNetwork(GraphBuilder &b);
/// What follows a contraction: bias, batch norm, residual, activation, cast.
void appendEpilogue(GraphBuilder &b, int x, int channelAxis);
/// What stands before one, of the type of `x`: batch norm, residual,
/// activation, cast.
int appendPrologue(GraphBuilder &b, int x, int channelAxis);

} // namespace tandem::fuzz

#endif // TANDEM_TEST_FUZZ_GRAPHBUILDER_H
