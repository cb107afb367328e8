//===- MemoryPlanTest.cpp - Live ranges to arena offsets ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramBuilder.h"

#include "tandem/Runtime/Program/ProgramMemory.h"

#include <random>

using namespace tandem;
using tandem::test::Builder;

namespace {

TEST(LayOut, RangesApartInTimeShareMemory) {
  LiveRange ranges[] = {{0, 1, 256}, {2, 3, 256}, {4, 5, 128}};
  ArenaLayout layout = layOut(ranges);
  EXPECT_EQ(layout.offsets, (std::vector<int64_t>{0, 0, 0}));
  EXPECT_EQ(layout.bytes, 256);
}

TEST(LayOut, AStepReadsAndWritesAtOnce) {
  LiveRange ranges[] = {{0, 1, 64}, {1, 2, 64}};
  EXPECT_EQ(layOut(ranges).bytes, 128);
}

TEST(LayOut, TakesTheSmallestGapThatFits) {
  // At step 1 two gaps remain: of 128 bytes and of 64.
  LiveRange ranges[] = {{0, 0, 128}, {0, 2, 512}, {0, 0, 64},
                        {0, 2, 256}, {1, 1, 64},  {1, 1, 128}};
  ArenaLayout layout = layOut(ranges);
  EXPECT_EQ(layout.offsets[5], layout.offsets[0]);
  EXPECT_EQ(layout.offsets[4], layout.offsets[2]);
  EXPECT_EQ(layout.bytes, 512 + 256 + 128 + 64);
}

TEST(LayOut, RandomRangesNeverCollide) {
  std::mt19937 random(7);
  std::vector<LiveRange> ranges(200);
  for (LiveRange &range : ranges) {
    range.first = random() % 100;
    range.last = range.first + random() % 20;
    range.bytes = random() % 1000;
  }
  ArenaLayout layout = layOut(ranges);
  for (size_t i = 0; i < ranges.size(); ++i) {
    EXPECT_EQ(layout.offsets[i] % 64, 0);
    EXPECT_LE(layout.offsets[i] + ranges[i].bytes, layout.bytes);
    for (size_t j = 0; j < i; ++j)
      if (ranges[i].overlaps(ranges[j]) && ranges[i].bytes && ranges[j].bytes)
        EXPECT_TRUE(layout.offsets[i] + ranges[i].bytes <= layout.offsets[j] ||
                    layout.offsets[j] + ranges[j].bytes <= layout.offsets[i]);
  }
}

TEST(LayOut, MemoryThatLiesIdleIsTakenFirst) {
  // A region of 128 bytes is written at step 2: the last range is too late for
  // it, and the first too large.
  LiveRange ranges[] = {{0, 1, 192}, {0, 1, 128}, {1, 2, 64}};
  Region regions[] = {{128, 2}};
  ArenaLayout layout = layOut(ranges, regions);
  EXPECT_EQ(layout.regions, (std::vector<int64_t>{-1, 0, -1}));
  EXPECT_EQ(layout.bytes, 192 + 64);
}

TEST(PlanMemory, InputsAndOutputsAreOutside) {
  Builder b;
  uint32_t x = b.input({16});
  uint32_t y = b.step(OpKind::exp, x, {16});
  uint32_t z = b.step(OpKind::exp, y, {16});
  b.plan({z});
  EXPECT_EQ(b.offset(x), -1);
  EXPECT_EQ(b.offset(y), 0);
  EXPECT_EQ(b.offset(z), -1);
  EXPECT_EQ(b.program.arena_bytes, 64);
  EXPECT_EQ(plannedPeakBytes(b.program), 128);
}

TEST(PlanMemory, AReshapeSharesItsOperand) {
  Builder b;
  uint32_t x = b.input({4, 8});
  uint32_t y = b.step(OpKind::exp, x, {4, 8});
  uint32_t view = b.step(OpKind::reshape, y, {32});
  uint32_t other = b.step(OpKind::exp, x, {32});
  b.plan({b.step(OpKind::exp, view, {32}), b.step(OpKind::exp, other, {32})});
  EXPECT_EQ(b.offset(view), b.offset(y));
  EXPECT_EQ(b.host(view), b.host(y));
}

TEST(PlanMemory, AnOutputThatIsAReshapeIsAView) {
  Builder b;
  uint32_t x = b.input({4, 8});
  uint32_t y = b.step(OpKind::exp, x, {4, 8});
  b.plan({b.step(OpKind::reshape, y, {32})});
  EXPECT_EQ(b.offset(y), -1);
  EXPECT_EQ(b.program.arena_bytes, 0);
  EXPECT_EQ(plannedPeakBytes(b.program), 128);
}

TEST(PlanMemory, AnOutputHoldsIntermediatesUntilItIsWritten) {
  Builder b;
  uint32_t x = b.input({16});
  uint32_t y = b.step(OpKind::exp, x, {16});
  uint32_t z = b.step(OpKind::exp, y, {16});
  uint32_t out = b.step(OpKind::exp, z, {16});
  b.plan({out});
  EXPECT_EQ(b.host(y), out);
  EXPECT_EQ(b.offset(y), 0);
  EXPECT_EQ(b.host(z), -1) << "read while the output is written";
  EXPECT_EQ(plannedPeakBytes(b.program), 128);
}

TEST(PlanMemory, AKernelComputesInPlaceOfWhatDies) {
  Builder b;
  b.kernel({{0, 0}, {1, 0}});
  uint32_t x = b.input({16});
  uint32_t y = b.launch(0, {x, x}, {16});
  uint32_t z = b.launch(0, {y, x}, {16});
  uint32_t out = b.launch(0, {x, z}, {16});
  b.plan({out});
  // All are the output's memory, and never the input's.
  EXPECT_EQ(b.host(y), out);
  EXPECT_EQ(b.host(z), out);
  EXPECT_EQ(b.program.arena_bytes, 0);
  EXPECT_EQ(plannedPeakBytes(b.program), 64);
}

TEST(PlanMemory, AViewOfAnOutputHoldsWhatItsKernelReads) {
  Builder b;
  b.kernel({{0, 0}});
  uint32_t x = b.input({16});
  uint32_t y = b.launch(0, {x}, {16});
  uint32_t z = b.launch(0, {b.step(OpKind::reshape, y, {4, 4})}, {4, 4});
  b.plan({b.step(OpKind::reshape, z, {16})});
  EXPECT_EQ(b.host(y), z);
  EXPECT_EQ(plannedPeakBytes(b.program), 64);
}

TEST(PlanMemory, NothingIsComputedInPlaceOfWhatIsReadLater) {
  Builder b;
  b.kernel({{0, 0}});
  uint32_t x = b.input({16});
  uint32_t y = b.launch(0, {x}, {16});
  uint32_t z = b.launch(0, {y}, {16});
  b.plan({b.launch(0, {z, y}, {16})});
  EXPECT_NE(std::pair(b.host(y), b.offset(y)),
            std::pair(b.host(z), b.offset(z)));
}

TEST(PlanMemory, NothingIsComputedInPlaceOfWhatIsReadElsewhereToo) {
  Builder b;
  b.kernel({{0, 0}});
  uint32_t x = b.input({16});
  uint32_t y = b.launch(0, {x}, {16});
  // Operand 1 is read at any index.
  uint32_t z = b.launch(0, {y, b.step(OpKind::reshape, y, {16})}, {16});
  b.plan({z});
  EXPECT_EQ(b.host(y), -1);
  EXPECT_EQ(plannedPeakBytes(b.program), 128);
}

TEST(PlanMemory, ResultsOfOneStepDoNotShareAnOperand) {
  Builder b;
  b.kernel({});
  b.kernel({{0, 0}, {0, 1}});
  uint32_t x = b.input({16});
  uint32_t y = b.launch(0, {x}, {16});
  uint32_t z = b.launch(1, {y}, {16}), w = b.slot({16});
  b.program.steps.back()->results.push_back(w);
  b.plan({z, w});
  EXPECT_EQ(plannedPeakBytes(b.program), 128);
}

TEST(PlanMemory, StepsMoveWhereThatLowersThePeak) {
  // Two large values that become small ones.
  Builder b;
  b.kernel({});
  uint32_t x = b.input({16});
  uint32_t large1 = b.launch(0, {x}, {1024}), large2 = b.launch(0, {x}, {1024});
  uint32_t small1 = b.launch(0, {large1}, {16});
  uint32_t small2 = b.launch(0, {large2}, {16});
  b.plan({b.launch(0, {small1, small2}, {16})});
  EXPECT_EQ(b.program.steps[1]->results[0], small1);
  EXPECT_EQ(b.program.steps[2]->results[0], large2);
  // One large value, both small ones and the output.
  EXPECT_EQ(plannedPeakBytes(b.program), 4096 + 3 * 64);
}

TEST(PlanMemory, StepsStayWhereNothingIsGained) {
  Builder b;
  b.kernel({});
  uint32_t x = b.input({16});
  uint32_t large = b.launch(0, {x}, {64}), small = b.launch(0, {x}, {16});
  uint32_t both = b.launch(0, {large, small}, {16});
  b.plan({both});
  EXPECT_EQ(b.program.steps[0]->results[0], large);
  EXPECT_EQ(b.program.steps[1]->results[0], small);
}

/// Random programs whose kernels read some operands in place and others not,
/// with reshapes between: every plan holds, and in-place ones need no more.
TEST(PlanMemory, RandomProgramsKeepTheirValues) {
  std::mt19937 random(11);
  auto below = [&](size_t n) { return static_cast<uint32_t>(random() % n); };
  int64_t withInPlace = 0, without = 0;
  for (int round = 0; round < 3000; ++round) {
    Builder b;
    std::vector<uint32_t> values = {b.input({16}), b.input({64})};
    for (uint32_t i = 0, steps = 1 + below(12); i < steps; ++i) {
      uint32_t value = values[below(values.size())];
      Shape shape = fromFlat(*b.program.slots[value]->type).shape;
      if (below(5) == 0) {
        values.push_back(b.step(OpKind::reshape, value, shape));
        continue;
      }
      std::vector<fb::InPlace> inPlace;
      std::vector<uint32_t> operands = {value};
      for (uint32_t more = below(3); more > 0; --more)
        operands.push_back(values[below(values.size())]);
      for (uint32_t k = 0; k < operands.size(); ++k)
        if (b.program.slots[operands[k]]->type->dims[0] == shape[0] && below(2))
          inPlace.push_back({k, 0});
      b.kernel(std::move(inPlace));
      values.push_back(b.launch(b.program.kernels.size() - 1, operands, shape));
      if (below(4) == 0) {
        b.program.steps.back()->results.push_back(b.slot(shape));
        values.push_back(b.program.slots.size() - 1);
      }
    }
    std::vector<uint32_t> outputs = {values.back()};
    for (uint32_t more = below(3); more > 0; --more)
      outputs.push_back(values[below(values.size())]);
    b.plan(outputs);
    ASSERT_FALSE(testing::Test::HasFailure()) << "round " << round;
    withInPlace += plannedPeakBytes(b.program);
    for (auto &kernel : b.program.kernels)
      kernel->in_place.clear();
    b.plan(outputs);
    without += plannedPeakBytes(b.program);
  }
  EXPECT_LT(withInPlace, without * 19 / 20);
}

TEST(CheckMemoryPlan, SaysWhoOverwritesWhom) {
  Builder b;
  b.kernel({{0, 0}});
  uint32_t x = b.input({16});
  uint32_t y = b.launch(0, {x}, {16});
  uint32_t z = b.launch(0, {x}, {16});
  uint32_t out = b.launch(0, {y, z}, {16});
  b.plan({out});
  auto message = [&] {
    Status status = checkMemoryPlan(b.program);
    return status ? "valid" : status.error().message;
  };
  auto put = [&](uint32_t slot, int64_t offset, int32_t host) {
    b.program.slots[slot]->arena_offset = offset;
    b.program.slots[slot]->host = host;
  };
  put(y, 0, -1);
  put(z, 32, -1);
  EXPECT_EQ(message(), "slot 1 is overwritten before it is read");
  put(z, 0, out); // Which is read elsewhere than it is written.
  EXPECT_EQ(message(), "slot 3 is written where slot 2 is, by one step");
  put(z, 64, -1);
  put(y, 0, out);
  EXPECT_EQ(message(), "valid");
}

TEST(PlanMemory, BytesThatOverflowAreAnError) {
  Builder b;
  uint32_t x = b.input({1});
  int64_t huge = int64_t(1) << 60;
  uint32_t y = b.step(OpKind::exp, x, {huge});
  b.program.outputs = {b.step(OpKind::exp, y, {1})};
  EXPECT_TRUE(planMemory(b.program));
  uint32_t w = b.step(OpKind::exp, x, {huge});
  b.program.outputs = {b.step(OpKind::exp, w, {1})};
  Status status = planMemory(b.program);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().phase, "plan");
}

} // namespace
