//===- ProcessEndTest.cpp - The process ends while it compiles ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session/WarmUpThread.h"

#include "tandem/Tandem.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tandem;

namespace {

constexpr const char *kGraph = R"(
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = tandem.relu %x : tensor<?xf32>
  %1 = tandem.exp %0 : tensor<?xf32>
  return %1 : tensor<?xf32>
}
)";

/// Begins to compile for several shapes in the background, and ends the process
/// a moment later. The function is alive then, as one with static storage is.
[[noreturn]] void endWhileCompiling(std::chrono::milliseconds moment) {
  auto graph = Graph::parseString(kGraph);
  auto function = graph ? (*graph)->createFunction()
                        : tl::unexpected(std::move(graph.error()));
  if (!function)
    std::exit(2);
  static Function *kept = function->release();
  std::vector<std::vector<TensorType>> signatures;
  for (int64_t size : {8, 16, 24, 32, 40, 48})
    signatures.push_back({TensorType{DType::f32, {size}}});
  setCompileThreads(2);
  if (!kept->compileAhead(signatures))
    std::exit(3);
  std::this_thread::sleep_for(moment);
  std::exit(0);
}

TEST(ProcessEnd, CompilationsInTheBackgroundDoNotOutliveWhatTheyUse) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (int ms = 0; ms < 60; ms += 4)
    EXPECT_EXIT(endWhileCompiling(std::chrono::milliseconds(ms)),
                testing::ExitedWithCode(0), "")
        << ms << " ms";
}

/// A target that takes its time to get warm.
class SlowTarget final : public Target {
public:
  llvm::StringRef name() const override { return "slow"; }
  llvm::StringRef description() const override { return ""; }
  Expected<Device *> device() const override {
    return fail("test", "there is no device");
  }
  void addKernelPasses(mlir::OpPassManager &,
                       const PipelineOptions &) const override {}
  llvm::StringRef kernelPhase() const override { return ""; }
  void registerDialects(mlir::DialectRegistry &) const override {}
  Expected<fb::KernelT> compile(mlir::ModuleOp, const std::string &,
                                PhaseTimes &) const override {
    return fail("test", "it compiles nothing");
  }
  void warmUp() const override {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    isWarm = true;
  }
  mutable std::atomic<bool> isWarm{false};
};

/// Ends the process while a thread that nobody destroys warms a target up. The
/// exit code tells whether it ran on while static objects were destroyed.
[[noreturn]] void endWhileWarmingUp() {
  static auto *target = new SlowTarget;
  std::atexit([] { _exit(target->isWarm ? 0 : 1); });
  WarmUpThread::prepare();
  (new WarmUpThread)->start(*target);
  std::exit(2);
}

TEST(ProcessEnd, WarmUpThreadsDoNotOutliveWhatTheyUse) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(endWhileWarmingUp(), testing::ExitedWithCode(0), "");
}

/// Forks while a thread warms a target up: locks that it held would never be
/// released in the child.
[[noreturn]] void forkWhileWarmingUp() {
  static SlowTarget target;
  WarmUpThread::prepare();
  WarmUpThread thread;
  thread.start(target);
  const pid_t child = fork();
  if (child == 0)
    _exit(target.isWarm ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 2);
}

TEST(ProcessEnd, WarmUpThreadsEndBeforeAFork) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(forkWhileWarmingUp(), testing::ExitedWithCode(0), "");
}

} // namespace
