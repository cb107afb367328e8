//===- EngineSeamsTest.cpp - Changes of tier that are forced --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EngineFixture.h"
#include "engine/Engine.h"

using namespace tandem;
using namespace tandem::test;
using namespace tandem::tiering;

namespace {

/// An engine of the fake compiler whose clock and decisions are the test's.
struct EngineSeamsTest : EngineTest {
  double nowNs = 0, eagerNs = 0, compiledNs = 0;
  std::function<Action(const Record &)> forced;
  std::unique_ptr<TierStore> store;
  std::unique_ptr<Engine> engine;

  EngineSeamsTest() {
    slow.time = std::chrono::microseconds(0);
    tiering.compileIn = CompileIn::thread;
  }
  ~EngineSeamsTest() override { engine.reset(); }

  void start() {
    EngineSeams seams;
    seams.clock = [this] { return nowNs; };
    if (forced)
      seams.decide = [this](const Record &record, const Conditions &,
                            const PolicyOptions &) {
        return Decision{forced(record), Reason::loss};
      };
    store = std::make_unique<TierStore>(makeSum(), compiler, executor);
    engine = std::make_unique<Engine>(*store, tiering, PolicyOptions{}, seams);
  }
  SignatureReport callOnce() {
    auto outputs = engine->call(makeInputs(4));
    EXPECT_TRUE(outputs);
    EXPECT_EQ(floats(outputs->at(0)), (std::vector<float>{10, 12, 14, 16}));
    engine->wait();
    return engine->report().signatures.at(0);
  }
};

TEST_F(EngineSeamsTest, DecisionsTakePlaceAtTheirCalls) {
  Action next = Action::none;
  forced = [&](const Record &) { return std::exchange(next, Action::none); };
  start();
  EXPECT_EQ(callOnce().state, SignatureState::eager);
  next = Action::compile;
  EXPECT_EQ(callOnce().state, SignatureState::compiled);
  // The next call carries the certificate.
  EXPECT_EQ(callOnce().state, SignatureState::promoted);
  EXPECT_EQ(callOnce().compiledCalls, 1u);
  next = Action::demote;
  EXPECT_EQ(callOnce().state, SignatureState::demoted);
  EXPECT_EQ(callOnce().compiledCalls, 2u);
  next = Action::retry;
  EXPECT_EQ(callOnce().state, SignatureState::compiled);
  EXPECT_EQ(callOnce().state, SignatureState::promoted);
  EXPECT_EQ(compiler->compilations, 2);
}

/// What the state does not allow is not done.
TEST_F(EngineSeamsTest, ImpossibleDecisionsAreIgnored) {
  Action next = Action::none;
  forced = [&](const Record &) { return next; };
  start();
  for (Action action : {Action::demote, Action::retry, Action::capture,
                        Action::adopt, Action::release}) {
    next = action;
    EXPECT_EQ(callOnce().state, SignatureState::eager);
  }
}

/// The policy's own decisions, by times that the test gives: the clock goes on
/// as long as an eager call takes at each look.
TEST_F(EngineSeamsTest, TheClockAloneMakesCompilingPay) {
  compiler->prediction = {1000, 10};
  start();
  EXPECT_EQ(callOnce().state, SignatureState::eager);
  for (int i = 0; i < 100; ++i) {
    nowNs += 1; // Nothing takes any time.
    ASSERT_EQ(callOnce().state, SignatureState::eager);
  }
  EXPECT_EQ(compiler->compilations, 0);
}

} // namespace
