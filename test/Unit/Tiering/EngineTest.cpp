//===- EngineTest.cpp - Calls that change their tier ----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EngineFixture.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <sys/wait.h>
#include <unistd.h>

using namespace tandem;
using namespace tandem::test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

void wrongKernel(void *const *args, const int64_t *sizes, void *workspace,
                 int64_t begin, int64_t end) {
  addKernel(args, sizes, workspace, begin, end);
  if (begin == 0)
    static_cast<float *>(args[2])[0] += 1;
}

void slowKernel(void *const *args, const int64_t *sizes, void *workspace,
                int64_t begin, int64_t end) {
  // Longer than other work may interrupt an eager call for.
  if (begin == 0)
    spin(std::chrono::milliseconds(50));
  addKernel(args, sizes, workspace, begin, end);
}

TEST_F(EngineTest, MovesToWhatIsCompiledAndCertified) {
  create();
  call();
  EXPECT_EQ(only().state, SignatureState::eager);
  for (int i = 0; i < 3; ++i) {
    call(4, static_cast<float>(i));
    function->wait();
  }
  call();
  EXPECT_EQ(only().state, SignatureState::promoted) << function->report().str();
  EXPECT_EQ(only().tier, Tier::compiled);
  EXPECT_EQ(only().certificates, 1u);
  EXPECT_GE(only().compiledCalls, 1u);
  EXPECT_GT(only().compileNs, 0);
  EXPECT_EQ(compiler->compilations, 1);
  EXPECT_THAT(log, ElementsAre("seen", "queued", "compiling", "compiled",
                               "certified", "promoted"));
}

TEST_F(EngineTest, CompilesNothingThatIsNotWorthIt) {
  compiler->prediction = {1e15, 1000};
  create();
  for (int i = 0; i < 50; ++i)
    call();
  function->wait();
  EXPECT_EQ(compiler->compilations, 0);
  EXPECT_EQ(only().state, SignatureState::eager);
  EXPECT_THAT(only().next, HasSubstr("compiles when"));
}

TEST_F(EngineTest, NothingIsCompiledWhoseCostIsUnknown) {
  compiler->prediction = {};
  create();
  for (int i = 0; i < 50; ++i)
    call();
  function->wait();
  EXPECT_EQ(compiler->compilations, 0);
}

TEST_F(EngineTest, CompileNowDependsOnNoTimes) {
  compiler->prediction = {1e15, 1e15};
  create(Mode::compileNow);
  call();
  EXPECT_THAT(log, ElementsAre("seen", "compiling", "compiled", "certified",
                               "promoted"));
  EXPECT_EQ(only().compiledCalls, 0u);
  call();
  EXPECT_EQ(only().compiledCalls, 1u);
}

TEST_F(EngineTest, ModeEagerNeverCompiles) {
  create(Mode::eager);
  for (int i = 0; i < 20; ++i)
    call();
  EXPECT_EQ(compiler->compilations, 0);
  EXPECT_EQ(only().calls, 20u);
  EXPECT_EQ(only().eager.samples, 19u); // The first also prepares.
}

TEST_F(EngineTest, ModeCompileCompilesAtTheFirstCall) {
  create(Mode::compile);
  call(), call();
  EXPECT_EQ(compiler->compilations, 1);
  EXPECT_EQ(only().eager.samples, 0u);
  EXPECT_EQ(only().state, SignatureState::promoted);
  compiler->shallFail = true;
  auto outputs = function->call(makeInputs(5));
  ASSERT_FALSE(outputs);
  EXPECT_EQ(outputs.error().phase, "codegen");
  compiler->shallFail = false;
  call(5);
}

TEST_F(EngineTest, AWrongKernelIsRefused) {
  compiler->kernel = wrongKernel;
  create(Mode::compileNow);
  call(), call(), call();
  EXPECT_EQ(only().state, SignatureState::refused);
  EXPECT_EQ(only().compiledCalls, 0u);
  EXPECT_THAT(log,
              ElementsAre("seen", "compiling", "compiled", "contradicted"));
  EXPECT_THAT(only().events.back().reason, HasSubstr("reproducer: "));
}

TEST_F(EngineTest, AWrongKernelIsAnErrorWhereThatIsAskedFor) {
  compiler->kernel = wrongKernel;
  tiering.isStrict = true;
  create(Mode::compileNow);
  for (int i = 0; i < 2; ++i) {
    auto outputs = function->call(makeInputs(4));
    ASSERT_FALSE(outputs);
    EXPECT_THAT(outputs.error().message, HasSubstr("output 0, element 0"));
    EXPECT_THAT(outputs.error().hint, HasSubstr("reproducer: "));
  }
}

TEST_F(EngineTest, ASlowKernelIsGivenBack) {
  compiler->kernel = slowKernel;
  create();
  for (int i = 0; i < 12; ++i) {
    call(4, static_cast<float>(i));
    function->wait();
  }
  EXPECT_EQ(only().state, SignatureState::demoted) << function->report().str();
  EXPECT_LE(only().compiledCalls, 4u);
  EXPECT_EQ(log.back(), "demoted");
  EXPECT_EQ(function->report().residentBytes, 0);
  function->wait();
  EXPECT_EQ(compiler->found, (ProgramProfile{1, false}));
}

/// It has to have lost 2^20 times what compiling costs.
TEST_F(EngineTest, WhatWasNotFasterInOtherProcessesIsNotCompiledAgain) {
  compiler->found.demotions = 20;
  create();
  for (int i = 0; i < 20; ++i) {
    call(4, static_cast<float>(i));
    function->wait();
  }
  EXPECT_EQ(compiler->compilations, 0);
  EXPECT_EQ(only().state, SignatureState::eager);
  EXPECT_THAT(log, ElementsAre("seen", "queued", "cancelled"));
  EXPECT_THAT(only().events.back().reason, HasSubstr("was not faster"));
  // Who asks for it gets it.
  const TensorType type{DType::f32, {4}};
  ASSERT_TRUE(function->compileAhead(std::vector<Types>{{type, type}}));
  function->wait();
  EXPECT_EQ(compiler->compilations, 1);
}

/// The next process need not wait as long if another try ends well.
TEST_F(EngineTest, WhatIsPromotedAfterAllIsForgottenToHaveBeenSlower) {
  compiler->found.demotions = 1;
  create();
  for (int i = 0; i < 50; ++i) {
    call(4, static_cast<float>(i));
    function->wait();
  }
  function->wait();
  EXPECT_EQ(only().state, SignatureState::promoted) << function->report().str();
  EXPECT_EQ(compiler->found, ProgramProfile());
}

/// In mode compile-now, nothing depends on what was measured, here or there.
TEST_F(EngineTest, CompileNowIgnoresProfiles) {
  compiler->found.demotions = 20;
  create(Mode::compileNow);
  call(), call();
  EXPECT_EQ(only().state, SignatureState::promoted);
  EXPECT_EQ(compiler->found.demotions, 20u);
}

TEST_F(EngineTest, WithoutBackgroundWorkTheFirstCallCompiles) {
  allowBackgroundWork(false);
  create();
  allowBackgroundWork(true);
  call();
  EXPECT_EQ(function->report().mode, Mode::compile);
  EXPECT_EQ(compiler->compilations, 1);
  create();
  EXPECT_EQ(function->report().mode, Mode::automatic);
}

TEST_F(EngineTest, WhatCannotBeCompiledStaysEager) {
  compiler->shallFail = true;
  create();
  for (int i = 0; i < 10; ++i) {
    call();
    function->wait();
  }
  EXPECT_EQ(compiler->compilations, 1);
  EXPECT_EQ(only().state, SignatureState::refused);
  EXPECT_THAT(only().events.back().reason, HasSubstr("codegen"));
}

/// Constant inputs prove little.
TEST_F(EngineTest, ProvisionalUntilInputsDiffer) {
  create(Mode::compileNow);
  Tensor x = *Tensor::allocate({DType::f32, {4}});
  std::fill_n(x.as<float>(), 4, 0.0f);
  const std::vector<Tensor> constant = {x, makeFloats({4}, 10)};
  ASSERT_TRUE(function->call(constant));
  EXPECT_EQ(only().state, SignatureState::provisional);
  EXPECT_THAT(function->report().str(),
              HasSubstr("compiled on inputs like the last"));
  ASSERT_TRUE(function->call(constant));
  EXPECT_EQ(only().compiledCalls, 1u);
  EXPECT_EQ(only().certificates, 1u);
  call(4, 1);
  EXPECT_EQ(only().state, SignatureState::promoted);
  EXPECT_EQ(only().certificates, 2u);
}

/// Some graphs are never called without, such as those with masks of -inf.
TEST_F(EngineTest, EnoughProvisionalCertificatesDo) {
  create(Mode::compileNow);
  for (int i = 0; i < 4; ++i) {
    std::vector<Tensor> inputs = makeInputs(4, static_cast<float>(i));
    inputs[0].as<float>()[3] = INFINITY;
    ASSERT_TRUE(function->call(inputs));
  }
  EXPECT_EQ(only().state, SignatureState::promoted);
  EXPECT_EQ(only().certificates, 3u);
}

/// Eager computes x + y - y, the kernel x: where y is large, rounding explains
/// any difference.
struct UndecidedTest : EngineTest {
  UndecidedTest() {
    compiler->kernel = firstKernel;
    slow.time = std::chrono::microseconds(0);
    tiering.mode = Mode::compileNow;
  }
  static void firstKernel(void *const *args, const int64_t *, void *,
                          int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      static_cast<float *>(args[2])[i] = static_cast<const float *>(args[0])[i];
  }
  void createCancelling() {
    const TensorType type{DType::f32, {kDynamic}};
    ProgramBuilder b;
    const uint32_t x = b.input(type, {"n"}), y = b.input(type, {"n"});
    const uint32_t sum = b.op(makeOp(OpKind::add), {x, y}, type);
    function = std::make_unique<Function>(
        b.finish({b.op(makeOp(OpKind::sub), {sum, y}, type)}), compiler,
        executor, tiering);
  }
  SignatureState state() {
    const FunctionReport report = function->report();
    return report.signatures.empty() ? SignatureState::eager
                                     : report.signatures[0].state;
  }
  /// Calls with x = start + i and y = offset + i.
  Expected<std::vector<Tensor>> callWith(float start, float offset) {
    return function->call(
        std::vector<Tensor>{makeFloats({4}, start), makeFloats({4}, offset)});
  }
};

TEST_F(UndecidedTest, StaysEagerAfterSeveralInputs) {
  createCancelling();
  uint64_t calls = 0;
  while (state() != SignatureState::refused && calls < 5000) {
    auto outputs = callWith(1 + static_cast<float>(calls % 7), 1e9f);
    ASSERT_TRUE(outputs);
    // Eager's results, however often it was tried.
    ASSERT_THAT(floats(outputs->at(0)), testing::Each(0));
    ++calls;
  }
  EXPECT_EQ(only().state, SignatureState::refused);
  EXPECT_EQ(only().compiledCalls, 0u);
  EXPECT_EQ(only().undecidedCertificates, 5u);
  // After 16 calls, 64, 256 and 1024 more.
  EXPECT_EQ(calls, 1u + 16 + 64 + 256 + 1024);
  EXPECT_THAT(only().events.back().reason, HasSubstr("could not be certified"));
  EXPECT_THAT(only().events.back().reason, HasSubstr("reproducer: "));
}

TEST_F(UndecidedTest, InputsThatDecideStillPromote) {
  createCancelling();
  ASSERT_TRUE(callWith(1, 1e9f));
  EXPECT_EQ(only().state, SignatureState::compiled);
  EXPECT_THAT(only().next, HasSubstr("from call 17 on"));
  for (int i = 0; i < 15; ++i)
    ASSERT_TRUE(callWith(1, 16));
  EXPECT_EQ(only().certificates, 1u);
  ASSERT_TRUE(callWith(1, 16));
  EXPECT_EQ(only().state, SignatureState::promoted);
  EXPECT_EQ(only().certificates, 2u);
}

/// Nothing can be learned from the same inputs again: they count as a try, and
/// no certificate is made.
TEST_F(UndecidedTest, TheSameInputsAreNotComparedAgain) {
  createCancelling();
  for (int i = 0; i < 1 + 16 + 64 + 256 + 1024; ++i)
    ASSERT_TRUE(callWith(1, 1e9f));
  EXPECT_EQ(only().state, SignatureState::refused);
  EXPECT_EQ(only().certificates, 1u);
}

/// Three inputs that prove little do not outweigh one that may be wrong.
TEST_F(UndecidedTest, ProvisionalCertificatesNoLongerSuffice) {
  createCancelling();
  ASSERT_TRUE(callWith(1, 1e9f));
  for (int i = 0; i < 500; ++i) {
    std::vector<Tensor> inputs = makeInputs(4, static_cast<float>(i));
    std::fill_n(inputs[1].as<float>(), 4, 16.0f);
    ASSERT_TRUE(function->call(inputs));
  }
  EXPECT_EQ(only().state, SignatureState::provisional);
}

TEST_F(UndecidedTest, IsAnErrorWhereThatIsAskedFor) {
  tiering.isStrict = true;
  createCancelling();
  for (int i = 0; i < 16 + 64 + 256 + 1024; ++i)
    ASSERT_TRUE(callWith(1, 1e9f));
  for (int i = 0; i < 2; ++i) {
    auto outputs = callWith(1, 1e9f);
    ASSERT_FALSE(outputs);
    EXPECT_THAT(outputs.error().message, HasSubstr("could not be certified"));
    EXPECT_THAT(outputs.error().hint, HasSubstr("reproducer: "));
  }
}

TEST_F(EngineTest, CompilesAheadWhateverItCosts) {
  compiler->prediction = {1e15, 1000};
  create();
  const TensorType type{DType::f32, {4}};
  ASSERT_TRUE(function->compileAhead(std::vector<Types>{{type, type}}));
  function->wait();
  EXPECT_EQ(compiler->compilations, 1);
  EXPECT_EQ(only().calls, 0u);
  call();
  function->wait();
  call();
  EXPECT_EQ(only().compiledCalls, 1u);
  EXPECT_FALSE(function->compileAhead(std::vector<Types>{{type}}));
}

/// A call that waits for the core that the compiler of another signature has
/// does not show that eager is slow.
TEST_F(EngineTest, WhatCompilingTakesFromACallIsNoReasonToCompileIt) {
  compiler->prediction = {300e6, 1000};
  compiler->gate = std::make_shared<std::latch>(1);
  create();
  const TensorType type{DType::f32, {5}};
  ASSERT_TRUE(function->compileAhead(std::vector<Types>{{type, type}}));
  auto queued = [&] {
    std::lock_guard lock(mutex);
    return std::ranges::count(log, "queued");
  };
  auto callSlowly = [&] {
    slow.time = std::chrono::milliseconds(400);
    call();
    slow.time = std::chrono::microseconds(200);
    call();
  };
  for (int i = 0; i < 4; ++i)
    call();
  callSlowly();
  EXPECT_EQ(queued(), 1) << function->report().str();
  compiler->gate->count_down();
  function->wait();
  callSlowly();
  EXPECT_EQ(queued(), 2) << function->report().str();
}

TEST_F(EngineTest, CancelsWhatWaits) {
  compiler->gate = std::make_shared<std::latch>(1);
  create();
  const TensorType one{DType::f32, {4}}, two{DType::f32, {5}};
  ASSERT_TRUE(
      function->compileAhead(std::vector<Types>{{one, one}, {two, two}}));
  // One of them is being compiled, or about to be; the other one waits.
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    compiler->gate->count_down();
  });
  function->cancel();
  opener.join();
  EXPECT_LE(compiler->compilations, 1);
  call(4), call(5);
}

TEST_F(EngineTest, EndsWhileItCompiles) {
  compiler->gate = std::make_shared<std::latch>(1);
  create();
  const TensorType type{DType::f32, {4}};
  ASSERT_TRUE(function->compileAhead(std::vector<Types>{{type, type}}));
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    compiler->gate->count_down();
  });
  function.reset();
  EXPECT_LE(compiler->compilations, 1);
  opener.join();
}

TEST_F(EngineTest, CompilesWhereTheOptionsSay) {
  for (CompileIn place : {CompileIn::process, CompileIn::thread}) {
    tiering.compileIn = place;
    create();
    const TensorType type{DType::f32, {4}};
    ASSERT_TRUE(function->compileAhead(std::vector<Types>{{type, type}}));
    function->wait();
    const SignatureReport report = function->report().signatures.at(0);
    EXPECT_EQ(report.compiledIn, place);
    // C is the helper's time, too.
    EXPECT_EQ(report.compileNs > 1e9, place == CompileIn::process);
    EXPECT_EQ(function->report().str().find("in a helper process") !=
                  std::string::npos,
              place == CompileIn::process);
  }
}

TEST_F(EngineTest, ItsEndInterruptsAHelper) {
  compiler->helperGate = std::make_shared<std::latch>(2);
  create();
  const TensorType type{DType::f32, {4}};
  ASSERT_TRUE(function->compileAhead(std::vector<Types>{{type, type}}));
  compiler->helperGate->arrive_and_wait();
  function.reset();
  EXPECT_TRUE(compiler->isInterrupted);
  EXPECT_EQ(compiler->compilations, 0);
  EXPECT_THAT(log, testing::Contains("cancelled"));
  EXPECT_THAT(log, testing::Not(testing::Contains("failed")));
}

/// Nothing of it is waited for, and it may be compiled later.
TEST_F(EngineTest, CancelInterruptsAHelper) {
  const auto gate = compiler->helperGate = std::make_shared<std::latch>(2);
  create();
  const TensorType type{DType::f32, {4}};
  const std::vector<Types> signatures{{type, type}};
  ASSERT_TRUE(function->compileAhead(signatures));
  gate->arrive_and_wait();
  compiler->helperGate = nullptr;
  function->cancel();
  EXPECT_TRUE(compiler->isInterrupted);
  EXPECT_EQ(compiler->compilations, 0);
  EXPECT_EQ(only().state, SignatureState::eager);
  call();
  ASSERT_TRUE(function->compileAhead(signatures));
  function->wait();
  EXPECT_EQ(compiler->compilations, 1);
}

/// A fork would have to wait for the helper. The signature is compiled once
/// more.
TEST_F(EngineTest, AForkPostponesWhatAHelperCompiles) {
  const auto gate = compiler->helperGate = std::make_shared<std::latch>(2);
  create();
  const TensorType type{DType::f32, {4}};
  ASSERT_TRUE(function->compileAhead(std::vector<Types>{{type, type}}));
  gate->arrive_and_wait();
  compiler->helperGate = nullptr;
  const pid_t child = fork();
  if (child == 0)
    _exit(0);
  EXPECT_TRUE(compiler->isInterrupted);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  function->wait();
  EXPECT_EQ(compiler->compilations, 1);
  EXPECT_EQ(only().state, SignatureState::compiled);
  EXPECT_THAT(function->report().str(), HasSubstr("a fork has interrupted it"));
}

TEST_F(EngineTest, ForgetsTheLeastRecentlyCalled) {
  tiering.maxSignatures = 2;
  create(Mode::compileNow);
  call(3), call(4), call(3), call(5);
  FunctionReport report = function->report();
  EXPECT_EQ(report.evicted, 1u);
  ASSERT_EQ(report.signatures.size(), 2u);
  for (const SignatureReport &signature : report.signatures)
    EXPECT_NE(signature.inputs[0].shape[0], 4);
  EXPECT_EQ(log.back(), "promoted");
  EXPECT_THAT(report.str(), HasSubstr("1 forgotten"));
}

TEST_F(EngineTest, DropsProgramsBeyondTheLimit) {
  tiering.maxResidentBytes = 2500; // Two programs of 1000 bytes.
  create(Mode::compileNow);
  call(3), call(4), call(5);
  EXPECT_EQ(function->report().residentBytes, 2000);
  EXPECT_THAT(log, testing::Contains("evicted"));
  EXPECT_EQ(function->report().signatures.size(), 3u);
  call(3);
}

/// Calls that no longer go by the signature's record.
TEST_F(EngineTest, PromotedCallsAreCounted) {
  create(Mode::compileNow);
  for (int i = 0; i < 1000; ++i)
    call();
  EXPECT_EQ(only().calls, 1000u);
  EXPECT_EQ(only().compiledCalls, 999u);
  call();
  EXPECT_EQ(only().calls, 1001u);
  EXPECT_GE(only().compiled.samples, 32u);
  EXPECT_LT(only().compiled.samples, 200u);
}

/// A program that is dropped is run by no thread any more, and the one that
/// was called last stays, though its last call was settled.
TEST_F(EngineTest, PromotedCallsEndEverywhereWithTheirProgram) {
  tiering.maxResidentBytes = 2500; // Two programs of 1000 bytes.
  create(Mode::compileNow);
  auto settle = [&](int64_t length) {
    for (int i = 0; i < 50; ++i)
      call(length);
  };
  std::latch isSettled(1), isDropped(1);
  std::thread other([&] {
    settle(3);
    settle(4);
    isSettled.count_down();
    isDropped.wait();
    call(3);
  });
  isSettled.wait();
  // Times are those of the kernel's ticks.
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  settle(3);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  settle(4);
  EXPECT_EQ(compiler->compilations, 2);
  call(5); // In the place of 3.
  EXPECT_EQ(compiler->compilations, 3);
  settle(4);
  EXPECT_EQ(compiler->compilations, 3);
  isDropped.count_down();
  other.join();
  EXPECT_EQ(compiler->compilations, 4);
  uint64_t calls = 0;
  for (const SignatureReport &signature : function->report().signatures)
    calls += signature.calls;
  EXPECT_EQ(calls, 252u);
}

std::atomic<bool> isSlowNow = false;
void kernelThatSlowsDown(void *const *args, const int64_t *sizes,
                         void *workspace, int64_t begin, int64_t end) {
  if (isSlowNow && begin == 0)
    spin(std::chrono::milliseconds(1));
  addKernel(args, sizes, workspace, begin, end);
}

TEST_F(EngineTest, ASettledKernelThatSlowsDownIsGivenBack) {
  compiler->kernel = kernelThatSlowsDown;
  // Nothing is slower beyond the spread of eager calls if other work interrupts
  // these calls for long: the test then tries once more.
  for (int round = 0; round < 5 && std::ranges::count(log, "demoted") == 0;
       ++round) {
    isSlowNow = false;
    create();
    int calls = 0;
    do {
      ASSERT_LT(calls, 1000);
      call(4, static_cast<float>(calls++));
      function->wait();
    } while (only().state != SignatureState::promoted);
    for (int i = 0; i < 100; ++i)
      call();
    isSlowNow = true;
    // One call in 16 is timed, and 32 times are kept; one in 128 tells of them.
    for (int i = 0; i < 128 * 6 && std::ranges::count(log, "demoted") == 0; ++i)
      call();
  }
  EXPECT_THAT(log, testing::Contains("demoted"));
}

/// What prediction takes is not waited for where it is of no use yet.
TEST_F(EngineTest, TheFirstCallPredictsNothing) {
  compiler->prediction = {1e15, 1000};
  create();
  call();
  EXPECT_EQ(only().predictedCompileNs, 0);
  call(), call();
  EXPECT_EQ(only().predictedCompileNs, 1e15);
}

TEST_F(EngineTest, RefusesWrongInputs) {
  create();
  EXPECT_FALSE(function->call(std::vector{makeFloats({3})}));
  EXPECT_FALSE(function->call(std::vector{makeFloats({3}), makeFloats({4})}));
  EXPECT_FALSE(function->call(std::vector{Tensor(), Tensor()}));
  EXPECT_EQ(compiler->compilations, 0);
}

TEST_F(EngineTest, ReportsAreWellFormed) {
  tiering.isTraced = true;
  create(Mode::compileNow);
  call(), call();
  const FunctionReport report = function->report();
  const auto json = nlohmann::json::parse(report.json());
  EXPECT_EQ(json["mode"], "compile-now");
  EXPECT_EQ(json["signatures"][0]["state"], "promoted");
  EXPECT_EQ(json["signatures"][0]["calls"], 2);
  EXPECT_EQ(json["signatures"][0]["events"][0]["event"], "seen");
  const auto trace = nlohmann::json::parse(report.trace());
  std::vector<std::string> names;
  for (const auto &entry : trace["traceEvents"])
    names.push_back(entry["name"]);
  for (std::string wanted : {"compile", "certificate", "compiled", "promoted"})
    EXPECT_THAT(names, testing::Contains(wanted));
  EXPECT_THAT(report.eventLines(), HasSubstr("\"event\":\"certified\""));
  EXPECT_THAT(report.str(), HasSubstr("(tensor<4xf32>, tensor<4xf32>)"));
}

/// Phases that several threads have shared take longer than the compilation
/// together. In a trace they are within it all the same.
TEST_F(EngineTest, PhasesAreToldOnTheClock) {
  compiler->phases = {{"lower", 1e9}, {"codegen", 3e9}};
  tiering.isTraced = true;
  create(Mode::compileNow);
  call();
  EXPECT_THAT(function->report().str(),
              testing::AllOf(
                  HasSubstr("of processor time, "),
                  HasSubstr("its phases, on the clock\n    lower 1.00 s\n")));
  const auto trace = nlohmann::json::parse(function->report().trace());
  std::map<std::string, double> starts, ends;
  for (const auto &entry : trace["traceEvents"])
    if (entry["ph"] == "X") {
      starts[entry["name"]] = entry["ts"];
      ends[entry["name"]] =
          entry["ts"].get<double>() + entry["dur"].get<double>();
    }
  EXPECT_GE(starts["lower"], starts["compile"]);
  EXPECT_GE(starts["codegen"], ends["lower"] - 1e-3);
  EXPECT_LE(ends["codegen"], ends["compile"] + 1e-3);
}

TEST_F(EngineTest, SaysWhichKernelsRunOpByOp) {
  compiler->warnings = {{"kernel_0 is too odd", "a.mlir:1:2", "a.sh"}};
  create(Mode::compileNow);
  call();
  const FunctionReport report = function->report();
  const std::string warning =
      "a.mlir:1:2: warning: kernel_0 is too odd; reproducer: a.sh";
  EXPECT_EQ(only().warnings.at(0).str(), warning);
  EXPECT_THAT(report.str(), HasSubstr(warning));
  EXPECT_EQ(nlohmann::json::parse(report.json())["signatures"][0]["warnings"],
            nlohmann::json::array({warning}));
  EXPECT_THAT(report.eventLines(),
              HasSubstr("1 of its kernels could not be compiled"));
}

/// Each thread has its name in the trace, and each signature a row of what has
/// become of it, without gaps.
TEST_F(EngineTest, TracesNameThreadsAndSignatures) {
  tiering.isTraced = true;
  create(Mode::compileNow);
  call(), call();
  const auto trace = nlohmann::json::parse(function->report().trace());
  std::map<uint64_t, std::string> names;
  std::vector<nlohmann::json> states;
  for (const auto &entry : trace["traceEvents"]) {
    if (entry["name"] == "thread_name")
      names[entry["tid"]] = entry["args"]["name"];
    else if (entry["ph"] == "X" && entry["cat"] == "signature")
      states.push_back(entry);
  }
  char own[16];
  pthread_getname_np(pthread_self(), own, sizeof own);
  EXPECT_EQ(names[static_cast<uint64_t>(gettid())], own);
  ASSERT_GT(states.size(), 3u);
  EXPECT_EQ(names[states[0]["tid"]], "tensor<4xf32>, tensor<4xf32>");
  EXPECT_EQ(states.front()["name"], "eager");
  EXPECT_EQ(states.back()["name"], "promoted");
  for (size_t i = 1; i < states.size(); ++i)
    EXPECT_NEAR(states[i]["ts"].get<double>(),
                states[i - 1]["ts"].get<double>() +
                    states[i - 1]["dur"].get<double>(),
                1e-3);
}

TEST_F(EngineTest, ManyThreadsAndSignaturesGetTheirOwnResults) {
  executor.providers = {};
  tiering.log = nullptr;
  create();
  constexpr int kThreads = 8, kCalls = 3000, kSignatures = 64;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < kCalls; ++i) {
        const int64_t length = 1 + (i * 7 + t) % kSignatures;
        const float start = static_cast<float>(t);
        auto outputs = function->call(makeInputs(length, start));
        wrong +=
            !outputs || outputs->at(0).as<float>()[length - 1] !=
                            start + 10 + 2 * static_cast<float>(length - 1);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  function->wait();
  EXPECT_EQ(wrong, 0);
  uint64_t calls = 0;
  for (const SignatureReport &signature : function->report().signatures)
    calls += signature.calls;
  EXPECT_EQ(calls, uint64_t(kThreads) * kCalls);
}

/// Background threads do not exist in the child, which starts its own.
TEST_F(EngineTest, WorksInAChildOfFork) {
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
  GTEST_SKIP() << "ThreadSanitizer lets no child of fork start threads";
#endif
#endif
  create();
  for (int i = 0; i < 4; ++i)
    call(4, static_cast<float>(i));
  pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 4; ++i) {
      auto outputs = function->call(makeInputs(6, static_cast<float>(i)));
      if (!outputs ||
          outputs->at(0).as<float>()[0] != static_cast<float>(i) + 10)
        _exit(1);
      function->wait();
    }
    _exit(compiler->compilations >= 1 ? 0 : 2);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  call();
}

TEST(Modes, HaveNames) {
  for (Mode mode : allModes())
    EXPECT_EQ(parseMode(name(mode)), mode);
  EXPECT_EQ(parseMode("fast"), std::nullopt);
}

} // namespace
