//===- StreamRecordTest.cpp - A stream as it went, for a replay -----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem-bench/stream/StreamRecord.h"

#include <gtest/gtest.h>

using namespace tandem;
using namespace tandem::bench;
using tandem::tiering::Replay;
using tandem::tiering::ReplayMachine;

namespace {

/// Three calls of one signature.
class StreamRecordTest : public ::testing::Test {
protected:
  StreamRecordTest() {
    eager.callNs = {9e3, 4e3, 4e3};
    compiled.callNs = {6e6, 1e3, 1e3};
    for (StreamRun *run : {&eager, &compiled, &automatic}) {
      run->signatures.resize(1);
      run->compileNs = {0};
      run->spareCores = {0, 0, 0};
    }
    compiled.compileNs = {5e6};
  }
  RecordedStream record() const {
    return recordOf(CallStream(3), eager, compiled, automatic);
  }

  StreamRun eager, compiled, automatic;
};

TEST_F(StreamRecordTest, FirstCallsAreTypicalButForWhatTheyPrepare) {
  const RecordedStream recorded = record();
  EXPECT_EQ(recorded.calls[0].eagerNs, 4e3);
  EXPECT_EQ(recorded.calls[0].onceNs, 5e3);
  EXPECT_EQ(recorded.calls[0].compiledNs, 1e3);
  EXPECT_EQ(recorded.calls[1].onceNs, 0);
}

TEST_F(StreamRecordTest, ThePredictionIsNotCorrectedTwice) {
  automatic.signatures[0].predictedCompileNs = 1e9;
  automatic.signatures[0].predictedCompiledNs = 2e3;
  automatic.signatures[0].eager = {4e3, 0, 2};
  const RecordedStream recorded = record();
  Replay replay(ReplayMachine::sharedCore(), {}, recorded.signatures);
  replay.call(recorded.calls[1]);
  EXPECT_EQ(replay.record(0).expectedCompiledNs(), 2e3);
}

TEST_F(StreamRecordTest, WhatIsLostIsWithoutWhatTheEngineDoesNotTime) {
  automatic.signatures[0].predictedCompileNs = 1e9;
  automatic.signatures[0].predictedCompiledNs = 2e3;
  automatic.signatures[0].eager = {3.5e3, 0, 2};
  const RecordedStream recorded = record();
  Replay replay(ReplayMachine::sharedCore(), {}, recorded.signatures);
  replay.call(recorded.calls[1]);
  EXPECT_EQ(replay.record(0).lossNs(), 3.5e3 - 2e3);
}

TEST_F(StreamRecordTest, CompilingCostsWhatItDidInTheBackground) {
  EXPECT_EQ(record().signatures[0].compileNs, 5e6);
  automatic.compileNs = {7e6};
  EXPECT_EQ(record().signatures[0].compileNs, 7e6);
}

TEST_F(StreamRecordTest, TheSpareCoresAreThoseThatTheEngineKnewOf) {
  automatic.signatures[0].predictedCompileNs = 2e4;
  auto states = [&] {
    const RecordedStream recorded = record();
    Replay replay(ReplayMachine::sharedCore(), {}, recorded.signatures);
    for (const tiering::ReplayCall &call : recorded.calls)
      replay.call(call);
    return replay.record(0).state;
  };
  EXPECT_EQ(states(), tiering::State::eager);
  automatic.spareCores = {0, 0, 1};
  EXPECT_EQ(states(), tiering::State::compiling);
}

TEST_F(StreamRecordTest, WhatHadBegunCountsAsCompiled) {
  EXPECT_EQ(automatic.compiled(), 0U);
  automatic.signatures[0].state = SignatureState::queued;
  automatic.compileNs = {7e6};
  EXPECT_EQ(automatic.compiled(), 0U);
  automatic.signatures[0].state = SignatureState::compiling;
  EXPECT_EQ(automatic.compiled(), 1U);
  SignatureCosts costs;
  costs.eagerNs = 4e3;
  costs.compileNs = 5e6;
  EXPECT_EQ(automatic.wasted({&costs, 1}), 1U);
}

} // namespace
