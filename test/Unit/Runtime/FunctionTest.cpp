//===- FunctionTest.cpp - A graph to call ---------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestPrograms.h"

#include "Device/GuardedDevice.h"

#include "tandem/Runtime/Function.h"

#include <gmock/gmock.h>

#include <atomic>
#include <latch>
#include <thread>

using namespace tandem;
using namespace tandem::test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

OpDesc addition() {
  OpDesc op;
  op.kind = OpKind::add;
  return op;
}

/// x + y of any length.
std::shared_ptr<const Program> makeSum() {
  const TensorType type{DType::f32, {kDynamic}};
  ProgramBuilder b;
  uint32_t x = b.input(type, {"n"}), y = b.input(type, {"n"});
  return b.finish({b.op(addition(), {x, y}, type)});
}

/// Compiles that, for one length, to a kernel that is there already.
class FakeCompiler final : public Compiler {
public:
  Expected<Compiled> compile(std::span<const TensorType> inputs) override {
    ++compilations;
    if (shallFail)
      return fail("codegen", "no");
    ProgramBuilder b;
    const TensorType type = inputs[0];
    uint32_t x = b.input(type, {"n"}), y = b.input(type, {"n"});
    int kernel = b.kernel(type.shape[0], 1);
    Compiled compiled;
    compiled.program = b.finish({b.launch(kernel, {x, y}, type)});
    compiled.kernels = fakeKernels({addKernel});
    return compiled;
  }

  std::atomic<int> compilations = 0;
  bool shallFail = false;
};

struct Functions : testing::Test {
  std::shared_ptr<FakeCompiler> compiler = std::make_shared<FakeCompiler>();
  Function function{makeSum(), compiler};

  std::vector<float> call(int64_t length, Tier tier = Tier::compiled) {
    auto outputs = function.call(
        std::vector{makeFloats({length}), makeFloats({length}, 10)}, tier);
    EXPECT_TRUE(outputs) << outputs.error().str();
    return outputs ? floats(outputs->at(0)) : std::vector<float>();
  }
};

TEST_F(Functions, AllTiersComputeTheSame) {
  for (Tier tier : tiersOf(hostDevice()))
    EXPECT_THAT(call(3, tier), ElementsAre(10, 12, 14)) << name(tier);
  EXPECT_EQ(compiler->compilations, 1);
}

TEST_F(Functions, CompileOnceForASignature) {
  call(3), call(4), call(3), call(4);
  EXPECT_EQ(compiler->compilations, 2);
  TensorType type{DType::f32, {3}};
  auto prepared = function.prepare(std::vector{type, type});
  ASSERT_TRUE(prepared);
  EXPECT_EQ((*prepared)->program->kernels.size(), 1u);
  EXPECT_GT((*prepared)->compileNs, 0);
  EXPECT_EQ(compiler->compilations, 2);
}

TEST_F(Functions, ManyThreadsWaitForOneCompilation) {
  constexpr int kThreads = 8;
  std::latch start(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&] {
      start.arrive_and_wait();
      EXPECT_THAT(call(5), ElementsAre(10, 12, 14, 16, 18));
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(compiler->compilations, 1);
}

TEST_F(Functions, KeepSoManyThatWereUsedLast) {
  const auto most = static_cast<int64_t>(TieringOptions().maxSignatures);
  for (int64_t i = 1; i <= most; ++i)
    call(i);
  call(1);        // The latest now.
  call(most + 1); // Drops a sixteenth of the programs: lengths 2 to 34.
  int before = compiler->compilations;
  call(1), call(35), call(most + 1);
  EXPECT_EQ(compiler->compilations, before);
  call(2), call(34);
  EXPECT_EQ(compiler->compilations, before + 2);
}

TEST_F(Functions, ErrorsAreNotRemembered) {
  compiler->shallFail = true;
  const std::vector inputs = {makeFloats({3}), makeFloats({3}, 10)};
  auto outputs = function.call(inputs, Tier::compiled);
  ASSERT_FALSE(outputs);
  EXPECT_EQ(outputs.error().phase, "codegen");
  EXPECT_THAT(call(3, Tier::eager), ElementsAre(10, 12, 14));
  compiler->shallFail = false;
  EXPECT_THAT(call(3), ElementsAre(10, 12, 14));
}

TEST_F(Functions, RefuseWrongInputs) {
  for (Tier tier : tiersOf(hostDevice())) {
    auto one = function.call(std::vector{makeFloats({3})}, tier);
    ASSERT_FALSE(one) << name(tier);
    EXPECT_THAT(one.error().message, HasSubstr("2"));
    auto lengths =
        function.call(std::vector{makeFloats({3}), makeFloats({4})}, tier);
    EXPECT_FALSE(lengths) << name(tier);
  }
  EXPECT_EQ(compiler->compilations, 0);
}

TEST(Function, WithoutACompilerIsEagerOnly) {
  Function function(makeSum(), nullptr);
  const std::vector inputs = {makeFloats({3}), makeFloats({3}, 10)};
  EXPECT_TRUE(function.call(inputs, Tier::eager));
  EXPECT_TRUE(function.call(inputs));
  EXPECT_EQ(function.call(inputs, Tier::compiled).error().message,
            "the function has no compiler");
}

TEST_F(Functions, RefuseATierThatTheDeviceHasNot) {
  const std::vector inputs = {makeFloats({3}), makeFloats({3}, 10)};
  auto outputs = function.call(inputs, Tier::captured);
  ASSERT_FALSE(outputs);
  EXPECT_EQ(outputs.error().message, "device 'cpu' has no tier 'captured'");
  EXPECT_EQ(outputs.error().hint, "its tiers are reference, eager, compiled");
  EXPECT_EQ(compiler->compilations, 0);
}

TEST(Tiers, HaveNames) {
  for (Tier tier : allTiers())
    EXPECT_EQ(parseTier(name(tier)), tier);
  EXPECT_EQ(parseTier("fast"), std::nullopt);
}

/// The reference knows no device but the host.
TEST(FunctionOnADevice, AllTiersTakeItsTensors) {
  Stream &stream = guardedDevice().defaultStream();
  ExecutorOptions options;
  options.stream = &stream;
  Function function(makeSum(), nullptr, options);
  const Tensor x = makeFloats({3}), y = makeFloats({3}, 10);
  const auto inputs = *copyToDevice(std::vector{x, y}, stream);
  for (Tier tier : {Tier::reference, Tier::eager}) {
    auto outputs = function.call(inputs, tier);
    ASSERT_TRUE(outputs) << outputs.error().str();
    EXPECT_EQ(outputs->at(0).device(), &guardedDevice());
    EXPECT_THAT(floats(copyToHost(*outputs, stream)->at(0)),
                ElementsAre(10, 12, 14));
  }
}

} // namespace
