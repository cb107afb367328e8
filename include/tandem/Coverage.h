//===- Coverage.h - How each node of a graph is executed --------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_COVERAGE_H
#define TANDEM_COVERAGE_H

#include "tandem/Runtime/Tier.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

/// The ways to execute a node. If a node became several ops that are executed
/// in different ways, the way that is declared last here is reported.
enum class Execution {
  /// Nothing is executed: the results are known, or are those of another node.
  folded,
  generated, ///< Generated code.
  library,   ///< A library, or a prebuilt kernel.
  reference, ///< The plain loops of the reference provider.
  /// The node reads a result of another node that cannot be imported.
  notReached,
  refused, ///< The node cannot be imported.
};
/// The number of enumerators of Execution.
inline constexpr size_t kNumExecutions = 6;
/// Returns the name of the enumerator; "not reached" for notReached.
std::string_view name(Execution execution);

/// A node of an imported model, or an op of a graph that was not imported, and
/// how it is executed.
struct NodeCoverage {
  /// The location of the node, as in StepInfo::sources.
  std::string location;
  /// The op type, e.g. "Conv" of a model, or "conv" of a graph that was
  /// not imported.
  std::string op;
  /// The number of Tandem ops that the node was converted to
  /// (ModelNode::ops); 1 if the graph was not imported.
  size_t ops = 1;
  Execution execution = Execution::folded;
  /// The step that executes the node, e.g. "kernel_3" or "conv+relu", and the
  /// provider of an op step, e.g. "onednn". Empty if no step executes the node.
  std::string step, provider;
  /// One sentence that says why the node cannot be imported, or why no code is
  /// generated for the node in the compiled tier. Otherwise empty.
  std::string reason;
};

/// How the nodes of a graph are executed in a tier.
struct Coverage {
  Tier tier = Tier::compiled;
  /// The nodes, in the order of the graph.
  std::vector<NodeCoverage> nodes;

  /// True if no node was refused.
  bool isComplete() const;
};

} // namespace tandem

#endif // TANDEM_COVERAGE_H
