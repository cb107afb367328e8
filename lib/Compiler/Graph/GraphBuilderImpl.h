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
  };
  /// A constant is a Tensor.
  using Node = std::variant<Input, Tensor, Splat, Op>;

  std::string name;
  std::string location;
  /// Values are numbered in the order of the nodes that they come from.
  std::vector<Node> nodes;
  std::vector<TensorType> types;
  size_t numInputs = 0, numOps = 0;
  Status status;

  /// Makes the source of the graph that computes the values `outputs`.
  Expected<std::shared_ptr<const SerializedGraph>>
  emit(std::span<const size_t> outputs,
       std::vector<std::string> outputNames) const;
};

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_GRAPH_GRAPHBUILDERIMPL_H
