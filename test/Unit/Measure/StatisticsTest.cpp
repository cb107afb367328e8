//===- StatisticsTest.cpp - Unit tests ------------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Measure/Statistics.h"

#include <gtest/gtest.h>

using namespace tandem::measure;

TEST(Statistics, QuantileInterpolatesBetweenSamples) {
  std::vector<double> sorted{1, 2, 3, 4};
  EXPECT_DOUBLE_EQ(quantile(sorted, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(sorted, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile(sorted, 0.9), 3.7);
  EXPECT_DOUBLE_EQ(quantile(sorted, 1), 4);
  EXPECT_DOUBLE_EQ(quantile({7}, 0.9), 7);
}

TEST(Statistics, SummaryDoesNotNeedSortedSamples) {
  Summary summary = summarize({5, 1, 3, 2, 4});
  EXPECT_DOUBLE_EQ(summary.median, 3);
  EXPECT_DOUBLE_EQ(summary.p10, 1.4);
  EXPECT_DOUBLE_EQ(summary.p90, 4.6);
  EXPECT_EQ(summary.samples, 5u);
  EXPECT_EQ(summarize({}).samples, 0u);
}

TEST(Statistics, BreakEvenRoundsUp) {
  EXPECT_EQ(breakEvenCalls(100, 20, 10), 10);
  EXPECT_EQ(breakEvenCalls(101, 20, 10), 11);
  EXPECT_EQ(breakEvenCalls(0, 20, 10), 1);
}

TEST(Statistics, BreakEvenIsNeverWhenCompiledIsNotFaster) {
  EXPECT_EQ(breakEvenCalls(100, 10, 10), std::nullopt);
  EXPECT_EQ(breakEvenCalls(100, 10, 20), std::nullopt);
  EXPECT_EQ(breakEvenCalls(1e300, 1e-300, 0), std::nullopt);
}

TEST(Statistics, VerdictNeedsSpreadsApart) {
  EXPECT_EQ(judge({10, 9, 11, 9}, {5, 4, 6, 9}), Verdict::compile);
  EXPECT_EQ(judge({10, 9, 11, 9}, {9.5, 8, 10, 9}), Verdict::close);
  EXPECT_EQ(judge({5, 4, 6, 9}, {10, 9, 11, 9}), Verdict::eager);
}
