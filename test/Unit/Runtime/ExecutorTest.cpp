//===- ExecutorTest.cpp - Running Programs --------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExecutorFixture.h"

#include "tandem/Runtime/Program/Preparation.h"

#include <gmock/gmock.h>

#include <atomic>
#include <condition_variable>
#include <thread>

using namespace tandem;
using namespace tandem::test;
using testing::ElementsAre;

namespace {

//===----------------------------------------------------------------------===//
// Eager
//===----------------------------------------------------------------------===//

TEST_F(ExecutorTest, RunsAChainOfOps) {
  auto executor = create(chain());
  Tensor inputs[] = {makeFloats({3}), makeFloats({3}, 10)};
  ASSERT_TRUE(executor->run(inputs, outputs));
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_EQ(outputs[0].type(), vec(3));
  EXPECT_THAT(floats(outputs[0]), ElementsAre(10, 13, 16));
}

TEST_F(ExecutorTest, PreparesOncePerSignature) {
  auto executor = create(chain());
  for (int64_t size : {3, 3, 5, 3, 5}) {
    Tensor inputs[] = {makeFloats({size}), makeFloats({size})};
    ASSERT_TRUE(executor->run(inputs, outputs));
    EXPECT_EQ(outputs[0].type(), vec(size));
  }
  EXPECT_EQ(fake.prepares, 4); // two steps, two signatures
  ASSERT_TRUE(stream->synchronize());
  EXPECT_EQ(fake.runs, 10);
}

TEST_F(ExecutorTest, ForgetsOldSignaturesBeforeThereAreTooMany) {
  auto executor = create(chain());
  for (int64_t size = 1; size <= 700; ++size) {
    Tensor inputs[] = {makeFloats({size}), makeFloats({size})};
    ASSERT_TRUE(executor->run(inputs, outputs));
    ASSERT_EQ(floats(outputs[0])[size - 1], 3.0f * (size - 1));
  }
  fake.prepares = 0;
  Tensor inputs[] = {makeFloats({1}), makeFloats({1})};
  ASSERT_TRUE(executor->run(inputs, outputs));
  EXPECT_EQ(fake.prepares, 2);
}

TEST_F(ExecutorTest, KeepsSignaturesThatComeAgain) {
  auto executor = create(chain());
  auto run = [&](int64_t size) {
    Tensor inputs[] = {makeFloats({size}), makeFloats({size})};
    ASSERT_TRUE(executor->run(inputs, outputs));
  };
  for (int64_t size = 1; size <= 1500; ++size) {
    run(size);
    if (size % 100 == 0)
      run(1);
  }
  fake.prepares = 0;
  run(1);
  EXPECT_EQ(fake.prepares, 0);
}

TEST_F(ExecutorTest, EachCallHasFreshOutputs) {
  auto executor = create(chain());
  Tensor inputs[] = {makeFloats({2}), makeFloats({2})};
  ASSERT_TRUE(executor->run(inputs, outputs));
  Tensor first = outputs[0];
  inputs[0] = makeFloats({2}, 100);
  ASSERT_TRUE(executor->run(inputs, outputs));
  EXPECT_NE(first.data(), outputs[0].data());
  EXPECT_THAT(floats(first), ElementsAre(0, 3));
}

TEST_F(ExecutorTest, OutputsMayBeTheInputsOfTheNextCall) {
  auto executor = create(chain());
  outputs = {makeFloats({2}), makeFloats({2})};
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(executor->run(outputs, outputs));
    outputs.push_back(outputs[0]);
  }
  EXPECT_THAT(floats(outputs[0]), ElementsAre(0, 27));
}

TEST_F(ExecutorTest, FreesIntermediatesAtTheirLastUse) {
  ProgramBuilder builder;
  uint32_t x = builder.input(vec(kDynamic)), value = x;
  for (int i = 0; i < 6; ++i)
    value = builder.op(makeOp(OpKind::add), {value, x}, vec(kDynamic));
  auto executor = create(builder.finish({value}));
  constexpr int64_t kSize = 1 << 16, kBytes = kSize * sizeof(float);
  Tensor inputs[] = {makeFloats({kSize})};
  Allocator &allocator = stream->allocator();
  int64_t before = allocator.liveBytes(), peakBytes = 0;
  for (int i = 0; i < 2; ++i) { // The outputs of the first call do not count.
    ASSERT_TRUE(executor->run(inputs, outputs, &peakBytes));
    EXPECT_EQ(peakBytes, 2 * kBytes);
  }
  EXPECT_EQ(allocator.liveBytes() - before, kBytes);
  EXPECT_EQ(executor->plannedPeakBytes(), std::nullopt);
}

TEST_F(ExecutorTest, ReshapeIsAView) {
  ProgramBuilder builder;
  uint32_t x = builder.input(vec(6));
  fb::ReshapeAttrsT attrs;
  attrs.shape = {2, -1};
  TensorType matrix{DType::f32, {2, 3}};
  auto executor = create(builder.finish(
      {builder.op(makeOp(OpKind::reshape, attrs), {x}, matrix)}));
  Tensor inputs[] = {makeFloats({6})};
  ASSERT_TRUE(executor->run(inputs, outputs));
  EXPECT_EQ(outputs[0].type(), matrix);
  EXPECT_EQ(outputs[0].data(), inputs[0].data());
}

TEST_F(ExecutorTest, ConstantsAndInputsCanBeOutputs) {
  ProgramBuilder builder;
  uint32_t x = builder.input(vec(2));
  uint32_t c = builder.constant(vec(2), {7, 8});
  uint32_t sum = builder.op(makeOp(OpKind::add), {x, c}, vec(2));
  auto executor = create(builder.finish({x, c, sum, sum}));
  Tensor inputs[] = {makeFloats({2})};
  ASSERT_TRUE(executor->run(inputs, outputs));
  ASSERT_EQ(outputs.size(), 4u);
  EXPECT_EQ(outputs[0].data(), inputs[0].data());
  EXPECT_THAT(floats(outputs[1]), ElementsAre(7, 8));
  EXPECT_THAT(floats(outputs[2]), ElementsAre(7, 9));
  EXPECT_EQ(outputs[2].data(), outputs[3].data());
}

/// Makes nothing ready before two ops are being made ready at a time.
struct SlowToWarmUp final : Provider {
  std::string_view name() const override { return "slow"; }
  Expected<std::unique_ptr<PreparedOp>>
  prepare(const OpSignature &) const override {
    return nullptr;
  }
  Status warmUp(const OpSignature &signature) const override {
    const PreparationTimer timer("test");
    std::unique_lock lock(mutex);
    kinds.push_back(signature.op.kind);
    changed.notify_all();
    const bool areTogether = changed.wait_for(
        lock, std::chrono::seconds(20), [&] { return kinds.size() >= 2; });
    if (areTogether && !isFailing)
      return {};
    return fail("codegen", "no " + std::string(tandem::name(kinds.back())));
  }

  mutable std::mutex mutex; // guards `kinds`
  mutable std::condition_variable changed;
  mutable std::vector<OpKind> kinds;
  bool isFailing = false;
};

struct WarmUpTest : ExecutorTest {
  /// (x + y) * y, then + y of the same types again.
  Expected<std::unique_ptr<Executor>> createEager() {
    ProgramBuilder builder;
    uint32_t x = builder.input(vec(kDynamic)), y = builder.input(vec(kDynamic));
    uint32_t sum = builder.op(makeOp(OpKind::add), {x, y}, vec(kDynamic));
    uint32_t product = builder.op(makeOp(OpKind::mul), {sum, y}, vec(kDynamic));
    uint32_t out = builder.op(makeOp(OpKind::add), {product, y}, vec(kDynamic));
    ExecutorOptions options;
    const Provider *const all[] = {&slow};
    options.providers = all;
    return Executor::create(builder.finish({out}), options);
  }
  SlowToWarmUp slow;
};

TEST_F(WarmUpTest, OpsOfAnEagerProgramAreMadeReadyInParallel) {
  if (std::thread::hardware_concurrency() < 2)
    GTEST_SKIP() << "there is one processor only";
  PreparationScope preparation;
  auto executor = createEager();
  ASSERT_TRUE(executor) << executor.error().str();
  EXPECT_THAT(slow.kinds,
              testing::UnorderedElementsAre(OpKind::add, OpKind::mul));
  // What all threads have spent.
  ASSERT_EQ(preparation.times.phases().size(), 1u);
  EXPECT_GT(preparation.times.sum(), 0);
}

TEST_F(WarmUpTest, TheFirstStepThatCannotBeMadeReadyIsTheError) {
  slow.isFailing = true;
  slow.kinds = {OpKind::relu}; // None waits.
  auto executor = createEager();
  ASSERT_FALSE(executor);
  EXPECT_THAT(executor.error().str(),
              testing::StartsWith("test.mlir:1:3: error: codegen: no"));
}

//===----------------------------------------------------------------------===//
// Compiled
//===----------------------------------------------------------------------===//

TEST_F(ExecutorTest, RunsKernelsOverTheirWholeExtent) {
  for (int64_t grain : {int64_t(1), int64_t(64), int64_t(100000)}) {
    ProgramBuilder builder;
    constexpr int64_t kSize = 10007;
    uint32_t x = builder.input(vec(kSize)), y = builder.input(vec(kSize));
    int kernel = builder.kernel(kSize, grain);
    auto executor =
        create(builder.finish({builder.launch(kernel, {x, y}, vec(kSize))}),
               fakeKernels({addKernel}));
    Tensor inputs[] = {makeFloats({kSize}), makeFloats({kSize})};
    ASSERT_TRUE(executor->run(inputs, outputs));
    std::vector<float> sums = floats(outputs[0]);
    for (int64_t i = 0; i < kSize; ++i)
      ASSERT_EQ(sums[i], 2.0f * i) << "grain " << grain;
  }
}

/// x + y in the arena by a kernel, then plus x by an op into the arena, then
/// plus y by a kernel into an output of its own.
std::shared_ptr<const Program> arenaProgram() {
  ProgramBuilder builder;
  uint32_t x = builder.input(vec(16)), y = builder.input(vec(16));
  int kernel = builder.kernel(16, 16);
  uint32_t a = builder.launch(kernel, {x, y}, vec(16), 0);
  uint32_t b = builder.op(makeOp(OpKind::add), {a, x}, vec(16), 64);
  uint32_t out = builder.launch(kernel, {b, y}, vec(16));
  builder.program.arena_bytes = 128;
  return builder.finish({out});
}

TEST_F(ExecutorTest, MixesKernelsAndOpsInAnArena) {
  auto executor = create(arenaProgram(), fakeKernels({addKernel}));
  EXPECT_EQ(fake.prepares, 1); // at create
  Tensor inputs[] = {makeFloats({16}), makeFloats({16}, 1)};
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(executor->run(inputs, outputs));
  EXPECT_EQ(fake.prepares, 1);
  EXPECT_EQ(floats(outputs[0])[3], 2 * 3 + 2 * 4);
}

TEST_F(ExecutorTest, HoldsWhatIsPlanned) {
  fake.workspace = 1000;
  auto executor = create(arenaProgram(), fakeKernels({addKernel}));
  // The op runs with its temporaries before the output is allocated.
  EXPECT_EQ(executor->plannedPeakBytes(), 128 + 1000);
  Tensor inputs[] = {makeFloats({16}), makeFloats({16}, 1)};
  int64_t peakBytes = 0;
  ASSERT_TRUE(executor->run(inputs, outputs, &peakBytes));
  EXPECT_EQ(peakBytes, 128 + 1000);
}

/// (a + b) + b, of constants, and what is added to x: x + ((a + b) + b).
static std::shared_ptr<const Program> constantChain(int64_t size) {
  ProgramBuilder builder;
  uint32_t x = builder.input(vec(size));
  uint32_t a = builder.constant(vec(size), std::vector<float>(size, 1));
  uint32_t b = builder.constant(vec(size), std::vector<float>(size, 2));
  uint32_t once = builder.op(makeOp(OpKind::add), {a, b}, vec(size));
  uint32_t twice = builder.op(makeOp(OpKind::add), {once, b}, vec(size));
  uint32_t sum = builder.op(makeOp(OpKind::add), {x, twice}, vec(size));
  return builder.finish({sum, twice});
}

TEST_F(ExecutorTest, StepsOnConstantsRunOnce) {
  auto executor = create(constantChain(2));
  ASSERT_TRUE(stream->synchronize());
  EXPECT_EQ(fake.runs, 2);
  EXPECT_TRUE(executor->hasRunOnce(1));
  EXPECT_FALSE(executor->hasRunOnce(2));
  Tensor inputs[] = {makeFloats({2}, 10)};
  for (int run = 1; run <= 3; ++run) {
    ASSERT_TRUE(executor->run(inputs, outputs));
    EXPECT_THAT(floats(outputs[0]), ElementsAre(15, 16));
    EXPECT_THAT(floats(outputs[1]), ElementsAre(5, 5));
    ASSERT_TRUE(stream->synchronize());
    EXPECT_EQ(fake.runs, 2 + run);
  }
}

TEST_F(ExecutorTest, ObserversMaySeeStepsThatRanOnce) {
  auto executor = create(constantChain(2));
  Tensor inputs[] = {makeFloats({2}, 10)};
  auto observe = [&](bool all) {
    EXPECT_TRUE(stream->synchronize());
    fake.runs = 0;
    size_t seen = 0, steps = 0;
    EXPECT_TRUE(executor->runObserved(
        inputs, outputs,
        [&](size_t count, std::span<const Tensor *const> values) -> Status {
          seen += count == 1 && *values[3];
          ++steps;
          return {};
        },
        all));
    EXPECT_TRUE(stream->synchronize());
    EXPECT_THAT(floats(outputs[0]), ElementsAre(15, 16));
    EXPECT_EQ(steps, 4u);
    EXPECT_EQ(fake.runs, all ? 3 : 1);
    EXPECT_EQ(seen, all ? 1u : 0u);
  };
  observe(/*all=*/true);
  observe(/*all=*/false);
}

TEST_F(ExecutorTest, ConstantsThatFailToBeComputedAreErrors) {
  fake.failing = true;
  ExecutorOptions options;
  options.stream = stream;
  options.providers = providers;
  EXPECT_FALSE(Executor::create(constantChain(2), options));
}

TEST_F(ExecutorTest, RepeatedScalarsAreNotKept) {
  ProgramBuilder builder;
  uint32_t x = builder.input(vec(64));
  uint32_t scalar = builder.constant({DType::f32, {}}, {1});
  fb::BroadcastAttrsT repeat;
  repeat.shape = {64};
  uint32_t many =
      builder.op(makeOp(OpKind::broadcast, repeat), {scalar}, vec(64));
  auto program =
      builder.finish({builder.op(makeOp(OpKind::add), {x, many}, vec(64))});
  ExecutorOptions options;
  auto executor = Executor::create(program, options);
  ASSERT_TRUE(executor);
  int64_t peak = 0;
  Tensor inputs[] = {test::makeFloats({64})};
  ASSERT_TRUE((*executor)->run(inputs, outputs, &peak));
  EXPECT_EQ(test::floats(outputs[0])[63], 64);
  EXPECT_GE(peak, 2 * 64 * 4); // The output, and the repeated scalar.
}

TEST_F(ExecutorTest, CompiledOpsGetTheirConstantsAhead) {
  ProgramBuilder builder;
  uint32_t x = builder.input(vec(2));
  uint32_t c = builder.constant(vec(2), {7, 8});
  uint32_t sum = builder.op(makeOp(OpKind::add), {x, c}, vec(2));
  builder.program.planned = true;
  builder.program.outputs = {sum};
  auto program = std::make_shared<Program>(std::move(builder.program));
  auto executor = create(program);
  ASSERT_EQ(fake.constants.size(), 2u);
  EXPECT_FALSE(fake.constants[0]);
  EXPECT_THAT(floats(fake.constants[1]), ElementsAre(7, 8));

  // Eager takes nothing for a constant.
  program->planned = false;
  Tensor inputs[] = {makeFloats({2})};
  ASSERT_TRUE(create(program)->run(inputs, outputs));
  EXPECT_TRUE(fake.constants.empty());
}

TEST_F(ExecutorTest, AnOutputsMemoryIsUsedBeforeItIsWritten) {
  ProgramBuilder builder;
  uint32_t x = builder.input(vec(16)), y = builder.input(vec(16));
  int kernel = builder.kernel(16, 16);
  uint32_t a = builder.launch(kernel, {x, y}, vec(16));
  uint32_t b = builder.op(makeOp(OpKind::add), {a, x}, vec(16), 0);
  uint32_t c = builder.launch(kernel, {b, y}, vec(16));
  uint32_t out = builder.launch(kernel, {c, y}, vec(16)); // in place
  for (uint32_t slot : {a, c}) {
    builder.program.slots[slot]->host = out;
    builder.program.slots[slot]->arena_offset = 0;
  }
  builder.program.arena_bytes = 64;
  auto executor = create(builder.finish({out}), fakeKernels({addKernel}));
  EXPECT_EQ(executor->plannedPeakBytes(), 128);
  Tensor inputs[] = {makeFloats({16}), makeFloats({16}, 1)};
  for (int i = 0; i < 3; ++i) {
    Tensor last = outputs.empty() ? Tensor() : outputs[0];
    int64_t peakBytes = 0;
    ASSERT_TRUE(executor->run(inputs, outputs, &peakBytes));
    EXPECT_EQ(peakBytes, 128);
    EXPECT_EQ(floats(outputs[0])[3], 2 * 3 + 3 * 4);
    EXPECT_NE(outputs[0].data(), last.data()) << "each call's are fresh";
  }
}

/// The concat is not an output, and one of its operands is read after it.
TEST_F(ExecutorTest, OperandsOfAConcatAreComputedInIt) {
  ProgramBuilder builder;
  uint32_t x = builder.input(vec(16)), y = builder.input(vec(16));
  uint32_t a = builder.op(makeOp(OpKind::add), {x, y}, vec(16));
  uint32_t all = builder.op(makeOp(OpKind::concat, fb::AxisAttrsT{{}, 0}),
                            {a, y}, vec(32));
  uint32_t twice = builder.op(makeOp(OpKind::add), {all, all}, vec(32));
  uint32_t late = builder.op(makeOp(OpKind::add), {a, x}, vec(16));
  builder.program.slots[a]->host = all;
  builder.program.slots[a]->arena_offset = 0;
  providers = {}; // Those of the device: the fake one has no concat.
  auto executor = create(builder.finish({twice, late}));
  Tensor inputs[] = {makeFloats({16}), makeFloats({16}, 1)};
  const FilledAllocations filled;
  for (int i = 0; i < 3; ++i) {
    int64_t peakBytes = 0;
    ASSERT_TRUE(executor->run(inputs, outputs, &peakBytes));
    EXPECT_EQ(peakBytes, 128 + 128 + 64);
    EXPECT_EQ(floats(outputs[0])[3], 2 * (3 + 4));
    EXPECT_EQ(floats(outputs[0])[16 + 3], 2 * 4);
    EXPECT_EQ(floats(outputs[1])[3], 3 + 4 + 3);
  }
}

/// The view keeps the memory of its operand.
TEST_F(ExecutorTest, SlicesAreViews) {
  ProgramBuilder builder;
  uint32_t x = builder.input(vec(32));
  uint32_t sum = builder.op(makeOp(OpKind::add), {x, x}, vec(32));
  fb::SliceAttrsT attrs;
  attrs.starts = {16};
  attrs.limits = {32};
  attrs.strides = {1};
  uint32_t part = builder.op(makeOp(OpKind::slice, attrs), {sum}, vec(16));
  uint32_t other = builder.op(makeOp(OpKind::slice, attrs), {x}, vec(16));
  uint32_t out = builder.op(makeOp(OpKind::add), {part, other}, vec(16));
  for (auto [slot, host] : {std::pair(part, sum), {other, x}}) {
    builder.program.slots[slot]->host = host;
    builder.program.slots[slot]->arena_offset = 64;
  }
  auto executor = create(builder.finish({out}));
  const FilledAllocations filled;
  Tensor inputs[] = {makeFloats({32})};
  int64_t peakBytes = 0;
  ASSERT_TRUE(executor->run(inputs, outputs, &peakBytes));
  EXPECT_EQ(peakBytes, 128 + 64);
  EXPECT_EQ(floats(outputs[0])[0], 3 * 16);
  EXPECT_EQ(floats(outputs[0])[15], 3 * 31);
}

TEST_F(ExecutorTest, TheMemoryOfAnInnerScopeIsItsOwn) {
  MemoryScope outer;
  Tensor a = test::makeFloats({4});
  {
    MemoryScope inner;
    Tensor b = test::makeFloats({16});
    b.reset();
    Tensor c = test::makeFloats({8});
    EXPECT_EQ(inner.peakBytes(), 64);
  }
  EXPECT_EQ(outer.peakBytes(), 16);
}

TEST_F(ExecutorTest, ManyThreadsMayRunAtOnce) {
  auto compiled = create(arenaProgram(), fakeKernels({addKernel}));
  auto eager = create(chain());
  std::atomic<int> wrong{0};
  auto work = [&](int thread) {
    std::vector<Tensor> results;
    for (int i = 0; i < 300; ++i) {
      float start = thread * 1000 + i;
      Tensor inputs[] = {makeFloats({16}, start), makeFloats({16}, 1)};
      if (!compiled->run(inputs, results) ||
          floats(results[0])[15] != 2 * (start + 15) + 32)
        ++wrong;
      int64_t size = 1 + (i + thread) % 7;
      Tensor small[] = {makeFloats({size}, start), makeFloats({size})};
      if (!eager->run(small, results) || results[0].type() != vec(size) ||
          floats(results[0])[0] != 2 * start)
        ++wrong;
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back(work, i);
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(ExecutorTest, DispatchOnlyLeavesOutTheArithmetic) {
  auto executor =
      create(arenaProgram(),
             fakeKernels({[](void *const *, const int64_t *, void *, int64_t,
                             int64_t) { FAIL() << "a kernel ran"; }}),
             /*dispatchOnly=*/true);
  Tensor inputs[] = {makeFloats({16}), makeFloats({16})};
  ASSERT_TRUE(executor->run(inputs, outputs));
  EXPECT_EQ(outputs[0].type(), vec(16));
  EXPECT_EQ(fake.runs, 0);
}

TEST_F(ExecutorTest, ThreadLimitIsAppliedAndCanBeRaised) {
  setNumThreads(1);
  EXPECT_EQ(numThreads(), 1);
  setNumThreads(2);
  EXPECT_LE(numThreads(), 2);
}

} // namespace
