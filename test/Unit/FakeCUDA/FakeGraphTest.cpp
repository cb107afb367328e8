//===- FakeGraphTest.cpp - Capture and graphs of the fake driver ----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeFixture.h"

#include <set>
#include <thread>

using namespace tandem;
using namespace tandem::test;
using cuda::GraphExecHandle;
using cuda::GraphHandle;
using cuda::GraphNodeHandle;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// The numbers of CUresult.
enum : cuda::Result {
  kInvalidValue = 1,
  kIllegalState = 401,
  kCaptureUnsupported = 900,
  kCaptureInvalidated = 901,
  kCaptureUnmatched = 903,
  kCaptureUnjoined = 904,
  kCaptureIsolation = 905,
  kCapturedEvent = 907,
  kCaptureWrongThread = 908,
  kGraphExecUpdateFailure = 910,
};
enum : int { kGlobal, kThreadLocal, kRelaxed };

constexpr const char *kAddTo =
    "extern \"C\" __global__ void k(const int* in, int* out) { *out += *in; }";

/// A kernel that adds what one int has to another.
class FakeGraphTest : public FakeTest {
protected:
  FakeGraphTest() : add(load(kAddTo)) {
    for (DevicePointer &pointer : memory)
      pointer = allocate(4);
  }
  ~FakeGraphTest() override {
    fake.hold(false);
    driver.ctxSynchronize();
    for (DevicePointer pointer : memory)
      if (pointer)
        driver.memFree(pointer);
    driver.moduleUnload(module);
    EXPECT_EQ(fake.liveGraphs(), 0);
  }

  void write(DevicePointer to, int value) {
    int *pinned = pin<int>(1);
    *pinned = value;
    driver.memcpyHtoDAsync(to, pinned, 4, stream);
    driver.streamSynchronize(stream);
    driver.memFreeHost(pinned);
  }
  void begin(int mode = kThreadLocal) {
    EXPECT_EQ(driver.streamBeginCapture(stream, mode), kSuccess);
  }
  GraphHandle end(cuda::Result expected = kSuccess) {
    GraphHandle graph = nullptr;
    EXPECT_EQ(driver.streamEndCapture(stream, &graph), expected);
    return graph;
  }
  GraphExecHandle instantiate(GraphHandle graph) {
    GraphExecHandle executable = nullptr;
    EXPECT_EQ(driver.graphInstantiate(&executable, graph, 0), kSuccess);
    return executable;
  }
  void destroy(GraphHandle graph, GraphExecHandle executable = nullptr) {
    if (executable)
      driver.graphExecDestroy(executable);
    driver.graphDestroy(graph);
  }
  /// The node that the stream has captured last.
  GraphNodeHandle lastNode() {
    int status = 0;
    const GraphNodeHandle *nodes = nullptr;
    const CUgraphEdgeData_st *edges = nullptr;
    size_t count = 0;
    EXPECT_EQ(driver.streamGetCaptureInfo(stream, &status, nullptr, nullptr,
                                          &nodes, &edges, &count),
              kSuccess);
    EXPECT_EQ(status, 1);
    EXPECT_EQ(count, 1);
    return count == 1 ? nodes[0] : nullptr;
  }

  const cuda::FunctionHandle add;
  DevicePointer memory[3];
};

TEST_F(FakeGraphTest, WhatIsCapturedRunsWhenItIsLaunched) {
  for (int i = 0; i < 3; ++i)
    write(memory[i], 1);
  begin();
  ASSERT_EQ(launch(add, 1, 1, {memory[0], memory[1]}), kSuccess);
  ASSERT_EQ(launch(add, 1, 1, {memory[1], memory[2]}), kSuccess);
  GraphHandle graph = end();
  EXPECT_THAT(read<int>(memory[2], 1), ElementsAre(1));
  GraphExecHandle executable = instantiate(graph);
  ASSERT_EQ(driver.graphLaunch(executable, stream), kSuccess);
  EXPECT_THAT(read<int>(memory[2], 1), ElementsAre(3));
  // Also after whatever the stream has done before it, and on another one.
  write(memory[0], 10);
  ASSERT_EQ(driver.graphLaunch(executable, stream), kSuccess);
  ASSERT_EQ(driver.graphLaunch(executable, other), kSuccess);
  driver.ctxSynchronize();
  EXPECT_THAT(read<int>(memory[2], 1), ElementsAre(3 + 12 + 22));
  destroy(graph, executable);
}

/// Two nodes, forked by events, in the order that a seed decides.
TEST_F(FakeGraphTest, NodesRunInAnyLegalOrder) {
  cuda::ModuleHandle first = module;
  auto now = load("__device__ int now; extern \"C\" __global__ "
                  "void k(int* out) { *out = now++; }");
  cuda::EventHandle forked = nullptr, joined = nullptr;
  driver.eventCreate(&forked, 2);
  driver.eventCreate(&joined, 2);
  begin();
  driver.eventRecord(forked, stream);
  driver.streamWaitEvent(other, forked, 0);
  ASSERT_EQ(launch(now, 1, 1, {memory[0]}), kSuccess);
  ASSERT_EQ(launch(now, 1, 1, {memory[1]}, other), kSuccess);
  driver.eventRecord(joined, other);
  EXPECT_EQ(driver.eventQuery(joined), kCapturedEvent);
  driver.streamWaitEvent(stream, joined, 0);
  ASSERT_EQ(launch(now, 1, 1, {memory[2]}), kSuccess);
  GraphHandle graph = end();
  GraphExecHandle executable = instantiate(graph);
  std::set<bool> orders;
  for (int run = 0; run < 20; ++run) {
    ASSERT_EQ(driver.graphLaunch(executable, stream), kSuccess);
    const int a = read<int>(memory[0], 1)[0], b = read<int>(memory[1], 1)[0];
    orders.insert(a < b);
    EXPECT_GT(read<int>(memory[2], 1)[0], std::max(a, b));
  }
  EXPECT_EQ(orders.size(), 2);
  destroy(graph, executable);
  driver.eventDestroy(forked);
  driver.eventDestroy(joined);
  driver.moduleUnload(module);
  module = first;
}

TEST_F(FakeGraphTest, NodesThatNothingOrdersAreReported) {
  cuda::EventHandle forked = nullptr, joined = nullptr;
  driver.eventCreate(&forked, 2);
  driver.eventCreate(&joined, 2);
  begin();
  driver.eventRecord(forked, stream);
  driver.streamWaitEvent(other, forked, 0);
  ASSERT_EQ(launch(add, 1, 1, {memory[0], memory[1]}), kSuccess);
  ASSERT_EQ(launch(add, 1, 1, {memory[2], memory[1]}, other), kSuccess);
  driver.eventRecord(joined, other);
  driver.streamWaitEvent(stream, joined, 0);
  GraphHandle graph = end();
  GraphExecHandle executable = instantiate(graph);
  EXPECT_THAT(reports(), HasSubstr("with nothing that orders the two"));
  destroy(graph, executable);
  driver.eventDestroy(forked);
  driver.eventDestroy(joined);
}

TEST_F(FakeGraphTest, WhatIsNotSafeIsRefusedAndEndsTheCapture) {
  const std::function<cuda::Result()> calls[] = {
      [&] { return driver.streamSynchronize(stream); },
      [&] { return driver.streamSynchronize(other); },
      [&] { return driver.ctxSynchronize(); },
      [&] { return driver.memFree(memory[0]); },
      [&] {
        DevicePointer pointer = 0;
        return driver.memAlloc(&pointer, 4);
      },
      [&] {
        void *pointer = nullptr;
        return driver.memHostAlloc(&pointer, 4, 0);
      },
      [&] { // Memory that is not pinned.
        int value = 1;
        return driver.memcpyHtoDAsync(memory[0], &value, 4, stream);
      }};
  for (const auto &call : calls) {
    begin();
    EXPECT_EQ(call(), kCaptureUnsupported);
    EXPECT_EQ(launch(add, 1, 1, {memory[0], memory[1]}), kCaptureInvalidated);
    EXPECT_EQ(end(kCaptureInvalidated), nullptr);
  }
}

TEST_F(FakeGraphTest, OtherThreadsAreFreeUnlessTheCaptureIsGlobal) {
  auto allocateInAThread = [&] {
    cuda::Result result = kSuccess;
    std::thread([&] {
      driver.ctxSetCurrent(context);
      DevicePointer pointer = 0;
      result = driver.memAlloc(&pointer, 4);
      if (result == kSuccess)
        driver.memFree(pointer);
    }).join();
    return result;
  };
  begin(kThreadLocal);
  EXPECT_EQ(allocateInAThread(), kSuccess);
  destroy(end());
  begin(kGlobal);
  EXPECT_EQ(allocateInAThread(), kCaptureUnsupported);
  end(kCaptureInvalidated);
  begin(kRelaxed);
  DevicePointer pointer = allocate(4);
  driver.memFree(pointer);
  destroy(end());
}

TEST_F(FakeGraphTest, ACaptureEndsWhereItBegan) {
  GraphHandle graph = nullptr;
  EXPECT_EQ(driver.streamEndCapture(stream, &graph), kIllegalState);
  cuda::EventHandle event = nullptr;
  driver.eventCreate(&event, 2);
  begin();
  EXPECT_EQ(driver.streamBeginCapture(stream, kThreadLocal), kIllegalState);
  std::thread([&] {
    driver.ctxSetCurrent(context);
    EXPECT_EQ(driver.streamEndCapture(stream, &graph), kCaptureWrongThread);
  }).join();
  // What another stream has joined in is not finished.
  driver.eventRecord(event, stream);
  driver.streamWaitEvent(other, event, 0);
  ASSERT_EQ(launch(add, 1, 1, {memory[0], memory[1]}, other), kSuccess);
  EXPECT_EQ(driver.streamEndCapture(other, &graph), kCaptureUnmatched);
  end(kCaptureUnjoined);
  // Nothing of before can be waited for within it.
  driver.eventRecord(event, other);
  begin();
  EXPECT_EQ(driver.streamWaitEvent(stream, event, 0), kCaptureIsolation);
  end(kCaptureInvalidated);
  driver.eventDestroy(event);
}

TEST_F(FakeGraphTest, UpdatesTakeArgumentsAlone) {
  write(memory[0], 1);
  write(memory[1], 1);
  write(memory[2], 1);
  auto capture = [&](std::vector<DevicePointer> args, int times) {
    begin();
    for (int i = 0; i < times; ++i)
      EXPECT_EQ(launch(add, 1, 1, args), kSuccess);
    return end();
  };
  GraphHandle first = capture({memory[0], memory[1]}, 1),
              second = capture({memory[0], memory[2]}, 1),
              longer = capture({memory[0], memory[2]}, 2);
  GraphExecHandle executable = instantiate(first);
  cuda::GraphUpdateInfo info = {};
  EXPECT_EQ(driver.graphExecUpdate(executable, second, &info), kSuccess);
  driver.graphLaunch(executable, stream);
  EXPECT_THAT(read<int>(memory[1], 1), ElementsAre(1));
  EXPECT_THAT(read<int>(memory[2], 1), ElementsAre(2));
  EXPECT_EQ(driver.graphExecUpdate(executable, longer, &info),
            kGraphExecUpdateFailure);
  EXPECT_NE(info.result, 0);
  destroy(first, executable);
  destroy(second);
  destroy(longer);
}

TEST_F(FakeGraphTest, AKernelGetsOtherArguments) {
  write(memory[0], 1);
  write(memory[1], 1);
  write(memory[2], 1);
  begin();
  ASSERT_EQ(launch(add, 1, 1, {memory[0], memory[1]}), kSuccess);
  GraphNodeHandle node = lastNode();
  GraphHandle graph = end();
  GraphExecHandle executable = instantiate(graph);
  cuda::KernelNodeParams params;
  params.function = add;
  void *args[] = {&memory[0], &memory[2]};
  params.parameters = args;
  // What is in flight keeps what it had.
  fake.hold(true);
  ASSERT_EQ(driver.graphLaunch(executable, stream), kSuccess);
  ASSERT_EQ(driver.graphExecKernelNodeSetParams(executable, node, &params),
            kSuccess);
  ASSERT_EQ(driver.graphLaunch(executable, stream), kSuccess);
  // And what is destroyed is still done.
  driver.graphExecDestroy(executable);
  fake.hold(false);
  EXPECT_THAT(read<int>(memory[1], 1), ElementsAre(2));
  EXPECT_THAT(read<int>(memory[2], 1), ElementsAre(2));
  executable = instantiate(graph);
  auto *another = reinterpret_cast<GraphNodeHandle>(&params);
  EXPECT_EQ(driver.graphExecKernelNodeSetParams(executable, another, &params),
            kInvalidValue);
  destroy(graph, executable);
}

TEST_F(FakeGraphTest, WhatGoesBeforeALaunchIsReported) {
  begin();
  ASSERT_EQ(launch(add, 1, 1, {memory[0], memory[1]}), kSuccess);
  GraphHandle graph = end();
  GraphExecHandle executable = instantiate(graph);
  driver.memFree(std::exchange(memory[1], 0));
  EXPECT_EQ(driver.graphLaunch(executable, stream), kInvalidValue);
  EXPECT_THAT(reports(), HasSubstr("memory that was freed after its capture"));
  destroy(graph, executable);
}

TEST_F(FakeGraphTest, CodeThatGoesBeforeALaunchIsReported) {
  cuda::ModuleHandle first = module;
  auto once = load("extern \"C\" __global__ void k(int* out) { *out = 2; }");
  begin();
  ASSERT_EQ(launch(once, 1, 1, {memory[0]}), kSuccess);
  GraphHandle graph = end();
  GraphExecHandle executable = instantiate(graph);
  driver.moduleUnload(module);
  module = first;
  EXPECT_EQ(driver.graphLaunch(executable, stream), kInvalidValue);
  EXPECT_THAT(reports(), HasSubstr("code that was unloaded after its capture"));
  destroy(graph, executable);
}

TEST_F(FakeGraphTest, UsesOfALaunchAreOrderedLikeOthers) {
  begin();
  ASSERT_EQ(launch(add, 1, 1, {memory[0], memory[1]}), kSuccess);
  GraphHandle graph = end();
  GraphExecHandle executable = instantiate(graph);
  fake.hold(true);
  driver.graphLaunch(executable, stream);
  ASSERT_EQ(launch(add, 1, 1, {memory[1], memory[2]}, other), kSuccess);
  EXPECT_THAT(reports(), AllOf(HasSubstr("reads memory that a graph"),
                               HasSubstr("with nothing that orders the two")));
  fake.hold(false);
  driver.ctxSynchronize();
  destroy(graph, executable);
}

} // namespace
