//===- LoopTest.cpp - Loops as steps of Programs --------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExecutorFixture.h"

#include "tandem/Runtime/Program/ProgramLoops.h"
#include "tandem/Support/NestingDepth.h"

#include <gmock/gmock.h>

using namespace tandem;
using namespace tandem::test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

TensorType matrix(int64_t rows, int64_t columns) {
  return {DType::f32, {rows, columns}};
}

/// Appends a loop step; returns the slots of its results.
std::vector<uint32_t> addLoop(ProgramBuilder &builder, Program body,
                              std::vector<uint32_t> operands, uint32_t carried,
                              uint32_t scanned, std::vector<TensorType> results,
                              std::vector<bool> reversed, int64_t trips = -1) {
  auto step = std::make_unique<fb::StepT>();
  step->loop = std::make_unique<fb::LoopT>();
  body.input_dims.clear();
  step->loop->body = std::make_unique<fb::ProgramT>(std::move(body));
  step->loop->carried = carried;
  step->loop->scanned = scanned;
  step->loop->reversed.assign(reversed.begin(), reversed.end());
  step->loop->trips = trips;
  step->operands = std::move(operands);
  for (const TensorType &type : results)
    step->results.push_back(builder.slot(type));
  std::vector<uint32_t> slots = step->results;
  builder.program.steps.push_back(std::move(step));
  return slots;
}

/// h + x, which is carried on and stacked, of `columns` elements.
Program sumBody(int64_t columns, bool isKernel) {
  ProgramBuilder body;
  uint32_t h = body.input(vec(columns)), x = body.input(vec(columns));
  uint32_t sum = isKernel ? body.launch(0, {h, x}, vec(columns))
                          : body.op(makeOp(OpKind::add), {h, x}, vec(columns));
  body.program.outputs = {sum, sum};
  body.program.planned = isKernel;
  return std::move(body.program);
}

/// The running sums of the rows of `x`, from the last one on where `reversed`.
std::shared_ptr<const Program> runningSums(int64_t rows, int64_t columns,
                                           bool isKernel, bool reversed) {
  ProgramBuilder builder;
  uint32_t h = builder.input(vec(columns)),
           x = builder.input(matrix(rows, columns));
  if (isKernel)
    builder.kernel(columns == kDynamic ? 1 : columns, 4);
  return builder.finish(addLoop(builder, sumBody(columns, isKernel), {h, x}, 1,
                                1, {vec(columns), matrix(rows, columns)},
                                {reversed, reversed}));
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

TEST_F(ExecutorTest, LoopCarriesScansAndStacks) {
  for (bool isKernel : {false, true}) {
    auto executor =
        create(runningSums(3, 3, isKernel, false),
               isKernel ? fakeKernels({addKernel}) : LoadedKernels());
    Tensor inputs[] = {makeFloats({3}, 100), makeFloats({3, 3})};
    for (int i = 0; i < 2; ++i) {
      ASSERT_TRUE(executor->run(inputs, outputs));
      EXPECT_THAT(floats(outputs[0]), ElementsAre(109, 113, 117));
      EXPECT_THAT(floats(outputs[1]),
                  ElementsAre(100, 102, 104, 103, 106, 109, 109, 113, 117));
    }
  }
}

TEST_F(ExecutorTest, LoopRunsBackwards) {
  auto executor = create(runningSums(2, 2, false, true));
  Tensor inputs[] = {makeFloats({2}, 10), makeFloats({2, 2})};
  ASSERT_TRUE(executor->run(inputs, outputs));
  EXPECT_THAT(floats(outputs[0]), ElementsAre(12, 15));
  EXPECT_THAT(floats(outputs[1]), ElementsAre(12, 15, 12, 14));
}

TEST_F(ExecutorTest, LoopTakesWhatLengthACallHas) {
  auto executor = create(runningSums(kDynamic, kDynamic, false, false));
  for (int64_t rows : {4, 1, 0}) {
    Tensor inputs[] = {makeFloats({2}), makeFloats({rows, 2})};
    Status status = executor->run(inputs, outputs);
    ASSERT_TRUE(status) << status.error().str();
    EXPECT_EQ(outputs[1].type(), matrix(rows, 2));
    const float even = rows == 4 ? 12 : 0;
    EXPECT_THAT(floats(outputs[0]), ElementsAre(even, 1 + even + float(rows)));
  }
  Tensor inputs[] = {makeFloats({1}), makeFloats({2, 3})};
  Status status = executor->run(inputs, outputs);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message,
              HasSubstr("loop: carried value 0 is tensor<1xf32>, but an "
                        "iteration makes tensor<3xf32> of it"));
}

/// What is carried changes places, and is not overwritten before it is read.
TEST_F(ExecutorTest, LoopSwapsWhatItCarries) {
  for (int64_t trips : {0, 1, 2, 3}) {
    ProgramBuilder body, builder;
    uint32_t a = body.input(vec(2)), b = body.input(vec(2));
    body.program.outputs = {b, a, a};
    uint32_t x = builder.input(vec(2)), y = builder.input(vec(2));
    auto executor = create(builder.finish(
        addLoop(builder, std::move(body.program), {x, y}, 2, 0,
                {vec(2), vec(2), matrix(trips, 2)}, {false}, trips)));
    Tensor inputs[] = {makeFloats({2}), makeFloats({2}, 10)};
    ASSERT_TRUE(executor->run(inputs, outputs));
    EXPECT_EQ(floats(outputs[0])[0], trips % 2 ? 10 : 0);
    EXPECT_EQ(floats(outputs[1])[0], trips % 2 ? 0 : 10);
    if (trips == 3)
      EXPECT_THAT(floats(outputs[2]), ElementsAre(0, 1, 10, 11, 0, 1));
  }
}

/// Ops of the body are prepared once, and are told which operands are constant.
TEST_F(ExecutorTest, LoopPreparesItsBodyOnce) {
  ProgramBuilder body, builder;
  uint32_t h = body.input(vec(2)), w = body.input(vec(2));
  body.program.outputs = {body.op(makeOp(OpKind::add), {h, w}, vec(2))};
  body.program.planned = true;
  uint32_t x = builder.input(vec(2));
  uint32_t weights = builder.constant(vec(2), {1, 2});
  auto slots = addLoop(builder, std::move(body.program), {x, weights}, 1, 0,
                       {vec(2)}, {}, 5);
  builder.program.planned = true;
  builder.program.outputs = slots;
  auto executor =
      create(std::make_shared<const Program>(std::move(builder.program)));
  EXPECT_EQ(fake.prepares, 1);
  ASSERT_EQ(fake.constants.size(), 2u);
  EXPECT_FALSE(fake.constants[0]);
  EXPECT_TRUE(fake.constants[1]);
  Tensor inputs[] = {makeFloats({2})};
  ASSERT_TRUE(executor->run(inputs, outputs));
  EXPECT_THAT(floats(outputs[0]), ElementsAre(5, 11));
  EXPECT_EQ(fake.prepares, 1);
}

/// Counts how often it hands out blocks, which cachingAllocator measures.
struct CountingAllocator final : Allocator {
  int allocations = 0;
  Expected<void *> allocate(int64_t bytes) override {
    ++allocations;
    return cachingAllocator().allocate(bytes);
  }
  void deallocate(void *pointer, int64_t bytes) override {
    cachingAllocator().deallocate(pointer, bytes);
  }
};

TEST(LoopMemoryTest, IterationsOfCompiledProgramsAllocateNothing) {
  CountingAllocator allocator;
  auto stream = createHostStream(allocator);
  int allocations[2] = {}, number = 0;
  for (int64_t rows : {3, 30}) {
    ExecutorOptions options;
    options.stream = stream.get();
    options.kernels = fakeKernels({addKernel});
    auto executor =
        Executor::create(runningSums(rows, 3, true, false), options);
    ASSERT_TRUE(executor) << executor.error().str();
    Tensor inputs[] = {makeFloats({3}), makeFloats({rows, 3})};
    std::vector<Tensor> outputs;
    const int before = allocator.allocations;
    int64_t peak = 0;
    ASSERT_TRUE((*executor)->run(inputs, outputs, &peak));
    allocations[number++] = allocator.allocations - before;
    EXPECT_EQ((*executor)->plannedPeakBytes(), peak);
  }
  EXPECT_EQ(allocations[0], 3); // Two results, and a buffer.
  EXPECT_EQ(allocations[1], 3);
}

//===----------------------------------------------------------------------===//
// Without loops
//===----------------------------------------------------------------------===//

TEST_F(ExecutorTest, UnrolledLoopComputesTheSame) {
  auto program = runningSums(kDynamic, 3, false, true);
  TensorType types[] = {vec(3), matrix(4, 3)};
  auto unrolled = unrollLoops(*program, types);
  ASSERT_TRUE(unrolled) << unrolled.error().str();
  EXPECT_FALSE(hasLoops(*unrolled));
  ASSERT_TRUE(verify(*unrolled)) << verify(*unrolled).error().str();
  if (guarded)
    return; // The reference reads the host's memory.
  ProviderList reference = referenceProviders();
  providers.assign(reference.begin(), reference.end());
  Tensor inputs[] = {makeFloats({3}), makeFloats({4, 3})};
  ASSERT_TRUE(create(program)->run(inputs, outputs));
  const std::vector<float> last = floats(outputs[0]), all = floats(outputs[1]);
  auto executor = create(std::make_shared<const Program>(std::move(*unrolled)));
  ASSERT_TRUE(executor->run(inputs, outputs));
  EXPECT_EQ(floats(outputs[0]), last);
  EXPECT_EQ(floats(outputs[1]), all);
}

//===----------------------------------------------------------------------===//
// Programs as data
//===----------------------------------------------------------------------===//

template <typename Change> std::string errorAfter(Change change) {
  Program program = *runningSums(4, 3, true, false);
  change(program, *program.steps[0]->loop);
  Status status = verify(program);
  return status ? "valid" : status.error().message;
}

TEST(LoopProgramTest, Counts) {
  using Loop = fb::LoopT;
  EXPECT_EQ(errorAfter([](Program &, Loop &) {}), "valid");
  EXPECT_THAT(errorAfter([](Program &p, Loop &) { p.steps[0]->kernel = 0; }),
              HasSubstr("step 0: needs an op, a kernel or a loop"));
  EXPECT_THAT(errorAfter([](Program &, Loop &l) { l.body.reset(); }),
              HasSubstr("step 0: no body"));
  EXPECT_THAT(errorAfter([](Program &, Loop &l) { l.body->planned = false; }),
              HasSubstr("step 0: no body of the kind"));
  EXPECT_THAT(
      errorAfter([](Program &, Loop &l) { l.body->inputs.pop_back(); }),
      HasSubstr("2 operands and 2 results, where its body has 1 and 2"));
  EXPECT_THAT(errorAfter([](Program &, Loop &l) { l.scanned = 0xffffffff; }),
              HasSubstr("carries 1 values and scans 4294967295 of 2"));
  EXPECT_THAT(errorAfter([](Program &, Loop &l) { l.carried = 2; }),
              HasSubstr("carries 2 values and scans 1 of 2"));
  EXPECT_THAT(errorAfter([](Program &, Loop &l) { l.reversed.pop_back(); }),
              HasSubstr("1 directions for what it scans and stacks"));
  EXPECT_THAT(errorAfter([](Program &, Loop &l) { l.trips = 4; }),
              HasSubstr("4 iterations over 1 values"));
}

TEST(LoopProgramTest, Types) {
  using Loop = fb::LoopT;
  EXPECT_THAT(
      errorAfter([](Program &p, Loop &) { p.slots[1]->type->dims.clear(); }),
      HasSubstr("operand 1, which is tensor<f32>, cannot be scanned"));
  EXPECT_THAT(
      errorAfter([](Program &p, Loop &) { p.slots[0]->type->dims = {5}; }),
      HasSubstr("operand 0 is tensor<5xf32>, but the body takes "
                "tensor<3xf32>"));
  EXPECT_THAT(
      errorAfter([](Program &p, Loop &) { p.slots[3]->type->dims = {5, 3}; }),
      HasSubstr("result 1 is declared as tensor<5x3xf32>, but the loop makes "
                "tensor<4x3xf32>"));
  EXPECT_THAT(errorAfter([](Program &, Loop &l) {
                l.body->slots[2]->type->dims = {4};
              }),
              HasSubstr("value 0 cannot be carried or stacked as "
                        "tensor<4xf32>"));
}

TEST(LoopProgramTest, Bodies) {
  using Loop = fb::LoopT;
  EXPECT_THAT(
      errorAfter([](Program &, Loop &l) { l.body->steps[0]->kernel = 1; }),
      HasSubstr("step 0: step 0: no kernel 1"));
  EXPECT_THAT(errorAfter([](Program &, Loop &l) { l.body->steps[0].reset(); }),
              HasSubstr("step 0: step 0: missing"));
  EXPECT_THAT(
      errorAfter([](Program &, Loop &l) { l.body->steps[0]->operands[0] = 9; }),
      HasSubstr("step 0: step 0: no slot 9"));
}

/// A body that runs itself, nested `depth` times.
Program nested(int depth) {
  ProgramBuilder builder;
  uint32_t x = builder.input(vec(2));
  builder.program.outputs = {x};
  if (depth > 0)
    builder.program.outputs =
        addLoop(builder, nested(depth - 1), {x}, 1, 0, {vec(2)}, {}, 1);
  return std::move(builder.program);
}

TEST(LoopProgramTest, NestingHasALimit) {
  EXPECT_TRUE(verify(nested(kMaxLoopDepth)));
  Status deep = verify(nested(kMaxLoopDepth + 1));
  ASSERT_FALSE(deep);
  EXPECT_THAT(deep.error().message,
              HasSubstr("more than 8 loops within each other"));
  auto read = deserialize(serialize(nested(100)));
  EXPECT_FALSE(read);
}

TEST(LoopProgramTest, RoundTripsAndHasText) {
  Program program = *runningSums(4, 3, true, true);
  auto copy = deserialize(serialize(program));
  ASSERT_TRUE(copy) << copy.error().str();
  EXPECT_EQ(*copy, program);
  EXPECT_THAT(toString(program),
              HasSubstr("  %2, %3 = loop of 4 iterations (carried %0, scanned "
                        "backwards %1) : tensor<3xf32>, tensor<4x3xf32>\n"
                        "    arena of 0 bytes, inputs %0, %1\n"
                        "    %2 = kernel @kernel_0(%0, %1) : tensor<3xf32>"));
}

/// What is accepted must be fit to be executed.
TEST(LoopProgramTest, CorruptBytesNeverCrash) {
  const std::vector<uint8_t> good = serialize(*runningSums(4, 3, true, false));
  EXPECT_GT(acceptCorrupted(good, 11), 0);
}

} // namespace
