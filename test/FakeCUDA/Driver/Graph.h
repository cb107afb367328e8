//===- Graph.h - Captured work of the fake driver ---------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TEST_FAKECUDA_DRIVER_GRAPH_H
#define TANDEM_TEST_FAKECUDA_DRIVER_GRAPH_H

#include "Driver/Machine.h"

#include <atomic>
#include <thread>

/// A piece of work and those that are done before it.
struct CUgraphNode_st {
  fake::Operation operation;
  std::vector<size_t> before; ///< Of the same graph.
  size_t index = 0;           ///< In the graph.
};
struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;

  /// Whether `node` is `last`, or done before it.
  bool isBefore(size_t node, size_t last) const;
};
struct CUgraphExec_st {
  std::vector<CUgraphNode_st> nodes;
  /// The nodes that it was made of, by which calls name its own.
  std::vector<const CUgraphNode_st *> origins;
  /// The end of its last launch.
  std::shared_ptr<fake::Mark> last;
  std::atomic<bool> isUsed{false};
};

namespace fake {

/// What streams capture from the call that begins it to the one that ends it.
struct Capture {
  CUstream_st *origin;
  int mode; ///< kGlobal, kThreadLocal or kRelaxed.
  std::thread::id thread;
  std::unique_ptr<CUgraph_st> graph = std::make_unique<CUgraph_st>();
  bool isInvalid = false;
};

enum : int { kGlobal = 0, kThreadLocal = 1, kRelaxed = 2 };

/// Ends the capture of `stream`. The machine's mutex is held; `streams` are all
/// that it has.
Result endCapture(CUstream_st *stream, const std::set<CUstream_st *> &streams,
                  CUgraph_st **graph);

/// Reports nodes of which one writes what another uses, with nothing that
/// orders them. The machine's mutex is held.
void checkOrder(const CUgraph_st &graph, const Memory &memory);

/// All nodes as one piece of work, done in a random order that is legal.
Operation launchOf(const CUgraphExec_st &executable);

} // namespace fake

#endif // TANDEM_TEST_FAKECUDA_DRIVER_GRAPH_H
