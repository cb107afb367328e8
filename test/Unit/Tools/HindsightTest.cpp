//===- HindsightTest.cpp - What was best, once a stream is known ----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem-bench/stream/Hindsight.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

using namespace tandem::bench;
using tandem::tiering::PolicyOptions;
using tandem::tiering::ReplayMachine;

namespace {

CallStream callsOf(std::vector<size_t> counts) {
  CallStream stream;
  for (size_t s = 0; s < counts.size(); ++s)
    stream.insert(stream.end(), counts[s], {s, 0});
  return stream;
}

// n* is 100 for both.
const std::vector<SignatureCosts> kCosts = {{1e4, 5e3, 5e5, 5e5, 5e3},
                                            {1e4, 5e3, 5e5, 5e5, 5e3}};

TEST(HindsightTest, WithoutASpareCoreCompilesWhatPays) {
  const RecordedStream stream = recordOf(callsOf({99, 101}), kCosts);
  const Hindsight best =
      bestInHindsight(stream, ReplayMachine::sharedCore(), 1);
  EXPECT_TRUE(best.isBlocking);
  EXPECT_EQ(best.isCompiled, (std::vector<bool>{false, true}));
  EXPECT_DOUBLE_EQ(best.ns, 99 * 1e4 + 5e5 + 101 * 5e3);
}

TEST(HindsightTest, OnASpareCoreCompilesBesideTheCalls) {
  const RecordedStream stream = recordOf(callsOf({99, 101}), kCosts);
  const Hindsight best = bestInHindsight(stream, ReplayMachine::spareCore(), 1);
  EXPECT_FALSE(best.isBlocking);
  EXPECT_EQ(best.isCompiled, (std::vector<bool>{true, true}));
  // Compiling takes as long as 50 eager calls.
  EXPECT_NEAR(best.ns, 2 * 50 * 1e4 + 49 * 5e3 + 51 * 5e3, 1e4);
}

TEST(HindsightTest, LeavesOutWhatOnlyKeepsOthersWaiting) {
  // The first ends before it could be compiled.
  const RecordedStream stream = recordOf(callsOf({20, 400}), kCosts);
  const Hindsight best = bestInHindsight(stream, ReplayMachine::spareCore(), 1);
  EXPECT_EQ(best.isCompiled, (std::vector<bool>{false, true}));
}

TEST(HindsightTest, TheBoundKnowsTheCorrectionByEager) {
  // c is predicted 2.5 times too high, as far as e lets expect.
  SignatureCosts off = kCosts[0];
  off.predictedCompiledNs *= 2.5;
  off.predictedEagerNs = 6.25 * off.eagerNs;
  const RecordedStream stream = recordOf(callsOf({100}), {&kCosts[0], 1});
  const auto machine = ReplayMachine::sharedCore();
  EXPECT_FLOAT_EQ(regretBound(stream, {&off, 1}, machine),
                  regretBound(stream, {&kCosts[0], 1}, machine));
}

TEST(HindsightTest, CountsWhatOnlyTheFirstCallPays) {
  RecordedStream stream = recordOf(callsOf({10}), {kCosts.data(), 1});
  stream.calls[0].onceNs = 3e4;
  EXPECT_DOUBLE_EQ(bestInHindsight(stream, ReplayMachine::sharedCore(), 1).ns,
                   10 * 1e4 + 3e4);
}

TEST(HindsightTest, ThePolicyIsWithinTheBoundOnASharedCore) {
  std::mt19937_64 random(3);
  auto logUniform = [&](double low, double high) {
    return std::exp(std::uniform_real_distribution<>(std::log(low),
                                                     std::log(high))(random));
  };
  double closest = 0;
  for (int i = 0; i < 300; ++i) {
    SignatureCosts one;
    one.eagerNs = logUniform(1e3, 1e6);
    one.compiledNs = one.predictedCompiledNs =
        one.eagerNs * std::uniform_real_distribution<>(0.05, 0.95)(random);
    one.compileNs = (one.eagerNs - one.compiledNs) * logUniform(3, 60);
    one.predictedCompileNs = one.compileNs * logUniform(0.25, 4);
    const std::vector<SignatureCosts> costs = {one};
    for (double length : {0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 8.0}) {
      const auto machine = ReplayMachine::sharedCore();
      const RecordedStream stream = recordOf(
          makeStream("constant", costs, length, machine, {}, 1), costs);
      const double regret = replayNs(stream, machine, PolicyOptions()) /
                            bestInHindsight(stream, machine, 1).ns;
      const double bound = regretBound(stream, costs, machine);
      ASSERT_LE(regret, bound * (1 + 1e-9));
      closest = std::max(closest, (regret - 1) / (bound - 1));
    }
  }
  EXPECT_GT(closest, 0.6); // It is not far off.
}

} // namespace
