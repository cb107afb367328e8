//===- RecomputeTest.cpp - Values computed again, not held ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/ProgramTransforms/Recompute.h"

#include "ProgramBuilder.h"

#include "tandem/Runtime/Program/ProgramMemory.h"

#include <random>

using namespace tandem;
using tandem::test::Builder;

namespace {

/// One byte and one operation take 1 ns each; a launch nothing.
DeviceModel unitDevice() {
  DeviceModel device;
  device.f32FlopsPerNs = device.f64FlopsPerNs = device.halfFlopsPerNs = 1;
  device.memoryBytesPerNs = 1;
  return device;
}

struct RecomputeTest : testing::Test {
  /// Kernel 0 takes 1 ns, kernel 1 100 ns, kernel 2 10,000 ns.
  void SetUp() override {
    for (int64_t ns : {1, 100, 10000}) {
      b.kernel({});
      b.program.kernels.back()->bytes = ns;
    }
  }
  void recompute() {
    auto result = recomputeForMemory(b.program, unitDevice(), limits);
    ASSERT_TRUE(result) << result.error().str();
    recomputation = std::move(*result);
    Status status = checkMemoryPlan(b.program);
    EXPECT_TRUE(status) << status.error().str();
  }
  /// A value of 1,024 bytes of `cheap`, read by what 8 KiB come after, and
  /// read again when these are gone. Gives the peak.
  int64_t planLateUse(uint32_t cheap) {
    uint32_t early = b.launch(2, {cheap}, {16});
    uint32_t large = b.launch(2, {early}, {1024});
    uint32_t larger = b.launch(2, {large}, {1024});
    uint32_t small = b.launch(2, {larger}, {16});
    b.plan({b.launch(2, {small, cheap}, {256})});
    return plannedPeakBytes(b.program);
  }

  Builder b;
  RecomputeLimits limits;
  Recomputation recomputation;
};

TEST_F(RecomputeTest, ACheapValueIsNotHeldOverThePeak) {
  uint32_t cheap = b.launch(0, {b.input({16})}, {256});
  b.program.steps.back()->location = "g.mlir:1:2";
  int64_t before = planLateUse(cheap);
  recompute();
  ASSERT_EQ(recomputation.steps.size(), 1u);
  EXPECT_EQ(recomputation.steps[0].location, "g.mlir:1:2");
  EXPECT_EQ(recomputation.steps[0].bytes, 1024);
  EXPECT_EQ(recomputation.steps[0].ns, 1);
  EXPECT_EQ(recomputation.peakBytesSaved, 1024);
  EXPECT_EQ(plannedPeakBytes(b.program), before - 1024);
  // Right before the step that reads it, and into a slot of its own.
  ASSERT_EQ(b.program.steps.size(), 7u);
  const fb::StepT &again = *b.program.steps[5];
  EXPECT_EQ(again.kernel, 0);
  EXPECT_NE(again.results[0], cheap);
  EXPECT_EQ(b.program.steps[6]->operands[1], again.results[0]);
}

TEST_F(RecomputeTest, AViewIsMadeAgainOfWhatIsComputedAgain) {
  uint32_t cheap = b.launch(0, {b.input({16})}, {16, 16});
  planLateUse(b.step(OpKind::reshape, cheap, {256}));
  recompute();
  ASSERT_EQ(recomputation.steps.size(), 2u);
  EXPECT_EQ(b.program.steps[7]->op->kind, OpKind::reshape);
  EXPECT_EQ(b.program.steps[7]->operands[0], b.program.steps[6]->results[0]);
  EXPECT_EQ(b.program.steps[8]->operands[1], b.program.steps[7]->results[0]);
}

TEST_F(RecomputeTest, WhatItNeedsIsComputedAgainAsWell) {
  uint32_t first = b.launch(0, {b.input({16})}, {256});
  planLateUse(b.launch(0, {first}, {256}));
  recompute();
  EXPECT_EQ(recomputation.steps.size(), 2u);
  EXPECT_EQ(recomputation.peakBytesSaved, 1024);
}

TEST_F(RecomputeTest, ASmallValueIsHeldForIt) {
  uint32_t small = b.launch(2, {b.input({16})}, {16});
  planLateUse(b.launch(0, {small}, {256}));
  recompute();
  EXPECT_EQ(recomputation.steps.size(), 1u);
  // It lies in the output's memory until that is written.
  EXPECT_EQ(recomputation.peakBytesSaved, 1024);
}

TEST_F(RecomputeTest, WhatIsReadLateAloneMovesThere) {
  uint32_t x = b.input({16});
  uint32_t dear = b.launch(2, {x}, {256});
  uint32_t large = b.launch(2, {x}, {1024});
  uint32_t larger = b.launch(2, {large}, {1024});
  uint32_t small = b.launch(2, {larger}, {16});
  b.plan({b.launch(2, {small, dear}, {16})});
  ASSERT_EQ(b.program.steps[0]->results[0], dear);
  recompute();
  EXPECT_TRUE(recomputation.steps.empty());
  EXPECT_EQ(recomputation.peakBytesSaved, 1024);
  ASSERT_EQ(b.program.steps.size(), 5u);
  EXPECT_EQ(b.program.steps[4]->operands[1], b.program.steps[3]->results[0]);
}

TEST_F(RecomputeTest, WhatCostsMoreThanItsShareIsHeld) {
  uint32_t dear = b.launch(2, {b.input({16})}, {256});
  int64_t before = planLateUse(dear);
  recompute();
  EXPECT_TRUE(recomputation.steps.empty());
  EXPECT_EQ(b.program.steps.size(), 6u);
  EXPECT_EQ(plannedPeakBytes(b.program), before);
}

TEST_F(RecomputeTest, WhatNeedsADearValueIsHeld) {
  uint32_t dear = b.launch(2, {b.input({16})}, {256});
  planLateUse(b.launch(0, {dear}, {256}));
  recompute();
  EXPECT_TRUE(recomputation.steps.empty());
}

TEST_F(RecomputeTest, ALittleIsNotWorthALaunch) {
  limits.minPeakShare = 0.2;
  planLateUse(b.launch(0, {b.input({16})}, {256}));
  size_t numSlots = b.program.slots.size();
  recompute();
  EXPECT_TRUE(recomputation.steps.empty());
  EXPECT_EQ(b.program.steps.size(), 6u);
  EXPECT_EQ(b.program.slots.size(), numSlots);
}

TEST_F(RecomputeTest, WhatIsReturnedIsHeldAnyway) {
  uint32_t cheap = b.launch(0, {b.input({16})}, {256});
  uint32_t early = b.launch(2, {cheap}, {16});
  uint32_t large = b.launch(2, {early}, {1024});
  b.plan({b.launch(2, {large, cheap}, {16}), cheap});
  recompute();
  EXPECT_TRUE(recomputation.steps.empty());
}

/// Whatever is computed again, values are intact when they are read, and the
/// peak is lower by as much as is said.
TEST_F(RecomputeTest, RandomProgramsKeepTheirValues) {
  std::mt19937 random(5);
  auto below = [&](size_t n) { return static_cast<uint32_t>(random() % n); };
  size_t numLowered = 0;
  for (int round = 0; round < 2000; ++round) {
    b = Builder();
    SetUp();
    for (auto &kernel : b.program.kernels)
      if (below(2))
        kernel->in_place = {{0, 0}};
    std::vector<uint32_t> values = {b.input({16}), b.input({64})};
    for (uint32_t i = 0, steps = 2 + below(14); i < steps; ++i) {
      uint32_t value = values[below(values.size())];
      Shape shape = fromFlat(*b.program.slots[value]->type).shape;
      if (below(6) == 0) {
        values.push_back(b.step(OpKind::reshape, value, shape));
        continue;
      }
      if (below(3) == 0)
        shape = Shape{int64_t(16) << below(4)};
      // One that computes in place keeps the number of elements.
      uint32_t kernel = below(3);
      if (!b.program.kernels[kernel]->in_place.empty())
        shape = fromFlat(*b.program.slots[value]->type).shape;
      values.push_back(
          b.launch(kernel, {value, values[below(values.size())]}, shape));
    }
    std::vector<uint32_t> outputs = {values.back()};
    if (below(2))
      outputs.push_back(values[below(values.size())]);
    b.plan(outputs);
    int64_t before = plannedPeakBytes(b.program);
    limits = {0.3, 0.01};
    recompute();
    ASSERT_FALSE(testing::Test::HasFailure()) << "round " << round;
    EXPECT_EQ(plannedPeakBytes(b.program),
              before - recomputation.peakBytesSaved);
    numLowered += !recomputation.steps.empty();
  }
  EXPECT_GT(numLowered, 20u);
}

} // namespace
