//===- Graph.cpp - Captured work of the fake driver -----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/Graph.h"

#include <algorithm>

using namespace fake;

bool CUgraph_st::isBefore(size_t node, size_t last) const {
  const std::vector<size_t> &before = nodes[last]->before;
  return node == last || (node < last && std::any_of(
                                             before.begin(), before.end(),
                                             [&](size_t next) {
                                               return isBefore(node, next);
                                             }));
}

/// Whether all that `stream` has captured is done before what `origin` has
/// captured last.
static bool isJoined(const CUgraph_st &graph, const CUstream_st &stream,
                     const CUstream_st &origin) {
  return std::all_of(
      stream.tail.begin(), stream.tail.end(), [&](CUgraphNode_st *node) {
        return std::any_of(origin.tail.begin(), origin.tail.end(),
                           [&](CUgraphNode_st *last) {
                             return graph.isBefore(node->index, last->index);
                           });
      });
}

Result fake::endCapture(CUstream_st *stream,
                        const std::set<CUstream_st *> &streams,
                        CUgraph_st **graph) {
  *graph = nullptr;
  const std::shared_ptr<Capture> capture = stream->capture;
  if (!capture)
    return kIllegalState;
  if (capture->origin != stream)
    return kCaptureUnmatched;
  if (capture->mode != kRelaxed &&
      capture->thread != std::this_thread::get_id())
    return kCaptureWrongThread;
  bool areJoined = true;
  for (CUstream_st *one : streams)
    if (one->capture == capture) {
      areJoined &= isJoined(*capture->graph, *one, *stream);
      one->capture = nullptr;
    }
  for (CUstream_st *one : streams)
    if (!one->capture)
      one->tail.clear();
  if (capture->isInvalid)
    return kCaptureInvalidated;
  if (!areJoined)
    return kCaptureUnjoined;
  *graph = capture->graph.release();
  return kSuccess;
}

void fake::checkOrder(const CUgraph_st &graph, const Memory &memory) {
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    for (size_t k = i + 1; k < graph.nodes.size(); ++k)
      for (const Use &first : graph.nodes[i]->operation.uses)
        for (const Use &second : graph.nodes[k]->operation.uses)
          if ((first.isWrite || second.isWrite) &&
              memory.areInOneBlock(first.pointer, second.pointer) &&
              !graph.isBefore(i, k))
            report("a graph's " + graph.nodes[i]->operation.name + " and " +
                   graph.nodes[k]->operation.name +
                   " use the same memory, with nothing that orders the two");
}

/// Does the nodes' work.
static Result runNodes(const std::vector<CUgraphNode_st> &nodes) {
  std::vector<bool> isDone(nodes.size(), false);
  for (size_t done = 0; done < nodes.size(); ++done) {
    std::vector<size_t> ready;
    for (const CUgraphNode_st &node : nodes)
      if (!isDone[node.index] &&
          std::all_of(node.before.begin(), node.before.end(),
                      [&](size_t other) { return isDone[other]; }))
        ready.push_back(node.index);
    const size_t next = ready[machine().randomOfWork()() % ready.size()];
    if (Result result = nodes[next].operation.run())
      return result;
    isDone[next] = true;
  }
  return kSuccess;
}

Operation fake::launchOf(const CUgraphExec_st &executable) {
  Operation operation{"a graph", {}, {}, executable.last, {}, {}};
  auto nodes = std::make_shared<std::vector<CUgraphNode_st>>(executable.nodes);
  for (const CUgraphNode_st &node : *nodes) {
    const Operation &work = node.operation;
    operation.uses.insert(operation.uses.end(), work.uses.begin(),
                          work.uses.end());
    operation.modules.insert(operation.modules.end(), work.modules.begin(),
                             work.modules.end());
  }
  operation.run = [nodes] { return runNodes(*nodes); };
  return operation;
}
