//===- EngineFixture.h - A function of a fake compiler ----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TEST_UNIT_TIERING_ENGINEFIXTURE_H
#define TANDEM_TEST_UNIT_TIERING_ENGINEFIXTURE_H

#include "../Runtime/TestPrograms.h"

#include "tandem/Runtime/Function.h"
#include "tandem/Runtime/Provider.h"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <thread>

namespace tandem::test {

using Types = std::vector<TensorType>;

inline void spin(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end)
    ;
}

/// Eager's ops, each so much slower that compiling pays, but for calls of
/// functions, which compiled programs have as well.
class SlowProvider final : public Provider {
public:
  /// What an op takes.
  std::atomic<std::chrono::microseconds> time{std::chrono::microseconds(200)};

  std::string_view name() const override { return "slow"; }
  Expected<std::unique_ptr<PreparedOp>>
  prepare(const OpSignature &signature) const override {
    TANDEM_ASSIGN_OR_RETURN(auto op,
                            prepareOp(referenceProviders(), signature));
    if (signature.op.kind == OpKind::custom_call)
      return op;
    return std::make_unique<SlowOp>(std::move(op), time);
  }

private:
  struct SlowOp final : PreparedOp {
    SlowOp(std::unique_ptr<PreparedOp> op,
           const std::atomic<std::chrono::microseconds> &time)
        : op(std::move(op)), time(time) {}
    Status run(const StepContext &context, std::span<const Tensor> operands,
               std::span<Tensor> results) const override {
      spin(time);
      return op->run(context, operands, results);
    }
    std::unique_ptr<PreparedOp> op;
    const std::atomic<std::chrono::microseconds> &time;
  };
};

inline std::shared_ptr<const Program> makeSum() {
  const TensorType type{DType::f32, {kDynamic}};
  OpDesc addition;
  addition.kind = OpKind::add;
  ProgramBuilder b;
  uint32_t x = b.input(type, {"n"}), y = b.input(type, {"n"});
  return b.finish({b.op(addition, {x, y}, type)});
}

/// Compiles x + y, for one length, to a kernel that is there already.
class FakeCompiler : public Compiler {
public:
  Expected<Compiled> compile(std::span<const TensorType> inputs) override {
    if (gate)
      gate->wait();
    ++compilations;
    if (shallFail)
      return fail("codegen", "no");
    ProgramBuilder b;
    const TensorType type = inputs[0];
    uint32_t x = b.input(type, {"n"}), y = b.input(type, {"n"});
    int number = b.kernel(type.shape[0], type.shape[0]);
    b.program.kernels[0]->code.assign(1000, 0);
    b.program.arena_bytes = arenaBytes;
    Compiled compiled;
    uint32_t sum = b.launch(number, {x, y}, type);
    if (callsFunction)
      sum = b.op(makeCustomCall("identity", {type}), {sum}, type);
    compiled.program = b.finish({sum});
    compiled.kernels = load();
    compiled.phases = phases;
    compiled.warnings = warnings;
    compiled.kernelCounts.fellBack = warnings.size();
    return compiled;
  }
  Expected<Compiled> compileInHelper(std::span<const TensorType> inputs,
                                     std::stop_token stop) override {
    if (helperGate) {
      helperGate->arrive_and_wait();
      while (!stop.stop_requested())
        std::this_thread::yield();
      isInterrupted = true;
      return fail("compile", "it was interrupted");
    }
    TANDEM_ASSIGN_OR_RETURN(Compiled compiled, compile(inputs));
    compiled.compiledIn = CompileIn::process;
    compiled.helperNs = 1e10;
    return compiled;
  }
  Prediction predict(std::span<const TensorType>) const override {
    return prediction;
  }

  ProgramProfile profile(std::span<const TensorType>) override { return found; }
  void keepProfile(std::span<const TensorType>,
                   const ProgramProfile &profile) override {
    found = profile;
  }

  virtual LoadedKernels load() const { return fakeKernels({kernel}); }

  /// What compiling says to have taken.
  std::vector<PhaseTime> phases;
  /// One for each kernel that is said to run op by op.
  std::vector<Warning> warnings;
  /// What is kept for other processes.
  ProgramProfile found;
  KernelFn kernel = addKernel;
  Prediction prediction{1000, 1000};
  bool shallFail = false;
  int64_t arenaBytes = 0;
  /// Whether what is compiled calls the function "identity".
  bool callsFunction = false;
  /// Compilations wait for it, unless it is null.
  std::shared_ptr<std::latch> gate;
  /// A helper that has arrived there runs until it is interrupted.
  std::shared_ptr<std::latch> helperGate;
  std::atomic<bool> isInterrupted = false;
  std::atomic<int> compilations = 0;
};

/// x and y of so many elements, no two alike.
inline std::vector<Tensor> makeInputs(int64_t length, float start = 0) {
  return {makeFloats({length}, start), makeFloats({length}, 10)};
}

struct EngineTest : testing::Test {
  std::shared_ptr<FakeCompiler> compiler = std::make_shared<FakeCompiler>();
  TieringOptions tiering;
  ExecutorOptions executor;
  SlowProvider slow;
  const Provider *const slowProviders[1] = {&slow};
  std::mutex mutex; // Guards `log`.
  std::vector<std::string> log;
  // The first to end: what runs for it uses all of the above.
  std::unique_ptr<Function> function;

  EngineTest() {
    executor.providers = slowProviders;
    tiering.log = [&](const TieringEvent &event) {
      std::lock_guard lock(mutex);
      log.emplace_back(name(event.kind));
    };
    tiering.reproducerDir = testing::TempDir() + "/engine-reproducers";
  }
  void create() {
    function =
        std::make_unique<Function>(makeSum(), compiler, executor, tiering);
  }
  void create(Mode mode) {
    tiering.mode = mode;
    create();
  }
  void call(int64_t length = 4, float start = 0) {
    auto outputs = function->call(makeInputs(length, start));
    ASSERT_TRUE(outputs) << outputs.error().str();
    for (int64_t i = 0; i < length; ++i)
      ASSERT_EQ(outputs->at(0).as<float>()[i],
                start + 10 + 2 * static_cast<float>(i));
  }
  SignatureReport only() {
    FunctionReport report = function->report();
    EXPECT_EQ(report.signatures.size(), 1u);
    return report.signatures.at(0);
  }
};

} // namespace tandem::test

#endif // TANDEM_TEST_UNIT_TIERING_ENGINEFIXTURE_H
