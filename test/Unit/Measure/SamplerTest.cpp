//===- SamplerTest.cpp - Unit tests ---------------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Measure/Sampler.h"

#include <gtest/gtest.h>

using namespace tandem;
using namespace tandem::measure;

TEST(Sampler, TakesAsManySamplesOfEachSeries) {
  SamplerOptions options;
  options.budgetNs = 5e6;
  options.minSampleNs = 1e3;
  options.maxSamples = 20;
  Sampler sampler(options);
  size_t first = 0, second = 0;
  sampler.add("a", [&](size_t) { return ++first, Status(); });
  sampler.add("b", [&](size_t) { return ++second, Status(); });
  auto summaries = sampler.run();
  ASSERT_TRUE(summaries);
  ASSERT_EQ(summaries->size(), 2u);
  EXPECT_EQ((*summaries)[0].samples, (*summaries)[1].samples);
  EXPECT_GE((*summaries)[0].samples, options.minSamples);
  EXPECT_LE((*summaries)[0].samples, options.maxSamples);
}

TEST(Sampler, NumbersCallsForRotatingBuffers) {
  SamplerOptions options;
  options.budgetNs = 1e6;
  Sampler sampler(options);
  size_t expected = 0;
  bool inOrder = true;
  sampler.add("a", [&](size_t call) {
    inOrder &= call == expected++;
    return Status();
  });
  ASSERT_TRUE(sampler.run());
  EXPECT_TRUE(inOrder);
}

TEST(Sampler, ComparesSeriesRoundByRound) {
  SamplerOptions options;
  options.budgetNs = 0;
  options.minSamples = options.maxSamples = 9;
  options.minSampleNs = 1;
  Sampler sampler(options);
  auto sleep = [](double us) {
    auto start = std::chrono::steady_clock::now();
    while (nsSince(start) < us * 1e3)
      ;
    return Status();
  };
  // Four of nine rounds find a slow machine.
  auto slow = [](size_t call) { return call % 9 < 4 ? 5.0 : 1.0; };
  size_t a =
      sampler.add("a", [&](size_t call) { return sleep(40 * slow(call)); });
  size_t b =
      sampler.add("b", [&](size_t call) { return sleep(20 * slow(call)); });
  ASSERT_TRUE(sampler.run());
  EXPECT_DOUBLE_EQ(sampler.medianRatio(a, a), 1);
  EXPECT_GT(sampler.medianRatio(a, b), 1.5);
  EXPECT_LT(sampler.medianRatio(b, a), 0.7);
}

TEST(Sampler, StopsAtTheFirstError) {
  Sampler sampler;
  sampler.add("a", [](size_t) -> Status { return fail("execute", "broken"); });
  auto summaries = sampler.run();
  ASSERT_FALSE(summaries);
  EXPECT_EQ(summaries.error().message, "broken");
}
