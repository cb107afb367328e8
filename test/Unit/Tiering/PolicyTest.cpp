//===- PolicyTest.cpp - Tests of Policy.h ---------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "engine/policy/Policy.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <random>

using namespace tandem::tiering;

namespace {

constexpr double kMs = 1e6; // in nanoseconds

/// A record after `calls` eager calls of `e` each, one after the other.
Record eagerRecord(uint64_t calls, double e, double compile, double compiled) {
  Record record;
  record.predictedCompileNs = compile;
  record.predictedCompiledNs = compiled;
  for (uint64_t i = 0; i < calls; ++i) {
    record.beginCall(static_cast<double>(i) * e);
    record.addEager(e);
  }
  return record;
}

/// A record that runs compiled, after calls that took `eager` and `compiled`.
Record promotedRecord(const std::vector<double> &eager,
                      const std::vector<double> &compiled) {
  Record record;
  record.state = State::promoted;
  record.compileNs = 10 * kMs;
  for (double ns : eager)
    record.addEager(ns);
  for (double ns : compiled)
    record.addCompiled(ns);
  return record;
}

Conditions spare(double cores) {
  Conditions conditions;
  conditions.spareCores = cores;
  return conditions;
}

Decision decideOn(const Record &record, const Conditions &conditions = {}) {
  return decide(record, conditions, {});
}

TEST(TimeEstimateTest, IsZeroBeforeTheFirstSample) {
  TimeEstimate estimate;
  EXPECT_EQ(estimate.ns(), 0);
  EXPECT_EQ(estimate.spreadNs(), 0);
  EXPECT_EQ(estimate.samples(), 0U);
}

TEST(TimeEstimateTest, IgnoresWhatIsNoTime) {
  TimeEstimate estimate;
  for (double ns : {-1.0, std::nan(""), HUGE_VAL, 1e300})
    estimate.add(ns);
  EXPECT_EQ(estimate.samples(), 0U);
}

TEST(TimeEstimateTest, SpansAllOfFewSamples) {
  TimeEstimate estimate;
  for (double ns : {5.0, 1.0, 9.0})
    estimate.add(ns);
  EXPECT_EQ(estimate.lowNs(), 1);
  EXPECT_EQ(estimate.ns(), 5);
  EXPECT_EQ(estimate.highNs(), 9);
}

TEST(TimeEstimateTest, IsNotMovedByOutliers) {
  TimeEstimate estimate;
  for (int i = 0; i < 30; ++i)
    estimate.add(i % 15 == 0 ? 1e6 : 100);
  EXPECT_EQ(estimate.ns(), 100);
  EXPECT_EQ(estimate.highNs(), 100);
}

TEST(TimeEstimateTest, AgreesWithSortingTheWindow) {
  std::mt19937 random(1);
  TimeEstimate estimate;
  std::vector<double> all;
  for (int i = 0; i < 1000; ++i) {
    all.push_back(static_cast<double>(random() % 50));
    estimate.add(all.back());
    const size_t held = std::min(all.size(), TimeEstimate::kWindow);
    std::vector<double> window(all.end() - static_cast<ptrdiff_t>(held),
                               all.end());
    std::ranges::sort(window);
    ASSERT_EQ(estimate.ns(), window[(held - 1) / 2]);
    ASSERT_EQ(estimate.lowNs(), window[(held - 1) / 10]);
    ASSERT_EQ(estimate.highNs(), window[held - 1 - (held - 1) / 10]);
  }
}

TEST(PolicyTest, WaitsForTheFirstCallAndForAPrediction) {
  EXPECT_EQ(decideOn(eagerRecord(0, 1, 1, 0), spare(1)).reason,
            Reason::firstCall);
  EXPECT_EQ(decideOn(eagerRecord(9, 1, 0, 0), spare(1)).reason,
            Reason::notPredicted);
}

TEST(PolicyTest, CompilesAtTheBreakEvenCall) {
  // 4 ms lost per call, 40 ms to compile: with the tenth call.
  for (uint64_t before = 1; before < 20; ++before) {
    const Decision decision =
        decideOn(eagerRecord(before, 5 * kMs, 40 * kMs, 1 * kMs));
    EXPECT_EQ(decision.action,
              before + 1 >= 10 ? Action::compile : Action::none)
        << before;
    EXPECT_DOUBLE_EQ(decision.have, static_cast<double>(before + 1) * 4 * kMs);
    EXPECT_DOUBLE_EQ(decision.need, 40 * kMs);
  }
}

TEST(PolicyTest, CompilesEarlierOnASpareCore) {
  const Record record = eagerRecord(2, 5 * kMs, 40 * kMs, 1 * kMs);
  EXPECT_EQ(decideOn(record, spare(0)).action, Action::none);
  EXPECT_EQ(decideOn(record, spare(1)).action, Action::compile);
  // Two calls of a shape whose compilation is long do not start it.
  EXPECT_EQ(decideOn(eagerRecord(1, 1 * kMs, 300 * kMs, 0), spare(8)).action,
            Action::none);
}

TEST(PolicyTest, PricesSpareCoresAndTheQueue) {
  PolicyOptions options;
  options.compileThreads = 2;
  EXPECT_DOUBLE_EQ(compilePrice(spare(0), options), 1);
  EXPECT_DOUBLE_EQ(compilePrice(spare(0.5), options), 0.505);
  EXPECT_DOUBLE_EQ(compilePrice(spare(3), options), 0.01);
  Conditions conditions = spare(1);
  conditions.queuedLossRate = 0.6;
  EXPECT_DOUBLE_EQ(compilePrice(conditions, options), 0.31);
  conditions.queuedLossRate = 60;
  EXPECT_DOUBLE_EQ(compilePrice(conditions, options), 1);
}

TEST(PolicyTest, LeavesEagerWhatIsPredictedToBeSlower) {
  const Record record = eagerRecord(1000, 1 * kMs, 1 * kMs, 1 * kMs);
  const Decision decision = decideOn(record, spare(1));
  EXPECT_EQ(decision.action, Action::none);
  EXPECT_EQ(decision.reason, Reason::predictedSlower);
}

TEST(PolicyTest, CancelsAJobWhoseSignatureWentQuiet) {
  Record record = eagerRecord(10, 1 * kMs, 4 * kMs, 0);
  record.state = State::queued;
  Conditions conditions;
  conditions.nowNs = record.lastCallNs + 2.3 * kMs; // ln 11 = 2.398
  EXPECT_EQ(decideOn(record, conditions).action, Action::none);
  conditions.queuedLossRate = 0.1;
  EXPECT_EQ(decideOn(record, conditions).action, Action::none);
  conditions.nowNs = record.lastCallNs + 2.5 * kMs;
  EXPECT_EQ(decideOn(record, conditions).action, Action::cancel);
  conditions.queuedLossRate = 0; // nobody would be served sooner
  EXPECT_EQ(decideOn(record, conditions).action, Action::none);
  conditions.queuedLossRate = 0.1;
  // After a pause of that length it is a burst that may come again.
  record.beginCall(conditions.nowNs);
  conditions.nowNs += 2.5 * kMs;
  EXPECT_EQ(decideOn(record, conditions).action, Action::none);
}

TEST(PolicyTest, PicksByLossRatePerCompileTime) {
  const Record slowToCompile = eagerRecord(50, 4 * kMs, 80 * kMs, 1 * kMs);
  const Record fast = eagerRecord(50, 2 * kMs, 10 * kMs, 1 * kMs);
  const Record losingLess = eagerRecord(50, 2 * kMs, 10 * kMs, 1.8 * kMs);
  EXPECT_EQ(pickNext({}, 0), std::nullopt);
  EXPECT_EQ(pickNext(std::array{&slowToCompile, &fast, &losingLess}, 1e8), 1);
  EXPECT_GT(lossRate(slowToCompile, 1e8), lossRate(fast, 1e8));
  // One call does not tell a rate: 1 ms in the 100 ms that compiling takes.
  EXPECT_DOUBLE_EQ(lossRate(eagerRecord(1, 1 * kMs, 100 * kMs, 0), 0), 0.01);
  // The loss rate falls while a signature is silent.
  EXPECT_LT(lossRate(fast, 10e8), lossRate(fast, 1e8) / 5);
}

TEST(PolicyTest, CorrectsThePredictedTimeByWhatIsKnownOfEager) {
  Record record = eagerRecord(0, 0, 4 * kMs, 1 * kMs);
  record.predictedEagerNs = 2 * kMs;
  // Nothing is measured yet.
  EXPECT_DOUBLE_EQ(record.expectedCompiledNs(), 1 * kMs);
  record.addEager(8 * kMs);
  EXPECT_DOUBLE_EQ(record.expectedCompiledNs(), 2 * kMs);
  record.addCompiled(3 * kMs);
  EXPECT_FLOAT_EQ(record.expectedCompiledNs(), 3 * kMs);
  // What was measured is not corrected when it becomes the prediction.
  record.retry(/*resident=*/true);
  EXPECT_FLOAT_EQ(record.expectedCompiledNs(), 3 * kMs);
}

TEST(PolicyTest, PromotesWhatIsReadyAndStillExpectedToBeFaster) {
  Record record = eagerRecord(10, 2 * kMs, 4 * kMs, 1 * kMs);
  record.state = State::compiled;
  EXPECT_EQ(decideOn(record).action, Action::promote);
  record.predictedCompiledNs = 3 * kMs;
  EXPECT_EQ(decideOn(record).reason, Reason::predictedSlower);
  record.residentBytes = PolicyOptions().maxResidentBytes + 1;
  EXPECT_EQ(decideOn(record).action, Action::refuse);
}

/// The gaps between certificates that decide nothing grow.
TEST(PolicyTest, CertifiesAgainAfterGrowingGaps) {
  Record record = eagerRecord(10, 2 * kMs, 4 * kMs, 1 * kMs);
  record.state = State::compiled;
  for (uint64_t gap : {16, 64, 256, 1024}) {
    const uint64_t calls = record.calls;
    record.addUndecidedCertificate();
    EXPECT_EQ(record.nextCertificateCall, calls + gap);
    EXPECT_FALSE(record.isCertificateDue());
    EXPECT_EQ(decideOn(record).reason, Reason::undecided);
    record.addCalls(gap, record.lastCallNs);
    EXPECT_TRUE(record.isCertificateDue());
    EXPECT_EQ(decideOn(record).action, Action::promote);
  }
}

TEST(PolicyTest, DemotesOnlyBeyondBothSpreads) {
  EXPECT_EQ(decideOn(promotedRecord({100, 101, 102}, {200, 200})).reason,
            Reason::fewSamples);
  EXPECT_EQ(decideOn(promotedRecord({100, 101, 102}, {105, 106, 107})).action,
            Action::demote);
  EXPECT_EQ(decideOn(promotedRecord({100, 101, 106}, {105, 106, 107})).reason,
            Reason::notSlower);
  EXPECT_EQ(decideOn(promotedRecord({100, 101, 102}, {50, 60, 70})).action,
            Action::none);
}

TEST(PolicyTest, KeepsWhatWasCompiledBeforeEagerWasTimed) {
  EXPECT_EQ(decideOn(promotedRecord({}, {200, 201, 202, 203})).reason,
            Reason::firstCall);
  Record ready;
  ready.state = State::compiled;
  EXPECT_EQ(decideOn(ready).action, Action::promote);
}

TEST(PolicyTest, CountsCallsThatCouldNotBeTimed) {
  Record record;
  record.addUntimedEager();
  record.addEager(100);
  record.addUntimedEager();
  EXPECT_DOUBLE_EQ(record.eagerSumNs, 300);
}

TEST(PolicyTest, WhatCompilingTakesFromACallIsNotLostByEager) {
  Record record;
  record.addEagerBeside(100);
  EXPECT_DOUBLE_EQ(record.eager.ns(), 100); // There is nothing else yet.
  record.addEagerBeside(1000);
  record.addEagerBeside(50);
  EXPECT_DOUBLE_EQ(record.eagerSumNs, 250);
  EXPECT_DOUBLE_EQ(record.eager.highNs(), 100);
  record.addEager(1000);
  EXPECT_DOUBLE_EQ(record.eagerSumNs, 1250);
}

TEST(PolicyTest, RemembersADemotionAndDoublesThePriceOfTheNextTry) {
  Record record = promotedRecord({1 * kMs}, {2 * kMs, 2 * kMs, 3 * kMs});
  record.demote(0);
  EXPECT_EQ(record.lossNs(), 0);
  for (int i = 0; i < 1000; ++i)
    record.addEager(1 * kMs);
  EXPECT_EQ(decideOn(record, spare(9)).reason, Reason::remembered);
  // Eager becomes slower: 6 ms lost per call. 2 · (10 + 8 + 2) ms pay a retry.
  record.demote(0);
  record.demotions = 1;
  for (int i = 0; i < 100; ++i)
    record.addEager(8 * kMs);
  const Decision once = decideOn(record);
  EXPECT_EQ(once.action, Action::retry);
  EXPECT_DOUBLE_EQ(once.need, 2 * 20 * kMs);
  record.demotions = 2;
  EXPECT_DOUBLE_EQ(decideOn(record).need, 4 * 20 * kMs);
  record.demotions = 4000000000U;
  EXPECT_EQ(decideOn(record).action, Action::none);
  record.demotions = 1;
  record.retry(/*resident=*/true);
  EXPECT_EQ(record.state, State::compiled);
  EXPECT_EQ(record.compiled.samples(), 0U);
  EXPECT_EQ(decideOn(record).action, Action::promote);
}

TEST(PolicyTest, ACancelledRetryDoesNotForgetTheDemotion) {
  Record record = promotedRecord({8 * kMs}, {2 * kMs, 2 * kMs, 3 * kMs});
  record.demote(0);
  record.retry(/*resident=*/false);
  EXPECT_EQ(record.state, State::queued);
  record.state = State::eager; // cancelled
  record.addEager(8 * kMs);
  const Decision decision = decideOn(record, spare(1));
  EXPECT_EQ(decision.action, Action::none);
  EXPECT_GE(decision.need, 2 * record.compileNs);
}

TEST(PolicyTest, ADroppedProgramHasToBeWorthItsCostAgain) {
  Record record = eagerRecord(100, 5 * kMs, 40 * kMs, 1 * kMs);
  record.state = State::promoted;
  record.compileNs = 40 * kMs;
  record.dropProgram(1e9);
  EXPECT_EQ(record.state, State::eager);
  EXPECT_EQ(decideOn(record).action, Action::none);
  for (int i = 0; i < 9; ++i)
    record.addEager(5 * kMs);
  EXPECT_EQ(decideOn(record).action, Action::compile);
}

TEST(PolicyTest, RefusedStaysRefused) {
  Record record = eagerRecord(1000000, 5 * kMs, 1, 0);
  record.state = State::refused;
  record.dropProgram(0);
  EXPECT_EQ(decideOn(record, spare(64)).action, Action::none);
  EXPECT_EQ(record.state, State::refused);
}

TEST(PolicyTest, EvictsTheLeastRecentlyCalled) {
  std::vector<Record> records(4);
  std::vector<const Record *> pointers;
  for (size_t i = 0; i < records.size(); ++i) {
    records[i].lastCallNs = static_cast<double>(10 + i);
    records[i].residentBytes = 100;
    pointers.push_back(&records[i]);
  }
  records[0].state = State::compiling;
  records[1].residentBytes = 0;
  PolicyOptions options;
  options.maxSignatures = 4;
  options.maxResidentBytes = 300;
  EXPECT_FALSE(selectEviction(pointers, options));
  options.maxResidentBytes = 299;
  auto eviction = selectEviction(pointers, options);
  ASSERT_TRUE(eviction);
  EXPECT_EQ(eviction->index, 2U); // 0 is being compiled, 1 has no program
  EXPECT_FALSE(eviction->wholeSignature);
  options.maxSignatures = 3;
  eviction = selectEviction(pointers, options);
  ASSERT_TRUE(eviction);
  EXPECT_EQ(eviction->index, 1U);
  EXPECT_TRUE(eviction->wholeSignature);
}

TEST(PolicyTest, EvictsNothingThatIsBeingCompiled) {
  Record record;
  record.state = State::compiling;
  PolicyOptions options;
  options.maxSignatures = 0;
  EXPECT_FALSE(selectEviction(std::array{&std::as_const(record)}, options));
}

TEST(PolicyTest, SaysWhyAndWhatWouldChangeIt) {
  const Record record = eagerRecord(1, 5 * kMs, 40 * kMs, 1 * kMs);
  EXPECT_EQ(describe(decideOn(record)),
            "eager has lost 8 ms; compiles when that reaches 40 ms");
  for (int reason = 0; reason <= static_cast<int>(Reason::refused); ++reason) {
    const std::string text =
        describe({Action::none, static_cast<Reason>(reason), 2e6, 3e6});
    EXPECT_FALSE(text.empty()) << reason;
    EXPECT_THAT(text, testing::Not(testing::HasSubstr("%"))) << reason;
  }
}

/// Random records and conditions, many of them near a threshold.
class MonotoneTest : public testing::Test {
protected:
  double uniform(double low, double high) {
    return std::uniform_real_distribution<>(low, high)(random);
  }
  Record anyRecord() {
    Record record = eagerRecord(1 + random() % 40, uniform(1, 10),
                                uniform(1, 200), uniform(0, 12));
    record.demotions = random() % 4 == 0;
    return record;
  }
  Conditions anyConditions() {
    Conditions conditions = spare(uniform(-0.5, 2));
    conditions.queuedLossRate = uniform(0, 1);
    return conditions;
  }
  static bool compiles(const Record &record, const Conditions &conditions) {
    return decide(record, conditions, {}).action == Action::compile;
  }
  std::mt19937 random{7};
};

TEST_F(MonotoneTest, WorseForCompilingNeverStartsIt) {
  int started = 0, changed = 0;
  for (int i = 0; i < 20000; ++i) {
    const Record record = anyRecord();
    const Conditions conditions = anyConditions();
    const bool before = compiles(record, conditions);
    started += before;
    auto expectNotEarlier = [&](const Record &r, const Conditions &c) {
      const bool after = compiles(r, c);
      EXPECT_TRUE(before || !after);
      changed += before != after;
    };
    Record worse = record;
    worse.predictedCompileNs *= 1.5;
    expectNotEarlier(worse, conditions);
    worse = record;
    worse.predictedCompiledNs *= 1.5;
    expectNotEarlier(worse, conditions);
    worse = record;
    ++worse.demotions;
    expectNotEarlier(worse, conditions);
    Conditions busier = conditions;
    busier.spareCores -= 0.3;
    expectNotEarlier(record, busier);
    busier = conditions;
    busier.queuedLossRate += 0.3;
    expectNotEarlier(record, busier);
  }
  // The test has seen both sides.
  EXPECT_GT(started, 2000);
  EXPECT_GT(changed, 2000);
}

TEST_F(MonotoneTest, AnotherLossNeverStopsIt) {
  for (int i = 0; i < 20000; ++i) {
    Record record = anyRecord();
    const Conditions conditions = anyConditions();
    const bool before = compiles(record, conditions);
    record.addEager(record.eager.ns());
    EXPECT_TRUE(!before || compiles(record, conditions));
  }
}

TEST_F(MonotoneTest, DecidingTwiceGivesTheSame) {
  for (int i = 0; i < 1000; ++i) {
    const Record record = anyRecord();
    const Conditions conditions = anyConditions();
    const Decision a = decide(record, conditions, {});
    const Decision b = decide(Record(record), Conditions(conditions), {});
    EXPECT_EQ(a.action, b.action);
    EXPECT_EQ(a.have, b.have);
    EXPECT_EQ(a.need, b.need);
  }
}

/// A promoted record with so many compiled calls, and captured ones on trial.
Record capturingRecord(Capture capture, size_t compiled, double captured,
                       size_t samples) {
  Record record = promotedRecord({5 * kMs, 5 * kMs, 5 * kMs},
                                 std::vector<double>(compiled, 2 * kMs));
  record.capture = capture;
  for (size_t i = 0; i < samples; ++i)
    record.addCaptured(captured);
  return record;
}

TEST(PolicyTest, CapturesOnceCompiledCallsAreTimed) {
  const uint64_t needed = PolicyOptions().captureSamples;
  auto decisionAfter = [&](Capture capture, size_t compiled) {
    return decideOn(capturingRecord(capture, compiled, 0, 0));
  };
  EXPECT_EQ(decisionAfter(Capture::untried, needed - 1).action, Action::none);
  EXPECT_EQ(decisionAfter(Capture::untried, needed).action, Action::capture);
  for (Capture capture :
       {Capture::unavailable, Capture::preparing, Capture::rejected})
    EXPECT_EQ(decisionAfter(capture, needed).action, Action::none);
  // What is slower than eager has no use for it.
  EXPECT_EQ(decideOn([&] {
              Record slow = promotedRecord(
                  {1 * kMs}, std::vector<double>(needed, 2 * kMs));
              slow.capture = Capture::untried;
              return slow;
            }())
                .action,
            Action::demote);
}

TEST(PolicyTest, TheMediansOfTheTrialDecide) {
  const uint64_t needed = PolicyOptions().captureSamples;
  auto decisionFor = [&](double captured, size_t samples) {
    return decideOn(capturingRecord(Capture::trial, needed, captured, samples));
  };
  EXPECT_EQ(decisionFor(1 * kMs, needed - 1).reason, Reason::comparing);
  EXPECT_EQ(decisionFor(1 * kMs, needed - 1).action, Action::none);
  EXPECT_EQ(decisionFor(1.9 * kMs, needed).action, Action::adopt);
  EXPECT_EQ(decisionFor(2 * kMs, needed).action, Action::release);
  EXPECT_EQ(decisionFor(3 * kMs, needed).action, Action::release);
}

TEST(PolicyTest, ATrialAlternates) {
  Record record = capturingRecord(Capture::preparing, 40, 0, 0);
  EXPECT_FALSE(record.runsCaptured());
  record.beginTrial(3 * kMs);
  std::string order;
  for (int i = 0; i < 6; ++i) {
    order += record.runsCaptured() ? 'x' : 'c';
    record.runsCaptured() ? record.addCaptured(1 * kMs)
                          : record.addCompiled(2 * kMs);
  }
  EXPECT_EQ(order, "cxcxcx");
  // A call that captures is a cost, beyond a compiled call, and no sample.
  record.addCapturing(7 * kMs);
  EXPECT_DOUBLE_EQ(record.captureNs, 8 * kMs);
  EXPECT_EQ(record.captured.samples(), 3U);
}

TEST(PolicyTest, CapturedGoesBeyondBothSpreads) {
  auto decisionFor = [&](double captured, size_t samples) {
    return decideOn(capturingRecord(Capture::chosen, 32, captured, samples));
  };
  EXPECT_EQ(decisionFor(3 * kMs, 2).action, Action::none);
  EXPECT_EQ(decisionFor(1.9 * kMs, 3).action, Action::none);
  EXPECT_EQ(decisionFor(2 * kMs, 3).action, Action::release);
}

TEST(PolicyTest, WhatWasNotFasterCapturedIsRemembered) {
  for (auto [before, after] :
       {std::pair(Capture::rejected, Capture::rejected),
        std::pair(Capture::chosen, Capture::unavailable)}) {
    Record demoted = capturingRecord(before, 32, 1 * kMs, 3);
    demoted.demote(0);
    EXPECT_EQ(demoted.capture, after);
    Record dropped = capturingRecord(before, 32, 1 * kMs, 3);
    dropped.dropProgram(0);
    EXPECT_EQ(dropped.capture, after);
  }
}

} // namespace
