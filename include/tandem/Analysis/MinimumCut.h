//===- MinimumCut.h - The minimum cut of a graph ----------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_ANALYSIS_MINIMUMCUT_H
#define TANDEM_ANALYSIS_MINIMUMCUT_H

#include <limits>
#include <vector>

namespace tandem {

/// Finds the minimum cut between a source and a sink: a partition of the nodes
/// into two sides such that the edges from the source's side to the sink's side
/// cost least. A minimum cut chooses one of two states for each node at the
/// least total cost, if some pairs of nodes cost extra when their states
/// differ. Uses shortest augmenting paths (Edmonds and Karp, J. ACM 19, 1972).
/// Not thread-safe.
class MinimumCut {
public:
  using Node = unsigned;
  static constexpr Node kSource = 0, kSink = 1;
  /// The cost of an edge that is never cut.
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  /// Adds a node and returns its number.
  Node add();
  /// Adds an edge that costs `cost` (>= 0) when `from` is on the source's side
  /// and `to` on the sink's.
  void connect(Node from, Node to, double cost);
  /// Returns for each node whether it is on the source's side. If there are
  /// several minimum cuts, returns the one with the fewest nodes on the
  /// source's side. There must be no path from source to sink whose edges all
  /// cost kNever.
  std::vector<bool> solve();

private:
  struct Edge {
    Node to;
    double left;
  };

  /// Augments the flow along a shortest path; false where there is none.
  bool augment();
  /// By node, the edge by which a breadth-first search from the source reached
  /// it.
  std::vector<unsigned> search() const;

  /// The edges; the reverse of edge e is edge e ^ 1.
  std::vector<Edge> edges;
  std::vector<std::vector<unsigned>> edgesFrom =
      std::vector<std::vector<unsigned>>(2);
};

} // namespace tandem

#endif // TANDEM_ANALYSIS_MINIMUMCUT_H
