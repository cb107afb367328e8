//===- CallStreamTest.cpp - Streams of calls of a graph -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem-bench/stream/CallStream.h"

#include <gmock/gmock.h>

#include <algorithm>

using namespace tandem;
using namespace tandem::bench;
using tandem::tiering::PolicyOptions;
using tandem::tiering::ReplayMachine;
using testing::HasSubstr;

namespace {

// n* is 100 for the first, and 50, and 200.
const std::vector<SignatureCosts> kCosts = {{1e4, 5e3, 5e5, 5e5, 5e3},
                                            {2e4, 1e4, 5e5, 5e5, 1e4},
                                            {1e4, 5e3, 1e6, 1e6, 5e3}};

CallStream make(std::string_view kind, double length, uint64_t seed = 1,
                ReplayMachine machine = ReplayMachine::sharedCore()) {
  return makeStream(kind, kCosts, length, machine, PolicyOptions(), seed);
}

std::vector<size_t> signaturesOf(const CallStream &stream) {
  std::vector<size_t> signatures;
  for (const StreamCall &call : stream)
    signatures.push_back(call.signature);
  return signatures;
}

std::vector<size_t> countsOf(const CallStream &stream) {
  std::vector<size_t> counts(kCosts.size());
  for (const StreamCall &call : stream)
    ++counts[call.signature];
  return counts;
}

double gapsOf(const CallStream &stream) {
  double sum = 0;
  for (const StreamCall &call : stream)
    sum += call.gapNs;
  return sum;
}

TEST(CallStreamTest, CountsCallsUntilCompilingHasPaid) {
  EXPECT_EQ(kCosts[0].breakEvenCalls(), 100);
  EXPECT_EQ((SignatureCosts{1e4, 5e3, 5.1e3}).breakEvenCalls(), 2);
  // Never: the calls that fit into C.
  EXPECT_EQ((SignatureCosts{1e4, 2e4, 5e5}).breakEvenCalls(), 50);
}

TEST(CallStreamTest, ConstantIsOneSignature) {
  EXPECT_EQ(countsOf(make("constant", 4)), (std::vector<size_t>{400, 0, 0}));
  EXPECT_EQ(make("constant", 1e-9).size(), 1U);
}

TEST(CallStreamTest, ZipfFallsWithTheRank) {
  const std::vector<size_t> counts = countsOf(make("zipf", 100));
  EXPECT_NEAR(static_cast<double>(counts[0]), 1e4, 300);
  EXPECT_NEAR(static_cast<double>(counts[1]), 1e4 / 2, 300);
  EXPECT_NEAR(static_cast<double>(counts[2]), 1e4 / 3, 300);
}

TEST(CallStreamTest, TheSeedMakesTheStream) {
  for (std::string_view kind : {"zipf", "drift"}) {
    EXPECT_EQ(signaturesOf(make(kind, 1, 7)), signaturesOf(make(kind, 1, 7)));
    EXPECT_NE(signaturesOf(make(kind, 1, 7)), signaturesOf(make(kind, 1, 8)));
  }
}

TEST(CallStreamTest, DriftBlendsFromOneSignatureToTheNext) {
  const std::vector<size_t> order = signaturesOf(make("drift", 4));
  EXPECT_EQ(countsOf(make("drift", 4)), (std::vector<size_t>{400, 200, 800}));
  EXPECT_EQ(order.front(), 0U);
  EXPECT_EQ(order.back(), 2U);
  EXPECT_FALSE(std::ranges::is_sorted(order));
  auto last = std::find(order.rbegin(), order.rend(), 0U);
  EXPECT_LT(order.rend() - last, 1000); // Not at the end any more.
}

TEST(CallStreamTest, BurstsTakeTurnsAndPause) {
  const CallStream stream = make("bursts", 1);
  EXPECT_EQ(countsOf(stream), (std::vector<size_t>{100, 50, 200}));
  // 13 calls, 6 calls, 25 calls, and from the start.
  EXPECT_EQ(stream[12].signature, 0U);
  EXPECT_EQ(stream[13].signature, 1U);
  EXPECT_EQ(stream[19].signature, 2U);
  EXPECT_EQ(stream[44].signature, 0U);
  EXPECT_EQ(stream[13].gapNs, 6 * 2e4);
  EXPECT_EQ(stream[14].gapNs, 0);
  // As long as all calls take.
  EXPECT_NEAR(gapsOf(stream), 100 * 1e4 + 50 * 2e4 + 200 * 1e4, 1);
}

TEST(CallStreamTest, TheAdversaryStopsAtTheFirstCompiledCall) {
  const CallStream stream =
      make("adversarial", 1, 1, ReplayMachine::blocking());
  // The policy compiles at n* if calls wait.
  EXPECT_EQ(countsOf(stream), (std::vector<size_t>{100, 50, 200}));
  EXPECT_TRUE(std::ranges::is_sorted(signaturesOf(stream)));
  EXPECT_FALSE(hasLength("adversarial"));
  EXPECT_TRUE(hasLength("zipf"));
  EXPECT_FALSE(hasLength("a file"));
}

TEST(CallStreamTest, TheAdversaryGivesUpOnWhatIsNeverCompiled) {
  const std::vector<SignatureCosts> costs = {{1e4, 2e4, 5e5, 5e5, 2e4}};
  EXPECT_EQ(makeStream("adversarial", costs, 1, ReplayMachine::sharedCore(),
                       PolicyOptions(), 1)
                .size(),
            16 * 50U);
}

TEST(CallStreamTest, ReadsTheTraceThatItWrites) {
  const StreamTrace trace{{{{"n", 8}, {"m", 2}}, {{"n", 9}, {"m", 2}}},
                          {{0, 0}, {1, 2.5e3}, {0, 0}}};
  const std::string text = printTrace(trace);
  EXPECT_THAT(text,
              HasSubstr("{\"dims\":{\"n\":9,\"m\":2},\"gap_ns\":2500.0}"));
  auto read = parseTrace(text);
  ASSERT_TRUE(read) << read.error().str();
  EXPECT_EQ(read->signatures, trace.signatures);
  EXPECT_EQ(printTrace(*read), text);
  auto brief = parseTrace("\n{\"dims\": {\"n\": 3}}");
  ASSERT_TRUE(brief) << brief.error().str();
  EXPECT_EQ(brief->calls.size(), 1U);
}

TEST(CallStreamTest, SaysWhatIsWrongWithATrace) {
  auto errorOf = [](std::string_view text) {
    auto trace = parseTrace(text);
    return trace ? "no error" : trace.error().str();
  };
  const std::string good = "{\"dims\": {\"n\": 3}}\n";
  EXPECT_THAT(errorOf(""), HasSubstr("there are no calls"));
  EXPECT_THAT(errorOf(good + "x"), HasSubstr("line 2: this is no JSON object"));
  EXPECT_THAT(errorOf("{\"gap_ns\": 1}"), HasSubstr("line 1: this is no JSON"));
  EXPECT_THAT(errorOf("{\"dims\": {\"n\": 0}}"),
              HasSubstr("the size of 'n' is no positive number"));
  EXPECT_THAT(errorOf("{\"dims\": {}, \"gap_ns\": -1}"),
              HasSubstr("\"gap_ns\" is not a number from 0"));
}

} // namespace
