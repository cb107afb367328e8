//===- MinimumCut.h - The cheapest way to part a graph ---------*- C++ -*-===//
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

/// Parts nodes into those on the side of a source and those on the side of a
/// sink, so that the edges from the former to the latter cost least: the best
/// choice of one of two states for many things at once, where pairs of them
/// cost extra when they differ. Found by augmenting shortest paths (Edmonds
/// and Karp, J. ACM 19, 1972). Not thread-safe.
class MinimumCut {
public:
  using Node = unsigned;
  static constexpr Node kSource = 0, kSink = 1;
  /// The cost of an edge that is never cut.
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  Node add();
  /// An edge that costs `cost` (not negative) when `from` is on the source's
  /// side and `to` on the sink's.
  void connect(Node from, Node to, double cost);
  /// Whether each node is on the source's side; of several cheapest ways, the
  /// one with the fewest there. There must be no path that is never cut from
  /// source to sink.
  std::vector<bool> solve();

private:
  struct Edge {
    Node to;
    double left;
  };

  /// Sends what a shortest path has left; false where there is none.
  bool augment();
  /// The edge by which each node was reached from the source.
  std::vector<unsigned> search() const;

  /// Edge e and its reverse, e ^ 1.
  std::vector<Edge> edges;
  std::vector<std::vector<unsigned>> edgesFrom =
      std::vector<std::vector<unsigned>>(2);
};

} // namespace tandem

#endif // TANDEM_ANALYSIS_MINIMUMCUT_H
