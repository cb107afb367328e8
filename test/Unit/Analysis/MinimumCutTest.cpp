//===- MinimumCutTest.cpp - The cheapest way to part a graph --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Analysis/MinimumCut.h"

#include <gtest/gtest.h>

#include <random>

using namespace tandem;

namespace {

using Node = MinimumCut::Node;

struct Edge {
  Node from, to;
  double cost;
};

double costOf(const std::vector<Edge> &edges, const std::vector<bool> &sides) {
  double cost = 0;
  for (const Edge &edge : edges)
    if (sides[edge.from] && !sides[edge.to])
      cost += edge.cost;
  return cost;
}

std::vector<bool> solve(const std::vector<Edge> &edges, unsigned numNodes) {
  MinimumCut cut;
  for (unsigned i = 2; i < numNodes; ++i)
    cut.add();
  for (const Edge &edge : edges)
    cut.connect(edge.from, edge.to, edge.cost);
  return cut.solve();
}

TEST(MinimumCut, ANodeFollowsItsDearerEdge) {
  EXPECT_TRUE(solve({{0, 2, 3}, {2, 1, 2}}, 3)[2]);
  EXPECT_FALSE(solve({{0, 2, 2}, {2, 1, 3}}, 3)[2]);
}

TEST(MinimumCut, EqualCostsLeaveTheSourceAlone) {
  EXPECT_FALSE(solve({{0, 2, 2}, {2, 1, 2}}, 3)[2]);
  EXPECT_FALSE(solve({}, 3)[2]);
}

TEST(MinimumCut, WhatIsNeverCutStaysTogether) {
  std::vector<bool> sides =
      solve({{0, 2, 1}, {2, 3, MinimumCut::kNever}, {3, 1, 5}}, 4);
  EXPECT_FALSE(sides[2]);
  EXPECT_FALSE(sides[3]);
}

TEST(MinimumCut, IsTheBestOfAllWays) {
  std::mt19937 rng(7);
  for (int round = 0; round < 200; ++round) {
    unsigned numNodes = 3 + rng() % 8;
    std::vector<Edge> edges;
    for (unsigned i = 0, count = rng() % 30; i < count; ++i)
      edges.push_back({static_cast<Node>(rng() % numNodes),
                       static_cast<Node>(rng() % numNodes),
                       static_cast<double>(rng() % 9)});
    double best = MinimumCut::kNever;
    for (unsigned choice = 0; choice < 1u << (numNodes - 2); ++choice) {
      std::vector<bool> sides(numNodes);
      sides[0] = true;
      for (unsigned i = 2; i < numNodes; ++i)
        sides[i] = choice >> (i - 2) & 1;
      best = std::min(best, costOf(edges, sides));
    }
    EXPECT_EQ(costOf(edges, solve(edges, numNodes)), best) << round;
  }
}

} // namespace
