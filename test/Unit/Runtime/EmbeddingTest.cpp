//===- EmbeddingTest.cpp - What a host program sees of threads ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Sanitizers.h"
#include "TestPrograms.h"

#include "tandem/Runtime/Compare.h"
#include "tandem/Runtime/Executor.h"

#include <atomic>
#include <cerrno>
#include <cmath>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tandem;
using namespace tandem::test;

#if !TANDEM_UNDER_ASAN && !TANDEM_UNDER_TSAN
#define TANDEM_CAN_REFUSE_THREADS 1

static std::atomic<bool> refusesThreads{false};
static std::atomic<int> numRefused{0};

/// Comes before libc's for every library of the process.
extern "C" int pthread_create(pthread_t *thread, const pthread_attr_t *attr,
                              void *(*body)(void *), void *data) noexcept {
  if (refusesThreads) {
    ++numRefused;
    return EAGAIN;
  }
  using Create =
      int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
  static const auto next =
      reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  return next(thread, attr, body, data);
}
#endif

namespace {

/// A matrix product by oneDNN and an elementwise op by oneTBB, both of a size
/// that several threads share.
class Work {
public:
  Work() {
    TensorType matrix{DType::f32, {512, 512}};
    ProgramBuilder builder;
    uint32_t x = builder.input(matrix);
    uint32_t product =
        builder.op(makeOp(OpKind::matmul, fb::MatmulAttrsT()), {x, x}, matrix);
    executor = *Executor::create(
        builder.finish({builder.op(makeOp(OpKind::exp), {product}, matrix)}));
    input = *Tensor::allocate(matrix);
    fillRandom(input, /*seed=*/1);
  }
  /// Whether the product is right, by one of its elements.
  bool run() {
    std::vector<Tensor> outputs;
    if (!executor->run({&input, 1}, outputs))
      return false;
    double sum = 0;
    for (int i = 0; i < 512; ++i)
      sum += double(input.as<float>()[i]) * input.as<float>()[i * 512];
    return std::abs(outputs[0].as<float>()[0] / std::exp(sum) - 1) < 1e-3;
  }

private:
  std::unique_ptr<Executor> executor;
  Tensor input;
};

/// The CPU time of the whole process, in milliseconds.
double cpuMs() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  auto ms = [](const timeval &time) {
    return double(time.tv_sec) * 1e3 + double(time.tv_usec) / 1e3;
  };
  return ms(usage.ru_utime) + ms(usage.ru_stime);
}

TEST(Embedding, IdleWorkersDoNotSpin) {
  if (numThreads() == 1)
    GTEST_SKIP() << "one thread has no workers";
  Work work;
  ASSERT_TRUE(work.run());
  constexpr int kRuns = 20;
  double idle = 0;
  for (int i = 0; i < kRuns; ++i) {
    ASSERT_TRUE(work.run());
    double before = cpuMs();
    usleep(30000);
    idle += cpuMs() - before;
  }
  // By default libgomp's workers take milliseconds each time.
  EXPECT_LT(idle / kRuns, 1) << "ms of idle workers after a run";
}

/// Whether `work` and a graph that is new run in a forked child.
bool runsInChild(Work &work) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60); // Ends it where it hangs.
    Work own;
    bool isRight = work.run() && own.run();
    setNumThreads(4);
    _exit(isRight && work.run() && own.run() && numThreads() == 4 ? 0 : 1);
  }
  int status = 1;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

TEST(Embedding, AChildThatIsForkedRuns) {
  Work work;
  ASSERT_TRUE(work.run());
  EXPECT_TRUE(runsInChild(work));
  EXPECT_TRUE(work.run());
}

/// Other threads of the program use oneTBB while it forks. They do not exist in
/// the child, which must not wait for a lock that one of them held.
TEST(Embedding, AChildNeedsNoLockOfOtherThreads) {
  Work work;
  ASSERT_TRUE(work.run());
  std::atomic<bool> isDone{false};
  auto spin = [&] {
    while (!isDone)
      tbb::task_arena(2).execute([] { tbb::parallel_for(0, 64, [](int) {}); });
  };
  std::thread first(spin), second(spin);
  for (int i = 0; i < 20; ++i)
    EXPECT_TRUE(runsInChild(work));
  isDone = true;
  first.join();
  second.join();
}

/// oneDNN's library stands for that of a program: both use the same OpenMP.
/// Only another process can share it, as sharing does not end.
TEST(EmbeddingDeathTest, SharesTheProgramsOpenMP) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto runShared = [] {
    Work before;
    bool isRight = before.run() && !shareOpenMP("libc.so.6") &&
                   !shareOpenMP("libmissing.so");
    const bool isShared = shareOpenMP("libdnnl.so.2");
    Work work;
    isRight = isRight && work.run() && before.run();
    runOnOneThread([&] { isRight = isRight && work.run(); });
    setNumThreads(3); // More than processors, or fewer.
    std::thread other([&] { isRight = isRight && work.run(); });
    other.join();
    _exit(isRight && isShared && runsInChild(work) && work.run() ? 0 : 1);
  };
  EXPECT_EXIT(runShared(), testing::ExitedWithCode(0), "");
}

#ifdef TANDEM_CAN_REFUSE_THREADS
/// In a process that has not started any yet.
TEST(EmbeddingDeathTest, WithoutThreadsOneDoesAll) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto runRefused = [] {
    refusesThreads = true;
    Work work;
    bool isRight = work.run() && work.run() && numThreads() == 1;
    setNumThreads(2);
    isRight = isRight && work.run() && numThreads() == 1;
    _exit(isRight && numRefused > 0 ? 0 : 1);
  };
  if (std::thread::hardware_concurrency() == 1)
    GTEST_SKIP() << "one thread starts no others";
  EXPECT_EXIT(runRefused(), testing::ExitedWithCode(0), "");
}
#endif

} // namespace
