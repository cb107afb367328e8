//===- CapturedGraph.cpp - Captured work of a GPU -------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CapturedGraph.h"

#include "CUDAStream.h"

using namespace tandem;
using namespace tandem::cuda;

/// CU_STREAM_CAPTURE_MODE_THREAD_LOCAL: other threads may allocate and wait
/// meanwhile.
static constexpr int kThreadLocal = 1;
/// CU_STREAM_CAPTURE_STATUS_ACTIVE.
static constexpr int kActive = 1;

bool cuda::canCapture(const Driver &driver) {
  return driver.streamBeginCapture && driver.streamEndCapture &&
         driver.streamGetCaptureInfo && driver.graphDestroy &&
         driver.graphInstantiate && driver.graphExecDestroy &&
         driver.graphExecUpdate && driver.graphExecKernelNodeSetParams &&
         driver.graphLaunch;
}

//===----------------------------------------------------------------------===//
// Recording
//===----------------------------------------------------------------------===//

Expected<void *> CapturedMemory::allocate(int64_t bytes) {
  if (isInUse || bytes > std::ssize(block))
    return fail("allocate", "a step that is captured allocates " +
                                std::to_string(bytes) +
                                " bytes beside its workspace");
  isInUse = true;
  return block.data();
}

void CapturedMemory::deallocate(void *, int64_t) { isInUse = false; }

Status Recording::begin(StreamHandle stream) {
  return context.check(
      context.driver().streamBeginCapture(stream, kThreadLocal), "execute",
      "cuStreamBeginCapture");
}

Expected<GraphHandle> Recording::end(StreamHandle stream) {
  GraphHandle graph = nullptr;
  TANDEM_RETURN_IF_ERROR(
      context.check(context.driver().streamEndCapture(stream, &graph),
                    "execute", "cuStreamEndCapture"));
  return graph;
}

Status Recording::addKernel(const KernelLaunch &launch, StreamHandle stream) {
  int status = 0;
  const GraphNodeHandle *nodes = nullptr;
  const CUgraphEdgeData_st *edges = nullptr;
  size_t numNodes = 0;
  TANDEM_RETURN_IF_ERROR(context.check(
      context.driver().streamGetCaptureInfo(stream, &status, nullptr, nullptr,
                                            &nodes, &edges, &numNodes),
      "execute", "cuStreamGetCaptureInfo"));
  if (status != kActive || numNodes != 1)
    return fail("execute", "a kernel that is captured is no node of its own");
  kernels.push_back({nodes[0], launch});
  return {};
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

Expected<std::unique_ptr<CapturedGraph>>
CapturedGraph::create(Context &context, GraphHandle graph,
                      std::vector<KernelNode> kernels, std::string title) {
  std::unique_ptr<CapturedGraph> made(new CapturedGraph(context, graph));
  TANDEM_RETURN_IF_ERROR(context.check(
      context.driver().graphInstantiate(&made->executable, graph, 0), "execute",
      "cuGraphInstantiate"));
  made->kernels = std::move(kernels);
  made->title = std::move(title);
  return made;
}

CapturedGraph::~CapturedGraph() {
  // The driver keeps what is in flight until it is done.
  if (!context.enter())
    return;
  if (executable)
    context.driver().graphExecDestroy(executable);
  context.driver().graphDestroy(graph);
}

Status CapturedGraph::launch(Stream &stream) {
  return static_cast<CUDAStream &>(stream).enqueue(
      title, [&](const Driver &driver, StreamHandle handle) {
        return driver.graphLaunch(executable, handle);
      });
}

Status CapturedGraph::setArguments(size_t number, std::span<void *const> args) {
  TANDEM_RETURN_IF_ERROR(context.enter());
  const KernelNode &kernel = kernels[number];
  ParameterBuffer buffer(args);
  KernelNodeParams params;
  params.function = kernel.launch.function;
  params.gridX = kernel.launch.blocks;
  params.blockX = kernel.launch.threads.x();
  params.blockY = kernel.launch.threads.y();
  params.blockZ = kernel.launch.threads.z();
  params.extra = buffer.extra();
  return context.check(context.driver().graphExecKernelNodeSetParams(
                           executable, kernel.node, &params),
                       "execute", "cuGraphExecKernelNodeSetParams");
}

bool CapturedGraph::update(GraphHandle other) {
  GraphUpdateInfo info = {};
  return context.enter() &&
         context.driver().graphExecUpdate(executable, other, &info) == kSuccess;
}
