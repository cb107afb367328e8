//===- WorkspaceTest.cpp - Memory that kernels' tasks are given -----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExecutorFixture.h"

#include "tandem/Runtime/Kernels/HostKernel.h"

#include <gmock/gmock.h>
#include <oneapi/tbb/parallel_for.h>

#include <thread>

using namespace tandem;
using namespace tandem::test;
using testing::HasSubstr;

namespace {

constexpr int64_t kWorkspace = 1024;
constexpr int64_t kWords = kWorkspace / sizeof(uint64_t);

/// Workspaces that were not their call's alone, or not aligned.
std::atomic<int> violations{0};

/// args: out. Signs its workspace, does something else for a while, and counts
/// in out the iterations that it ran.
void signWorkspace(void *const *args, const int64_t *sizes, void *workspace,
                   int64_t begin, int64_t end) {
  static std::atomic<uint64_t> calls{0};
  uint64_t signature = ++calls;
  auto *words = static_cast<volatile uint64_t *>(workspace);
  if (sizes || reinterpret_cast<uintptr_t>(workspace) % kWorkspaceAlignment)
    ++violations;
  for (int64_t i = 0; i < kWords; ++i)
    words[i] = signature;
  std::this_thread::yield();
  auto *out = static_cast<float *>(args[0]);
  for (int64_t i = begin; i < end; ++i)
    out[i] = 1;
  for (int64_t i = 0; i < kWords; ++i)
    if (words[i] != signature)
      ++violations;
}

class WorkspaceTest : public ExecutorTest {
protected:
  void SetUp() override { violations = 0; }
  void TearDown() override { setNumThreads(2); }

  std::shared_ptr<const Program> signing(int64_t extent, int64_t grain) {
    ProgramBuilder builder;
    int kernel = builder.kernel(extent, grain);
    builder.program.kernels[kernel]->workspace = kWorkspace;
    return builder.finish({builder.launch(kernel, {}, vec(extent))});
  }
};

TEST_F(WorkspaceTest, EachTaskHasItsOwn) {
  auto executor = create(signing(500, 1), fakeKernels({signWorkspace}));
  auto work = [&] {
    std::vector<Tensor> results;
    for (int i = 0; i < 50; ++i) {
      ASSERT_TRUE(executor->run({}, results));
      EXPECT_EQ(floats(results[0]), std::vector<float>(500, 1.0F));
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back(work);
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(violations, 0);
}

/// A thread may run a launch within a task, and wait there.
TEST_F(WorkspaceTest, LaunchesWithinTasks) {
  auto executor = create(signing(64, 1), fakeKernels({signWorkspace}));
  oneapi::tbb::parallel_for(0, 64, [&](int) {
    std::vector<Tensor> results;
    ASSERT_TRUE(executor->run({}, results));
    EXPECT_EQ(floats(results[0]), std::vector<float>(64, 1.0F));
  });
  EXPECT_EQ(violations, 0);
}

TEST_F(WorkspaceTest, PlannedPeakIsTheRealOne) {
  auto executor = create(signing(64, 1), fakeKernels({signWorkspace}));
  for (int threads : {1, 2}) {
    setNumThreads(threads);
    int64_t expected = 256 + numThreads() * kWorkspace, peak = 0;
    EXPECT_EQ(executor->plannedPeakBytes(), expected);
    ASSERT_TRUE(executor->run({}, outputs, &peak));
    EXPECT_EQ(peak, expected);
  }
}

TEST_F(WorkspaceTest, NoMoreTasksThanGrains) {
  fb::KernelT kernel;
  kernel.extent = 65;
  kernel.grain = 64;
  setNumThreads(2);
  EXPECT_EQ(numTasks(kernel), std::min(2, numThreads()));
  kernel.extent = 64;
  EXPECT_EQ(numTasks(kernel), 1);
  kernel.extent = 0;
  EXPECT_EQ(numTasks(kernel), 1);
  const HostKernel loaded(signWorkspace);
  EXPECT_EQ(loaded.workspaceBytes(kernel), 0);
  kernel.workspace = kWorkspace;
  EXPECT_EQ(loaded.workspaceBytes(kernel), kWorkspace);
}

TEST_F(WorkspaceTest, NoMemoryIsAnError) {
  ProgramBuilder builder;
  int kernel = builder.kernel(64, 1);
  builder.program.kernels[kernel]->workspace = kMaxWorkspaceBytes;
  auto program = builder.finish({builder.launch(kernel, {}, vec(64))});
  struct NoMemory final : Allocator {
    Expected<void *> allocate(int64_t bytes) override {
      if (bytes >= kMaxWorkspaceBytes)
        return fail("allocate", "no memory left");
      return cachingAllocator().allocate(bytes);
    }
    void deallocate(void *pointer, int64_t bytes) override {
      cachingAllocator().deallocate(pointer, bytes);
    }
  } allocator;
  ExecutorOptions options;
  options.kernels = fakeKernels({signWorkspace});
  auto stream = createHostStream(allocator);
  options.stream = stream.get();
  auto executor = Executor::create(program, options);
  ASSERT_TRUE(executor) << executor.error().str();
  Status status = (*executor)->run({}, outputs);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().str(), HasSubstr("no memory left"));
}

TEST_F(WorkspaceTest, VerifierRefusesNonsense) {
  auto verifyKernel = [](int64_t workspace, int64_t frame) {
    ProgramBuilder builder;
    int kernel = builder.kernel(64, 1);
    builder.program.kernels[kernel]->workspace = workspace;
    builder.program.kernels[kernel]->frame = frame;
    Status status =
        verify(*builder.finish({builder.launch(kernel, {}, vec(64))}));
    return status ? std::string() : status.error().str();
  };
  EXPECT_EQ(verifyKernel(kWorkspace, kMaxFrameBytes), "");
  for (int64_t bytes : {int64_t(-64), int64_t(100), kMaxWorkspaceBytes + 64})
    EXPECT_THAT(verifyKernel(bytes, 0), HasSubstr("workspace of"));
  EXPECT_THAT(verifyKernel(0, kMaxFrameBytes + 8), HasSubstr("frame of"));
  EXPECT_THAT(verifyKernel(0, -8), HasSubstr("frame of"));
}

} // namespace
