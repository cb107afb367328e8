//===- AcyclicGraphTest.cpp - Merging nodes of a DAG ----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decision/AcyclicGraph.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

using namespace tandem;

namespace {

/// A graph, and its edges to search in plainly.
struct Checked {
  unsigned size;
  AcyclicGraph graph;
  std::set<std::pair<unsigned, unsigned>> edges;
  std::set<unsigned> removed;

  Checked(unsigned size, std::mt19937 &random) : size(size), graph(size) {
    for (unsigned i = 0; i < 2 * size; ++i) {
      unsigned a = random() % size, b = random() % size;
      if (a < b && edges.insert({a, b}).second)
        graph.addEdge(a, b);
    }
  }

  /// Whether a path leads from `from` to `to` through a third node.
  bool reaches(unsigned from, unsigned to) {
    std::set<unsigned> seen;
    std::vector<unsigned> worklist{from};
    while (!worklist.empty()) {
      unsigned node = worklist.back();
      worklist.pop_back();
      for (auto [a, b] : edges) {
        unsigned before = graph.find(a), after = graph.find(b);
        bool isDirect = before == from && after == to;
        if (before != node || after == node || isDirect)
          continue;
        if (after == to)
          return true;
        if (seen.insert(after).second)
          worklist.push_back(after);
      }
    }
    return false;
  }

  bool isAlone(unsigned node) {
    for (unsigned i = 0; i < size; ++i)
      if (i != node && graph.find(i) == node)
        return false;
    return true;
  }

  void bypass(unsigned node) {
    graph.bypass(node);
    removed.insert(node);
    std::set<std::pair<unsigned, unsigned>> left;
    for (auto [a, b] : edges) {
      if (a != node && b != node)
        left.insert({a, b});
      if (b == node)
        for (auto [c, d] : edges)
          if (c == node)
            left.insert({a, d});
    }
    edges = left;
  }
};

TEST(AcyclicGraph, AgreesWithSearch) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    Checked checked(5 + random() % 20, random);
    for (unsigned step = 0; step < 40; ++step) {
      unsigned a = checked.graph.find(random() % checked.size);
      unsigned b = checked.graph.find(random() % checked.size);
      if (a == b || checked.removed.count(a) || checked.removed.count(b))
        continue;
      if (random() % 4 == 0 && checked.isAlone(a)) {
        checked.bypass(a);
        continue;
      }
      bool may = !checked.reaches(a, b) && !checked.reaches(b, a);
      ASSERT_EQ(checked.graph.canMerge(a, b), may)
          << "seed " << seed << ", step " << step;
      if (random() % 2)
        ASSERT_EQ(checked.graph.merge(a, b), may);
    }
  }
}

TEST(AcyclicGraph, ADiamondIsNoEdge) {
  AcyclicGraph graph(4);
  graph.addEdge(0, 1);
  graph.addEdge(0, 2);
  graph.addEdge(1, 3);
  graph.addEdge(2, 3);
  EXPECT_FALSE(graph.canMerge(0, 3));
  EXPECT_FALSE(graph.merge(3, 0));
  EXPECT_TRUE(graph.merge(1, 2));
  EXPECT_TRUE(graph.merge(0, 1));
  EXPECT_TRUE(graph.merge(3, 2));
  EXPECT_EQ(graph.find(0), graph.find(3));
}

} // namespace
