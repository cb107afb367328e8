//===- GraphBuilderImpl.h - What a GraphBuilder holds -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_GRAPH_GRAPHBUILDERIMPL_H
#define TANDEM_LIB_COMPILER_GRAPH_GRAPHBUILDERIMPL_H

#include "Remote/SerializedGraph.h"

#include "tandem/GraphBuilder.h"

#include <variant>

namespace tandem {

/// The nodes that were added, outside of any MLIR context.
struct GraphBuilder::Impl {
  struct Input {
    TensorType type;
    /// Empty, or one per dim.
    std::vector<std::string> dimNames;
    std::string name;
  };
  struct Splat {
    TensorType type;
    double value;
  };
  struct Op {
    OpDesc desc;
    /// Indices of values.
    std::vector<size_t> operands;
    std::string location;
    std::vector<SizeExpressions> sizes;
  };
  /// A graph whose ops become ops of this graph.
  struct Call {
    std::shared_ptr<const SerializedGraph> graph;
    /// Indices of values.
    std::vector<size_t> operands;
    std::string location;
  };
  struct Loop;
  /// A constant is a Tensor.
  using Kind =
      std::variant<Input, Tensor, Splat, Op, Call, std::unique_ptr<Loop>>;
  struct Node {
    Kind kind;
    /// The number of the first result. The others follow.
    size_t result;
  };
  struct Loop {
    /// The number that the values of the body have in `owners`.
    size_t id = 0;
    std::string location;
    std::vector<size_t> carried, scanned;
    std::optional<int64_t> trips;
    /// One flag for each scanned operand, then one for each stacked result.
    std::vector<bool> reversed;
    /// The values that the body is given: carried values, then slices.
    std::vector<size_t> arguments;
    /// The number of the iteration, which becomes an argument if it is used.
    size_t index = 0;
    bool usesIndex = false;
    std::vector<Node> body;
    /// The values that the body computes: carried values, then slices.
    std::vector<size_t> yielded;
    /// The number of carried values without the index.
    size_t numCarried = 0;
  };

  std::string name;
  std::string location;
  std::vector<Node> nodes;
  /// The types of all values, by the numbers of the values.
  std::vector<TensorType> types;
  /// The loop whose body each value belongs to (Loop::id), or 0.
  std::vector<size_t> owners;
  /// The loops whose bodies have not ended, the outermost first.
  std::vector<std::unique_ptr<Loop>> open;
  size_t numInputs = 0, numOps = 0, numLoops = 0;
  Status status;

  /// The location of the next op.
  std::string nextLocation(std::string_view kind);
  /// Adds a value of the innermost body. Returns the value's number.
  size_t addValue(const TensorType &type);
  /// Adds a node to the graph or to the body of a loop. Returns the number of
  /// the first result.
  size_t addTo(std::vector<Node> &region, Kind kind,
               std::span<const TensorType> results);
  /// Adds a node to the innermost body.
  size_t add(Kind kind, std::span<const TensorType> results);
  size_t add(Kind kind, const TensorType &result) {
    return add(std::move(kind), std::span(&result, 1));
  }
  /// Whether an op may use a value here. Notes that an index is used.
  bool isVisible(size_t value);

  /// The number of iterations of a loop, or kDynamic.
  int64_t tripsOf(const Loop &loop) const;
  /// Checks the operands of a loop.
  Status check(const Loop &loop) const;
  /// Checks the values that the body of `loop` computes. Returns the types of
  /// the loop's results.
  Expected<std::vector<TensorType>> inferResults(const Loop &loop) const;
  /// Makes the index of a loop an argument of the body, if it is used.
  void provideIndex(Loop &loop, std::vector<TensorType> &results);

  /// Makes the source of the graph that computes the values `outputs`.
  Expected<std::shared_ptr<const SerializedGraph>>
  emit(std::span<const size_t> outputs,
       std::vector<std::string> outputNames) const;
};

/// Checks that the size in bytes of a type does not overflow. Dynamic dims may
/// have any size.
Status checkDims(const TensorType &type);

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_GRAPH_GRAPHBUILDERIMPL_H
