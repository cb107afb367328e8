//===- RatesTest.cpp - The best of several runs ---------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Measure/Rates.h"

#include <gmock/gmock.h>

using namespace tandem::measure;

namespace {

TEST(Rates, TheBestFiveAreToAgree) {
  int calls = 0;
  Best best = findLeast([&] { return ++calls % 2 ? 100.0 : 50.0; });
  EXPECT_EQ(calls, 10);
  EXPECT_EQ(best.value, 50);
  EXPECT_EQ(best.spread, 0);
  EXPECT_TRUE(best.isSteady());
}

TEST(Rates, WhatNeverAgreesIsNotReliedOn) {
  double time = 1;
  Best best = findLeast([&] { return time *= 1.1; });
  EXPECT_EQ(best.value, 1.1);
  EXPECT_NEAR(best.spread, 1.1 * 1.1 * 1.1 * 1.1 - 1, 1e-9);
  EXPECT_FALSE(best.isSteady());
}

TEST(Rates, TheLargestRateIsThatOfTheLeastTime) {
  double rate = 0;
  Best best = findLargest([&] { return rate < 7 ? ++rate : 7; });
  EXPECT_NEAR(best.value, 7, 1e-9);
}

TEST(Rates, ACoreComputesAndReads) {
  EXPECT_GT(measureFlops(128).value, 1);
  EXPECT_GT(measureTriad(1 << 14).value, 1);
}

TEST(Rates, StreamingIsComparedWithTheCaches) {
  Best gain = measureStreaming(1 << 16);
  EXPECT_GT(gain.value, 0);
  EXPECT_GE(gain.spread, 0);
}

} // namespace
