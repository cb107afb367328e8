//===- AcyclicGraph.h - A DAG whose nodes are merged -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_FUSION_ACYCLICGRAPH_H
#define TANDEM_LIB_FUSION_ACYCLICGRAPH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace tandem {

/// A directed graph that stays acyclic while its nodes are merged. A
/// topological order is kept up to date, so that a question about two nodes
/// looks at what lies between them in that order alone: the algorithm of Pearce
/// and Kelly, "A Dynamic Topological Sort Algorithm for Directed Acyclic
/// Graphs" (JEA 11, 2006), with merging in place of inserting edges.
class AcyclicGraph {
public:
  using Node = unsigned;

  /// `size` nodes, in a topological order of the edges to come.
  explicit AcyclicGraph(unsigned size);

  /// Before any merge; `from` < `to`.
  void addEdge(Node from, Node to);

  /// The node that stands for `node` since the merges so far.
  Node find(Node node) const;

  /// Whether no path leads from one to the other through a third node.
  bool canMerge(Node a, Node b);
  /// Makes them one, and says whether that was possible.
  bool merge(Node a, Node b);

  /// Makes every successor of `node` a successor of its predecessors, and
  /// removes it.
  void bypass(Node node);

private:
  using Nodes = llvm::SmallVector<Node, 16>;

  /// What `from` leads to before `to` in the order; false where that is `to`
  /// itself, other than by an edge.
  bool collectAfter(Node from, Node to, Nodes &found);
  /// What leads to `to` behind `from` in the order.
  void collectBefore(Node from, Node to, Nodes &found);
  bool visit(Node node);
  /// The nodes at the other ends of `edges` of `node`, each once.
  Nodes getNeighbours(Node node, llvm::ArrayRef<Node> edges) const;
  void unite(Node into, Node from);

  /// By node: the next on the way to the one that stands for it.
  mutable std::vector<Node> parents;
  /// Position in the order; of nodes that stand for themselves.
  std::vector<unsigned> ranks;
  std::vector<llvm::SmallVector<Node, 4>> successors, predecessors;
  std::vector<bool> isRemoved;
  std::vector<unsigned> visited;
  unsigned searchNumber = 0;
};

} // namespace tandem

#endif // TANDEM_LIB_FUSION_ACYCLICGRAPH_H
