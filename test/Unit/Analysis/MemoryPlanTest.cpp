//===- MemoryPlanTest.cpp - Live ranges to arena offsets ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Analysis/MemoryPlan.h"
#include "tandem/Runtime/ProgramMemory.h"

#include <gtest/gtest.h>

#include <random>

using namespace tandem;

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

/// Builds programs of unary steps.
struct Builder {
  Program program;
  uint32_t slot(Shape shape) {
    auto slot = std::make_unique<fb::SlotT>();
    slot->type = std::make_unique<fb::TensorTypeT>(toFlat({DType::f32, shape}));
    program.slots.push_back(std::move(slot));
    return program.slots.size() - 1;
  }
  uint32_t input(Shape shape) {
    program.inputs.push_back(slot(shape));
    return program.inputs.back();
  }
  uint32_t step(OpKind kind, uint32_t operand, Shape shape) {
    auto step = std::make_unique<fb::StepT>();
    step->op = std::make_unique<fb::OpT>();
    step->op->kind = kind;
    step->operands = {operand};
    step->results = {slot(shape)};
    program.steps.push_back(std::move(step));
    return program.slots.size() - 1;
  }
  int64_t offset(uint32_t slot) const {
    return program.slots[slot]->arena_offset;
  }
};

TEST(PlanMemory, InputsAndOutputsAreOutside) {
  Builder b;
  uint32_t x = b.input({16});
  uint32_t y = b.step(OpKind::exp, x, {16});
  uint32_t z = b.step(OpKind::exp, y, {16});
  b.program.outputs = {z};
  ASSERT_TRUE(planMemory(b.program));
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
  uint32_t z = b.step(OpKind::exp, view, {32});
  b.program.outputs = {z};
  ASSERT_TRUE(planMemory(b.program));
  EXPECT_EQ(b.offset(view), b.offset(y));
  EXPECT_NE(b.offset(other), b.offset(y));
}

TEST(PlanMemory, AnOutputThatIsAReshapeIsAView) {
  Builder b;
  uint32_t x = b.input({4, 8});
  uint32_t y = b.step(OpKind::exp, x, {4, 8});
  b.program.outputs = {b.step(OpKind::reshape, y, {32})};
  ASSERT_TRUE(planMemory(b.program));
  EXPECT_EQ(b.offset(y), -1);
  EXPECT_EQ(b.program.arena_bytes, 0);
  EXPECT_EQ(plannedPeakBytes(b.program), 128);
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
