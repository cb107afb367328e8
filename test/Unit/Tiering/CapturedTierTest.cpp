//===- CapturedTierTest.cpp - Captured work as the engine's choice --------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EngineFixture.h"

#include "tandem/Runtime/CustomCall.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>

using namespace tandem;
using namespace tandem::test;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

namespace {

using Arguments = std::vector<void *>;
using std::chrono::microseconds;

/// What a step that is enqueued takes, and a piece of captured work.
struct Costs {
  std::atomic<int> step = 100, work = 10; // in microseconds
  /// Whether captured work cannot be launched, or not be captured.
  std::atomic<bool> failsToRun = false, failsToCapture = false;
};

/// Work of the CPU, which can be recorded and done again.
class RecordingStream final : public Stream {
public:
  RecordingStream(Device &owner, Costs &costs) : owner(owner), costs(costs) {}
  Device &device() const override { return owner; }
  Allocator &allocator() override { return inner.allocator(); }
  Status copy(const Tensor &from, const Tensor &to) override {
    return inner.copy(from, to);
  }
  Expected<std::unique_ptr<Event>> record() override { return inner.record(); }
  Status wait(const Event &event) override { return inner.wait(event); }
  Status synchronize() override { return inner.synchronize(); }

  struct Work final : CapturedWork {
    explicit Work(Costs &costs) : costs(costs) {}
    Status launch(Stream &) override {
      if (costs.failsToRun)
        return fail("execute", "the work is lost");
      spin(microseconds(costs.work));
      for (const auto &[args, extent] : launches)
        addKernel(args.data(), nullptr, nullptr, 0, extent);
      return {};
    }
    Status setArguments(size_t number, std::span<void *const> args) override {
      launches[number].first.assign(args.begin(), args.end());
      return {};
    }
    Costs &costs;
    std::vector<std::pair<Arguments, int64_t>> launches;
  };
  Expected<std::unique_ptr<CapturedWork>>
  capture(const std::function<Status(Stream &)> &body, std::span<std::byte>,
          std::unique_ptr<CapturedWork>) override {
    if (costs.failsToCapture)
      return fail("execute", "nothing is captured today");
    RecordingStream recorder(owner, costs);
    recorder.recorded = std::make_unique<Work>(costs);
    TANDEM_RETURN_IF_ERROR(body(recorder));
    return std::move(recorder.recorded);
  }

  /// Runs a launch, or records it.
  void enqueue(std::span<void *const> args, int64_t extent) {
    if (recorded) {
      recorded->launches.push_back({{args.begin(), args.end()}, extent});
      return;
    }
    spin(microseconds(costs.step));
    addKernel(args.data(), nullptr, nullptr, 0, extent);
  }

private:
  Device &owner;
  Costs &costs;
  Stream &inner = hostDevice().defaultStream();
  std::unique_ptr<Work> recorded;
};

/// The CPU, as a device that captures.
class RecordingDevice final : public Device {
public:
  std::string_view name() const override { return "recorder"; }
  bool isHost() const override { return true; }
  bool canCapture() const override { return true; }
  ProviderList providers(const LibraryOptions &options) const override {
    return hostDevice().providers(options);
  }
  Expected<LoadedKernels> load(const Program &) override {
    return fail("load", "it has none");
  }
  Expected<std::unique_ptr<Stream>> createStream() override {
    return std::make_unique<RecordingStream>(*this, costs);
  }
  Stream &defaultStream() override { return stream; }

  Costs costs;

private:
  RecordingStream stream{*this, costs};
};

/// Compiles x + y for such a device.
class RecordingCompiler final : public FakeCompiler {
public:
  struct Kernel final : LoadedKernel {
    int64_t workspaceBytes(const fb::KernelT &) const override { return 0; }
    Status launch(const fb::KernelT &kernel, const StepContext &context,
                  std::span<void *const> args) const override {
      static_cast<RecordingStream &>(context.stream)
          .enqueue(args, kernel.extent);
      return {};
    }
  };
  LoadedKernels load() const override { return {std::make_shared<Kernel>()}; }
  Device &device() const override { return recorder; }

  mutable RecordingDevice recorder;
};

struct CapturedTierTest : EngineTest {
  std::shared_ptr<RecordingCompiler> recording =
      std::make_shared<RecordingCompiler>();
  Costs &costs = recording->recorder.costs;

  CapturedTierTest() {
    compiler = recording;
    create();
  }
  ~CapturedTierTest() override { function.reset(); }

  size_t count(std::string_view event) {
    std::lock_guard lock(mutex);
    return std::ranges::count(log, event);
  }
  /// Calls until the event has come.
  void callUntil(std::string_view event, int64_t length = 4) {
    for (int i = 0; count(event) == 0; ++i) {
      ASSERT_LT(i, 2000) << function->report().str();
      call(length, static_cast<float>(i % 7));
      function->wait();
    }
  }
};

TEST_F(CapturedTierTest, IsChosenWhereItIsFaster) {
  recording->arenaBytes = 4096;
  callUntil("promoted");
  EXPECT_EQ(function->report().residentBytes, 1000);
  callUntil("captured");
  EXPECT_EQ(only().tier, Tier::captured);
  EXPECT_EQ(only().state, SignatureState::promoted);
  EXPECT_EQ(compiler->compilations, 1);
  EXPECT_GE(only().captured.samples, 32u);
  EXPECT_LT(only().captured.ns, only().compiled.ns);
  // Calls that captured are in the cost, and no samples.
  EXPECT_LT(only().captured.samples, only().capturedCalls);
  EXPECT_GT(only().captureNs, 0);
  EXPECT_EQ(function->report().residentBytes, 1000 + 4096);
  const uint64_t before = only().capturedCalls;
  for (int i = 0; i < 300; ++i)
    call(4, static_cast<float>(i % 7));
  EXPECT_EQ(only().capturedCalls, before + 300);
  EXPECT_THAT(function->report().str(), HasSubstr("runs captured"));
  EXPECT_THAT(function->report().str(), HasSubstr("capturing cost"));
  EXPECT_THAT(only().next, HasSubstr("runs compiled if that reaches"));
  const auto json = nlohmann::json::parse(function->report().json());
  EXPECT_EQ(json["signatures"][0]["tier"], "captured");
  EXPECT_GE(json["signatures"][0]["captured"]["samples"], 32);
}

TEST_F(CapturedTierTest, StaysCompiledWhereItIsNotAndIsRemembered) {
  recording->arenaBytes = 4096;
  costs.work = 150;
  callUntil("uncaptured");
  EXPECT_EQ(only().tier, Tier::compiled);
  EXPECT_GE(only().captured.samples, 32u);
  EXPECT_EQ(function->report().residentBytes, 1000);
  EXPECT_THAT(only().events.back().reason, HasSubstr("not faster"));
  const uint64_t before = only().capturedCalls;
  for (int i = 0; i < 300; ++i)
    call();
  function->wait();
  EXPECT_EQ(only().capturedCalls, before);
  EXPECT_EQ(count("capturing"), 1u);
}

TEST_F(CapturedTierTest, ThatItIsNotFasterIsKeptForOtherProcesses) {
  costs.work = 150;
  callUntil("uncaptured");
  function->wait();
  EXPECT_EQ(recording->found, (ProgramProfile{0, true}));
  create(); // As in another process.
  log.clear();
  callUntil("promoted");
  for (int i = 0; i < 100; ++i)
    call();
  function->wait();
  EXPECT_EQ(only().tier, Tier::compiled);
  EXPECT_EQ(only().capturedCalls, 0u);
  EXPECT_EQ(count("capturing"), 0u);
}

TEST_F(CapturedTierTest, GoesBackToCompiledWhenItSlowsDown) {
  callUntil("captured");
  costs.work = 2000;
  callUntil("uncaptured");
  EXPECT_EQ(only().tier, Tier::compiled);
  EXPECT_EQ(only().state, SignatureState::promoted);
  EXPECT_EQ(count("demoted"), 0u);
}

TEST_F(CapturedTierTest, WhatCannotBeCapturedRunsCompiled) {
  costs.failsToCapture = true;
  callUntil("uncaptured");
  EXPECT_THAT(only().events.back().reason,
              HasSubstr("nothing is captured today"));
  const uint64_t before = only().compiledCalls;
  call();
  EXPECT_EQ(only().compiledCalls, before + 1);
  EXPECT_EQ(only().tier, Tier::compiled);
}

/// What is in the way of one signature is in that of all: it is said once.
TEST_F(CapturedTierTest, GraphsThatCallFunctionsAreNotTriedAgain) {
  const CustomCall identity{[](const CustomCallArgs &args) -> Status {
    std::memcpy(args.results[0].data(), args.operands[0].data(),
                size_t(args.operands[0].bytes()));
    return {};
  }};
  ASSERT_TRUE(registerCustomCall("identity", identity));
  compiler->callsFunction = true;
  callUntil("uncaptured");
  EXPECT_THAT(only().events.back().reason, HasSubstr("custom_call"));
  for (int i = 0; i < 200; ++i) {
    call(5, static_cast<float>(i % 7));
    function->wait();
  }
  const FunctionReport report = function->report();
  for (const SignatureReport &signature : report.signatures) {
    EXPECT_EQ(signature.state, SignatureState::promoted);
    EXPECT_EQ(signature.capturedCalls, 0u);
  }
  EXPECT_EQ(count("uncaptured"), 1u);
  EXPECT_EQ(count("capturing"), 0u);
}

/// A call that fails runs again, compiled.
TEST_F(CapturedTierTest, WorkThatFailsRunsCompiled) {
  callUntil("captured");
  costs.failsToRun = true;
  call();
  EXPECT_EQ(only().state, SignatureState::promoted);
  EXPECT_EQ(only().tier, Tier::compiled);
  EXPECT_THAT(only().events.back().reason, HasSubstr("the work is lost"));
  call();
  EXPECT_EQ(count("failed"), 0u);
  function->wait();
  EXPECT_EQ(recording->found, ProgramProfile()); // It was faster.
}

/// Captured work goes with its program, and is tried again with the next.
TEST_F(CapturedTierTest, GoesWithTheProgram) {
  tiering.maxResidentBytes = 1500;       // One program of 1000 bytes.
  tiering.compileIn = CompileIn::thread; // In little time.
  create();
  callUntil("captured");
  callUntil("evicted", 5);
  EXPECT_LE(function->report().residentBytes, 1000);
  log.clear();
  callUntil("captured", 4);
}

TEST_F(CapturedTierTest, IsNotTriedWhereNothingDependsOnTimes) {
  create(Mode::compileNow);
  for (int i = 0; i < 200; ++i)
    call();
  function->wait();
  EXPECT_EQ(only().tier, Tier::compiled);
  EXPECT_THAT(log, Not(Contains("capturing")));
}

TEST_F(CapturedTierTest, ThreadsChangeTiersTogether) {
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 400; ++i) {
        auto outputs = function->call(makeInputs(4, float(t)));
        wrong += !outputs || outputs->at(0).as<float>()[3] != float(t) + 16;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  function->wait();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(only().calls, 1600u);
  EXPECT_EQ(count("capturing"), 1u);
}

} // namespace
