//===- ReplayTest.cpp - The policy against adversaries --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "engine/policy/Replay.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <random>

using namespace tandem::tiering;

namespace {

/// Times of a signature, what is predicted of it, and what follows from both.
struct Case {
  double e, c, compile;                // e, c, C
  double predictedCompile, predictedC; // Ĉ, ĉ

  double gain() const { return e - c; }
  /// The Ĉ that leads to the same start if ĉ is right.
  double effectiveCompile() const {
    return predictedCompile * (e - c) / (e - predictedC);
  }
  /// 1 + max(Ĉ/C, C/Ĉ)·(1 − c/e).
  double bound() const {
    const double off = effectiveCompile() / compile;
    return 1 + std::max(off, 1 / off) * (1 - c / e);
  }
  /// What the first call, which is always eager, may lose beyond the bound:
  /// only where break-even is in the first call.
  double firstCallLoss() const {
    return predictedCompile <= e - predictedC ? gain() : 0;
  }
  ReplaySignature signature() const {
    return {compile, predictedCompile, predictedC};
  }
  ReplayCall call() const { return {0, e, c, 0}; }
};

class ReplayTest : public testing::Test {
protected:
  double logUniform(double low, double high) {
    return std::exp(std::uniform_real_distribution<>(std::log(low),
                                                     std::log(high))(random));
  }
  double uniform(double low, double high) {
    return std::uniform_real_distribution<>(low, high)(random);
  }
  /// c is below e; Ĉ is off by up to eight times, ĉ is right.
  Case anyCase() {
    Case made;
    made.e = logUniform(1e3, 1e8);
    made.c = made.e * uniform(0.01, 0.99);
    made.compile = made.gain() * logUniform(0.2, 60);
    made.predictedCompile = made.compile * logUniform(1.0 / 8, 8);
    made.predictedC = made.c;
    return made;
  }
  /// Calls `check(replay, n)` after each of `calls` calls, as the adversary may
  /// stop after any.
  template <typename Check>
  void replay(ReplayMachine machine, const Case &made, uint64_t calls,
              Check check) {
    Replay replay(machine, {}, {made.signature()});
    for (uint64_t n = 1; n <= calls; ++n) {
      replay.call(made.call());
      check(replay, static_cast<double>(n));
    }
  }
  static uint64_t longEnough(const Case &made) {
    return static_cast<uint64_t>(
        4 * (made.compile + made.effectiveCompile()) / made.gain() + 8);
  }

  std::mt19937_64 random{13};
};

constexpr double kRounding = 1 + 1e-9;

TEST_F(ReplayTest, StaysWithinTheSkiRentalBound) {
  double closest = 0;
  for (int i = 0; i < 500; ++i) {
    const Case made = anyCase();
    replay(ReplayMachine::blocking(), made, longEnough(made),
           [&](const Replay &replay, double n) {
             const double best =
                 std::min(n * made.e, made.compile + n * made.c);
             const double limit = made.bound() * best + made.firstCallLoss();
             ASSERT_LE(replay.busyNs(), limit * kRounding);
             closest = std::max(closest, replay.busyNs() / limit);
           });
  }
  EXPECT_GT(closest, 0.97); // the bound is tight: it is the policy's own
}

TEST_F(ReplayTest, CompilesOnceAndStaysCompiled) {
  for (int i = 0; i < 100; ++i) {
    const Case made = anyCase();
    replay(ReplayMachine::blocking(), made, longEnough(made),
           [](const Replay &replay, double) {
             ASSERT_LE(replay.counts().compiled, 1U);
             ASSERT_EQ(replay.counts().demoted, 0U);
           });
    Replay all(ReplayMachine::blocking(), {}, {made.signature()});
    for (uint64_t n = longEnough(made); n > 0; --n)
      all.call(made.call());
    EXPECT_EQ(all.record(0).state, State::promoted);
  }
}

TEST_F(ReplayTest, PaysForAWrongTimeAsForAWrongCost) {
  for (int i = 0; i < 500; ++i) {
    Case made = anyCase();
    made.predictedC = made.e * uniform(0.01, 0.99);
    replay(
        ReplayMachine::blocking(), made, longEnough(made),
        [&](const Replay &replay, double n) {
          const double best = std::min(n * made.e, made.compile + n * made.c);
          ASSERT_LE(replay.busyNs(),
                    (made.bound() * best + made.firstCallLoss()) * kRounding);
        });
  }
}

TEST_F(ReplayTest, GoesBackWhenCompiledIsSlower) {
  for (int i = 0; i < 500; ++i) {
    Case made = anyCase();
    made.predictedC = made.c;
    made.c = made.e * uniform(1, 5);
    const double wasted =
        made.compile / made.predictedCompile * (1 - made.predictedC / made.e);
    const auto calls = static_cast<uint64_t>(
        made.predictedCompile / (made.e - made.predictedC) + 50);
    Replay replay(ReplayMachine::blocking(), {}, {made.signature()});
    for (uint64_t n = 1; n <= calls; ++n) {
      replay.call(made.call());
      const double best = static_cast<double>(n) * made.e;
      ASSERT_LE(replay.busyNs(),
                ((1 + wasted) * best + 3 * (made.c - made.e)) * kRounding);
    }
    EXPECT_EQ(replay.record(0).state, State::demoted);
    EXPECT_EQ(replay.counts().demoted, 1U);
    EXPECT_EQ(replay.counts().compiled, 1U);
  }
}

/// The total of n calls where compiling starts at once, beside the caller.
double compileAtOnce(const Case &made, double n, double share) {
  // Calls that begin before the program is ready run eagerly.
  const double eager = std::min(n, std::ceil(made.compile / made.e));
  const double stolen =
      std::min(made.compile, eager * made.e) * (1 / share - 1);
  return eager * made.e + stolen + (n - eager) * made.c;
}

TEST_F(ReplayTest, HoldsTheBoundOnASharedCore) {
  for (int i = 0; i < 500; ++i) {
    const Case made = anyCase();
    replay(ReplayMachine::sharedCore(), made, longEnough(made),
           [&](const Replay &replay, double n) {
             const double best =
                 std::min(n * made.e, compileAtOnce(made, n, 0.5));
             // The call in which compiling ends runs on eagerly.
             ASSERT_LE(replay.busyNs(), (made.bound() * best +
                                         made.firstCallLoss() + made.gain()) *
                                            kRounding);
           });
  }
}

TEST_F(ReplayTest, LosesOnlyASmallShareOfCOnASpareCore) {
  const double share = PolicyOptions().spareShare;
  for (int i = 0; i < 500; ++i) {
    const Case made = anyCase();
    replay(ReplayMachine::spareCore(), made, longEnough(made),
           [&](const Replay &replay, double n) {
             const double best = compileAtOnce(made, n, 1);
             ASSERT_LE(replay.busyNs(), (best + share * made.predictedCompile +
                                         2 * made.gain()) *
                                            kRounding);
             ASSERT_LE(replay.busyNs(), n * made.e * kRounding);
           });
  }
}

TEST_F(ReplayTest, IsNearTheBetterOfEagerAndCompileOnASpareCore) {
  const double share = PolicyOptions().spareShare;
  for (int i = 0; i < 500; ++i) {
    Case made = anyCase();
    made.predictedCompile = made.compile;
    replay(ReplayMachine::spareCore(), made, longEnough(made),
           [&](const Replay &replay, double n) {
             const double better =
                 std::min(n * made.e, made.compile + n * made.c);
             ASSERT_LE(replay.busyNs(),
                       ((1 + share) * better + 2 * made.gain()) * kRounding);
           });
  }
}

TEST_F(ReplayTest, HoldsTheBoundWhileEagerDrifts) {
  for (int i = 0; i < 300; ++i) {
    Case made = anyCase();
    made.c = made.predictedC = made.e * uniform(0.05, 0.7);
    made.compile = made.gain() * logUniform(1, 60);
    made.predictedCompile = made.compile * logUniform(1.0 / 8, 8);
    const double most = made.e * 3, least = made.c * 1.2;
    Replay replay(ReplayMachine::blocking(), {}, {made.signature()});
    double e = std::clamp(made.e, least, most), eagerSum = 0, peak = 0;
    for (uint64_t n = 1; n <= longEnough(made); ++n) {
      e = std::clamp(e * uniform(0.9, 1.12), least, most);
      replay.call({0, e, made.c, 0});
      eagerSum += e;
      peak = std::max(peak, e);
      const double best =
          std::min(eagerSum, made.compile + static_cast<double>(n) * made.c);
      const double off = std::max(made.predictedCompile / made.compile,
                                  made.compile / made.predictedCompile);
      // The coming call is foreseen by the median of those before it.
      ASSERT_LE(replay.busyNs(),
                (1 + off * (1 - made.c / peak)) * best + 2 * off * peak);
    }
  }
}

TEST_F(ReplayTest, BlockingSignaturesDoNotWorsenEachOther) {
  std::vector<Case> cases;
  std::vector<ReplaySignature> signatures;
  for (int i = 0; i < 64; ++i) {
    cases.push_back(anyCase());
    signatures.push_back(cases.back().signature());
  }
  Replay replay(ReplayMachine::blocking(), {}, signatures);
  std::vector<double> counts(cases.size());
  for (int i = 0; i < 20000; ++i) {
    // Zipf: the k-th signature comes in proportion to 1/k.
    const auto k = static_cast<size_t>(logUniform(1, 65)) - 1;
    const size_t signature = std::min(k, cases.size() - 1);
    replay.call({signature, cases[signature].e, cases[signature].c, 0});
    ++counts[signature];
  }
  double limit = 0;
  for (size_t i = 0; i < cases.size(); ++i)
    limit +=
        cases[i].firstCallLoss() +
        cases[i].bound() * std::min(counts[i] * cases[i].e,
                                    cases[i].compile + counts[i] * cases[i].c);
  EXPECT_LE(replay.busyNs(), limit * kRounding);
  EXPECT_GT(replay.counts().compiled, 32U);
}

TEST_F(ReplayTest, OneShotShapesDoNotKeepHotOnesFromCompiling) {
  // 4 hot signatures among 2,000 that come once; 100 ms to compile any.
  constexpr size_t kHot = 4, kAll = 2004;
  Replay replay(ReplayMachine::spareCore(), {},
                std::vector<ReplaySignature>(kAll, {1e8, 1e8, 2e5}));
  size_t oneShot = kHot;
  for (int i = 0; oneShot < kAll; ++i) {
    replay.call({static_cast<size_t>(i) % kHot, 1e6, 2e5, 0});
    replay.call({oneShot++, 1e6, 2e5, 0});
  }
  for (size_t i = 0; i < kHot; ++i)
    EXPECT_EQ(replay.record(i).state, State::promoted) << i;
  EXPECT_EQ(replay.counts().compiled, kHot);
}

TEST_F(ReplayTest, CancelsQueuedJobsOfAnEarlierPhase) {
  // Twenty signatures come in turn for a while and never again; one follows.
  constexpr size_t kEarly = 20;
  Replay replay(ReplayMachine::spareCore(), {},
                std::vector<ReplaySignature>(kEarly + 1, {1e9, 1e9, 0}));
  for (int i = 0; i < 120 * static_cast<int>(kEarly); ++i)
    replay.call({static_cast<size_t>(i) % kEarly, 1e6, 0, 0});
  for (int i = 0; i < 6000; ++i)
    replay.call({kEarly, 1e6, 1e5, 0});
  EXPECT_EQ(replay.record(kEarly).state, State::promoted);
  EXPECT_GT(replay.counts().cancelled, 0U);
  EXPECT_LT(replay.counts().compiled, kEarly / 2);
}

TEST_F(ReplayTest, CompilesInThePausesBetweenBursts) {
  // With no spare core, a pause as long as C hides the compilation.
  const Case made{1e6, 2e5, 4e7, 4e7, 2e5};
  auto run = [&](double gap) {
    Replay replay(ReplayMachine::sharedCore(), {}, {made.signature()});
    for (int i = 0; i < 200; ++i)
      replay.call({0, made.e, made.c, i % 10 == 0 ? gap : 0});
    EXPECT_EQ(replay.counts().compiled, 1U);
    EXPECT_EQ(replay.counts().cancelled, 0U);
    return replay.busyNs();
  };
  EXPECT_LT(run(1e8), run(0));
}

TEST_F(ReplayTest, DemotionsGrowOnlyWithTheLogarithm) {
  // Slower whenever it runs compiled, slower than ever when it runs eagerly.
  Case made{1e6, 2e5, 1e7, 1e7, 2e5};
  Replay replay(ReplayMachine::blocking(), {}, {made.signature()});
  double seenC = made.c;
  uint64_t seen = 0;
  for (int i = 0; i < 200000; ++i) {
    const Record &record = replay.record(0);
    if (record.demotions != seen) {
      seen = record.demotions;
      seenC = made.c;
      made.e = 1.5 * seenC;
    }
    made.c = std::max(made.c, 1.01 * record.eager.highNs());
    replay.call(made.call());
    ASSERT_LE(static_cast<double>(record.demotions),
              std::log2(record.eagerSumNs / made.compile + 2));
  }
  EXPECT_GE(replay.counts().demoted, 5U);
  EXPECT_EQ(replay.counts().compiled, 1U);
}

TEST_F(ReplayTest, ComesBackFromASlowdownOfTheWholeMachine) {
  // e is not measured while compiled runs, so that c alone seems to have grown.
  const Case made{1e6, 5e5, 2e7, 2e7, 5e5};
  Replay replay(ReplayMachine::blocking(), {}, {made.signature()});
  auto run = [&](double slowdown) {
    for (int i = 0; i < 500; ++i)
      replay.call({0, slowdown * made.e, slowdown * made.c, 0});
    EXPECT_EQ(replay.record(0).state, State::promoted) << slowdown;
  };
  run(1);
  run(3);
  EXPECT_EQ(replay.counts().demoted, 1U);
  run(1);
  EXPECT_EQ(replay.counts().demoted, 1U);
}

TEST_F(ReplayTest, CompilesAtAFixedCallWhateverItCosts) {
  auto compiledCalls = [](PolicyOptions options, ReplaySignature signature) {
    Replay replay(ReplayMachine::blocking(), options, {signature});
    for (int i = 0; i < 10; ++i)
      replay.call({0, 1e3, 2e2, 0});
    return replay.record(0).compiled.samples();
  };
  PolicyOptions second, never;
  second.compileAtCall = 2;
  never.compileAtCall = PolicyOptions::kNever;
  EXPECT_EQ(compiledCalls(second, {1e9, 0, 0, std::nullopt}), 9U);
  EXPECT_EQ(compiledCalls(never, {1, 1, 0, std::nullopt}), 0U);
  EXPECT_EQ(compiledCalls(never, {1e9, 0, 0, 1}), 10U);
}

TEST_F(ReplayTest, KnowsWhatEagerWasPredictedToTake) {
  Replay replay(ReplayMachine::sharedCore(), {},
                {{1e9, 1e9, 1e3, std::nullopt, 1e3}});
  replay.call({0, 4e3, 1e3, 0});
  EXPECT_DOUBLE_EQ(replay.record(0).expectedCompiledNs(), 2e3);
}

TEST_F(ReplayTest, WhatOnlyOneCallPaysIsNoPartOfE) {
  Replay replay(ReplayMachine::sharedCore(), {}, {{1e6, 1e6, 0}});
  EXPECT_EQ(replay.call({0, 1e3, 0, 0, 5e6}), 1e3 + 5e6);
  EXPECT_EQ(replay.record(0).eagerSumNs, 1e3);
}

TEST_F(ReplayTest, CallerAndCompilerTakeTurns) {
  // Compiling begins with the second call, and takes 25 ns; ticks are at 10,
  // 20 and so on.
  Replay replay(ReplayMachine::sharedCore(10), {}, {{25, 25, 0, uint64_t(2)}});
  auto call = [&](double ns) { return replay.call({0, ns, ns, 0}); };
  EXPECT_EQ(call(4), 4);
  EXPECT_EQ(call(4), 6 + 4);  // The compiler wakes first.
  EXPECT_EQ(call(8), 8 + 10); // It has its turn after six.
  EXPECT_EQ(call(7), 7);
  EXPECT_EQ(call(9), 1 + 9 + 8); // After one; then it has ended.
  EXPECT_EQ(call(99), 99);
  EXPECT_EQ(replay.counts().compiled, 1U);
}

TEST_F(ReplayTest, WhoHasSleptHasTheFirstTurn) {
  Replay replay(ReplayMachine::sharedCore(10), {}, {{25, 25, 0, uint64_t(1)}});
  EXPECT_EQ(replay.call({0, 1, 1, 0}), 10 + 1);
  // The pause ends at 16, with 10 ns of the compilation left. At 20 the caller
  // is still short of its share.
  EXPECT_EQ(replay.call({0, 10, 1, 5}), 10);
  EXPECT_EQ(replay.call({0, 10, 1, 0}), 4 + 10 + 6);
  EXPECT_EQ(replay.counts().compiled, 1U);
}

/// The bounds hold for shares that are exact; turns are right in the long run.
TEST_F(ReplayTest, TurnsAddUpToShares) {
  auto run = [](double tickNs) {
    Replay replay(ReplayMachine::sharedCore(tickNs), {},
                  {{1e6, 1e6, 0, uint64_t(1)}});
    for (int i = 0; i < 2000; ++i)
      replay.call({0, 1e3, 0, 0});
    return replay.busyNs();
  };
  EXPECT_NEAR(run(7e3), run(0), 7e3);
}

TEST_F(ReplayTest, TwoCompileThreadsEndSooner) {
  auto run = [](unsigned threads) {
    PolicyOptions options;
    options.compileThreads = threads;
    Replay replay(ReplayMachine::spareCore(), options,
                  std::vector<ReplaySignature>(8, {5e8, 5e8, 1e5}));
    for (int i = 0; i < 16000; ++i)
      replay.call({static_cast<size_t>(i) % 8, 1e6, 1e5, 0});
    EXPECT_EQ(replay.counts().compiled, 8U);
    return replay.busyNs();
  };
  EXPECT_LT(run(2), run(1));
}

} // namespace
