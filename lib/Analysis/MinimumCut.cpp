//===- MinimumCut.cpp - The cheapest way to part a graph ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Analysis/MinimumCut.h"

#include <algorithm>
#include <cassert>

namespace tandem {

static constexpr unsigned kNone = std::numeric_limits<unsigned>::max();
/// What rounding leaves of an edge that is spent.
static constexpr double kNothing = 1e-9;

MinimumCut::Node MinimumCut::add() {
  edgesFrom.emplace_back();
  return static_cast<Node>(edgesFrom.size() - 1);
}

void MinimumCut::connect(Node from, Node to, double cost) {
  edgesFrom[from].push_back(static_cast<unsigned>(edges.size()));
  edges.push_back({to, cost});
  edgesFrom[to].push_back(static_cast<unsigned>(edges.size()));
  edges.push_back({from, 0});
}

std::vector<unsigned> MinimumCut::search() const {
  std::vector<unsigned> reachedBy(edgesFrom.size(), kNone);
  std::vector<bool> isReached(edgesFrom.size());
  std::vector<Node> queue{kSource};
  isReached[kSource] = true;
  for (size_t next = 0; next < queue.size(); ++next)
    for (unsigned edge : edgesFrom[queue[next]]) {
      Node to = edges[edge].to;
      if (isReached[to] || edges[edge].left <= kNothing)
        continue;
      isReached[to] = true;
      reachedBy[to] = edge;
      queue.push_back(to);
    }
  return reachedBy;
}

bool MinimumCut::augment() {
  std::vector<unsigned> reachedBy = search();
  if (reachedBy[kSink] == kNone)
    return false;
  double least = kNever;
  auto forPath = [&](auto visit) {
    for (Node node = kSink; node != kSource;
         node = edges[reachedBy[node] ^ 1].to)
      visit(reachedBy[node]);
  };
  forPath([&](unsigned edge) { least = std::min(least, edges[edge].left); });
  assert(least < kNever && "never cut, but no other way");
  forPath([&](unsigned edge) {
    edges[edge].left -= least;
    edges[edge ^ 1].left += least;
  });
  return true;
}

std::vector<bool> MinimumCut::solve() {
  while (augment())
    ;
  std::vector<unsigned> reachedBy = search();
  std::vector<bool> isSource(reachedBy.size());
  for (Node node = 0; node < reachedBy.size(); ++node)
    isSource[node] = node == kSource || reachedBy[node] != kNone;
  return isSource;
}

} // namespace tandem
