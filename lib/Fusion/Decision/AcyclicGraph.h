//===- AcyclicGraph.h - A DAG whose nodes can be merged ---------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_FUSION_DECISION_ACYCLICGRAPH_H
#define TANDEM_LIB_FUSION_DECISION_ACYCLICGRAPH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace tandem {

/// A directed graph that stays acyclic while its nodes are merged. It maintains
/// a topological order, so that a query about two nodes only visits nodes
/// between them in that order. The algorithm is that of Pearce and Kelly, "A
/// Dynamic Topological Sort Algorithm for Directed Acyclic Graphs" (JEA 11,
/// 2006), with merging of nodes in place of insertion of edges.
class AcyclicGraph {
public:
  using Node = unsigned;

  /// Creates `size` nodes. Their numbers are a topological order: edges may
  /// only lead from a lower to a higher number.
  explicit AcyclicGraph(unsigned size);

  /// Adds an edge. `from` must be less than `to`, and no nodes may have been
  /// merged yet.
  void addEdge(Node from, Node to);

  /// The node that represents `node` after the merges so far.
  Node find(Node node) const;

  /// Whether the nodes can be merged: no path leads from one to the other
  /// through a third node.
  bool canMerge(Node a, Node b);
  /// Merges two nodes if that is possible, and returns whether it was.
  bool merge(Node a, Node b);

  /// Makes every successor of `node` a successor of all its predecessors, and
  /// removes `node`.
  void bypass(Node node);

private:
  using Nodes = llvm::SmallVector<Node, 16>;

  /// Collects the nodes that `from` leads to and that come before `to` in the
  /// order. Returns false if a path through another node leads from `from` to
  /// `to`.
  bool collectAfter(Node from, Node to, Nodes &found);
  /// Collects the nodes that lead to `to` and come after `from` in the order.
  void collectBefore(Node from, Node to, Nodes &found);
  bool visit(Node node);
  /// Returns the nodes at the other ends of `edges` of `node`, without
  /// duplicates.
  Nodes getNeighbors(Node node, llvm::ArrayRef<Node> edges) const;
  void unite(Node into, Node from);

  /// For each node, the next node on the way to the node's representative
  /// (union-find).
  mutable std::vector<Node> parents;
  /// The position of each representative in the topological order.
  std::vector<unsigned> ranks;
  std::vector<llvm::SmallVector<Node, 4>> successors, predecessors;
  std::vector<bool> isRemoved;
  std::vector<unsigned> visited;
  unsigned searchNumber = 0;
};

} // namespace tandem

#endif // TANDEM_LIB_FUSION_DECISION_ACYCLICGRAPH_H
