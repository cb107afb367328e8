//===- AcyclicGraph.cpp - A DAG whose nodes are merged --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decision/AcyclicGraph.h"

#include "llvm/ADT/STLExtras.h"

#include <cassert>
#include <numeric>

namespace tandem {

AcyclicGraph::AcyclicGraph(unsigned size)
    : parents(size), ranks(size), successors(size), predecessors(size),
      isRemoved(size, false), visited(size, 0) {
  std::iota(parents.begin(), parents.end(), 0);
  std::iota(ranks.begin(), ranks.end(), 0);
}

void AcyclicGraph::addEdge(Node from, Node to) {
  assert(from < to && "not in topological order");
  successors[from].push_back(to);
  predecessors[to].push_back(from);
}

AcyclicGraph::Node AcyclicGraph::find(Node node) const {
  while (parents[node] != node)
    node = parents[node] = parents[parents[node]];
  return node;
}

bool AcyclicGraph::visit(Node node) {
  if (visited[node] == searchNumber || isRemoved[node])
    return false;
  visited[node] = searchNumber;
  return true;
}

bool AcyclicGraph::collectAfter(Node from, Node to, Nodes &found) {
  ++searchNumber;
  visit(from);
  Nodes worklist{from};
  while (!worklist.empty()) {
    Node node = worklist.pop_back_val();
    for (Node edge : successors[node]) {
      Node next = find(edge);
      if (next == to && node != from)
        return false;
      if (ranks[next] >= ranks[to] || !visit(next))
        continue;
      found.push_back(next);
      worklist.push_back(next);
    }
  }
  return true;
}

void AcyclicGraph::collectBefore(Node from, Node to, Nodes &found) {
  ++searchNumber;
  Nodes worklist{to};
  while (!worklist.empty()) {
    Node node = worklist.pop_back_val();
    for (Node edge : predecessors[node]) {
      Node next = find(edge);
      if (ranks[next] <= ranks[from] || next == to || !visit(next))
        continue;
      found.push_back(next);
      worklist.push_back(next);
    }
  }
}

bool AcyclicGraph::canMerge(Node a, Node b) {
  a = find(a);
  b = find(b);
  if (ranks[a] > ranks[b])
    std::swap(a, b);
  Nodes after;
  return a == b || collectAfter(a, b, after);
}

void AcyclicGraph::unite(Node into, Node from) {
  auto move = [&](auto &edges) {
    // The shorter list is appended to the longer.
    if (edges[into].size() < edges[from].size())
      std::swap(edges[into], edges[from]);
    edges[into].append(edges[from].begin(), edges[from].end());
    edges[from].clear();
  };
  move(successors);
  move(predecessors);
  parents[from] = into;
}

bool AcyclicGraph::merge(Node a, Node b) {
  a = find(a);
  b = find(b);
  if (a == b)
    return true;
  if (ranks[a] > ranks[b])
    std::swap(a, b);
  Nodes after, before;
  if (!collectAfter(a, b, after))
    return false;
  collectBefore(a, b, before);

  // In the places that these have: what leads to `b`, the two, what `a` leads
  // to. All else between them has nothing to do with either.
  auto byRank = [&](Node x, Node y) { return ranks[x] < ranks[y]; };
  llvm::sort(before, byRank);
  llvm::sort(after, byRank);
  Nodes order(before);
  order.push_back(a);
  order.append(after.begin(), after.end());
  llvm::SmallVector<unsigned, 16> places;
  for (Node node : order)
    places.push_back(ranks[node]);
  llvm::sort(places);
  unite(a, b);
  for (auto [node, place] : llvm::zip_equal(order, places))
    ranks[node] = place;
  return true;
}

AcyclicGraph::Nodes
AcyclicGraph::getNeighbors(Node node, llvm::ArrayRef<Node> edges) const {
  Nodes neighbors;
  for (Node edge : edges)
    if (Node next = find(edge); next != node && !isRemoved[next])
      neighbors.push_back(next);
  llvm::sort(neighbors);
  neighbors.erase(llvm::unique(neighbors), neighbors.end());
  return neighbors;
}

void AcyclicGraph::bypass(Node node) {
  node = find(node);
  Nodes afters = getNeighbors(node, successors[node]);
  for (Node before : getNeighbors(node, predecessors[node]))
    for (Node after : afters) {
      successors[before].push_back(after);
      predecessors[after].push_back(before);
    }
  // Its neighbors' edges still lead to it.
  isRemoved[node] = true;
}

} // namespace tandem
