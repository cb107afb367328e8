//===- DriverGraphs.cpp - Capture and graphs of the fake driver -----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/Calls.h"
#include "Driver/Graph.h"

using namespace fake;

namespace {

/// A call that uses an executable graph, of which there may be one at a time.
class Using {
public:
  explicit Using(CUgraphExec_st &executable) : executable(executable) {
    if (executable.isUsed.exchange(true))
      report("two threads use an executable graph at once");
  }
  ~Using() { executable.isUsed = false; }

private:
  CUgraphExec_st &executable;
};

/// Whether both have the same nodes, but for parameters, and the same order.
bool haveSameTopology(const CUgraphExec_st &executable,
                      const CUgraph_st &graph) {
  if (executable.nodes.size() != graph.nodes.size())
    return false;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const CUgraphNode_st &a = executable.nodes[i], &b = *graph.nodes[i];
    if (a.before != b.before || a.operation.name != b.operation.name ||
        a.operation.function != b.operation.function)
      return false;
  }
  return true;
}

} // namespace

Result cuStreamBeginCapture_v2(StreamHandle stream, int mode) {
  ENTER(enter);
  return machine().beginCapture(stream, mode);
}

Result cuStreamEndCapture(StreamHandle stream, GraphHandle *graph) {
  ENTER(enter);
  return machine().endCapture(stream, graph);
}

Result cuStreamGetCaptureInfo_v3(StreamHandle stream, int *status, uint64_t *id,
                                 GraphHandle *graph,
                                 const GraphNodeHandle **nodes,
                                 const CUgraphEdgeData_st **edges,
                                 size_t *numNodes) {
  ENTER(enter);
  // The stream is one thread's while it captures.
  *status = !stream->capture ? 0 : stream->capture->isInvalid ? 2 : 1;
  if (*status != 1)
    return kSuccess;
  if (id)
    *id = reinterpret_cast<uint64_t>(stream->capture.get());
  if (graph)
    *graph = stream->capture->graph.get();
  if (nodes)
    *nodes = stream->tail.data();
  if (edges)
    *edges = nullptr;
  if (numNodes)
    *numNodes = stream->tail.size();
  return kSuccess;
}

Result cuGraphDestroy(GraphHandle graph) {
  delete graph;
  machine().count(&Objects::graphs, -1);
  return kSuccess;
}

Result cuGraphInstantiateWithFlags(GraphExecHandle *executable,
                                   GraphHandle graph, unsigned long long) {
  ENTER(enter);
  machine().withMemory(
      [&](Memory &memory, Clock &) { checkOrder(*graph, memory); });
  auto made = std::make_unique<CUgraphExec_st>();
  for (const auto &node : graph->nodes) {
    made->nodes.push_back(*node);
    made->origins.push_back(node.get());
  }
  machine().count(&Objects::executables, 1);
  *executable = made.release();
  return kSuccess;
}

Result cuGraphExecDestroy(GraphExecHandle executable) {
  {
    Using use(*executable);
  }
  delete executable;
  machine().count(&Objects::executables, -1);
  return kSuccess;
}

Result cuGraphExecUpdate_v2(GraphExecHandle executable, GraphHandle graph,
                            void *info) {
  ENTER(enter);
  Using use(*executable);
  constexpr Result kTopologyChanged = 2;
  auto &told = *static_cast<GraphUpdateInfo *>(info);
  told = {};
  if (!haveSameTopology(*executable, *graph)) {
    told.result = kTopologyChanged;
    return kGraphExecUpdateFailure;
  }
  for (size_t i = 0; i < graph->nodes.size(); ++i)
    executable->nodes[i] = *graph->nodes[i];
  return kSuccess;
}

Result cuGraphExecKernelNodeSetParams_v2(GraphExecHandle executable,
                                         GraphNodeHandle node,
                                         const void *params) {
  ENTER(enter);
  Using use(*executable);
  auto origin =
      std::find(executable->origins.begin(), executable->origins.end(), node);
  if (origin == executable->origins.end())
    return kInvalidValue;
  CUgraphNode_st &own =
      executable->nodes[size_t(origin - executable->origins.begin())];
  const auto &given = *static_cast<const KernelNodeParams *>(params);
  if (!own.operation.function || given.function != own.operation.function)
    return kInvalidValue;
  std::vector<char> packed;
  if (Result result = packParameters(*given.function, given.parameters,
                                     given.extra, packed))
    return result;
  return makeLaunch(*given.function, {given.gridX, given.gridY, given.gridZ},
                    {given.blockX, given.blockY, given.blockZ},
                    given.sharedBytes, std::move(packed), own.operation);
}

Result cuGraphLaunch(GraphExecHandle executable, StreamHandle stream) {
  ENTER(enter);
  Using use(*executable);
  return machine().launch(*executable, stream);
}
