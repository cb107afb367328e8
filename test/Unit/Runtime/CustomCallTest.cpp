//===- CustomCallTest.cpp - Registered functions --------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestPrograms.h"

#include "tandem/Runtime/CustomCall.h"
#include "tandem/Runtime/ErrorBounds.h"
#include "tandem/Runtime/Program/ProgramLoops.h"
#include "tandem/Runtime/Provider.h"

#include <gmock/gmock.h>

#include <cmath>
#include <thread>

using namespace tandem;
using namespace tandem::test;
using testing::HasSubstr;

namespace {

const TensorType kRow{DType::f32, {4}};

/// A function that computes `f` of each element of f32.
template <typename F> CustomCall::Run map(F f) {
  return [f](const CustomCallArgs &args) -> Status {
    const Tensor &from = args.operands[0];
    for (int64_t i = 0; i < from.shape().numElements(); ++i)
      args.results[0].as<float>()[i] = f(from.as<float>()[i]);
    return {};
  };
}

std::string errorOf(const Status &status) {
  return status ? "" : status.error().str();
}

TEST(CustomCallTest, RegistrationsThatMakeNoSenseAreRefused) {
  const auto nothing = map([](float x) { return x; });
  EXPECT_THAT(errorOf(registerCustomCall("", {nothing})),
              HasSubstr("the target must not be empty"));
  EXPECT_THAT(errorOf(registerCustomCall("f", {})),
              HasSubstr("\"f\": there is no function"));
  EXPECT_THAT(errorOf(registerCustomCall("f", {nothing, nothing, NAN})),
              HasSubstr("relative error must be between 0 and 0.1"));
  EXPECT_EQ(errorOf(registerCustomCall("taken", {nothing})), "");
  EXPECT_THAT(errorOf(registerCustomCall("taken", {nothing})),
              HasSubstr("it is registered already, for cpu"));
  EXPECT_TRUE(findCustomCall("taken", hostDevice()));
  EXPECT_FALSE(findCustomCall("f", hostDevice()));
}

/// The tiers call what they should, and bounds are those of the function: its
/// own error, and its operand's as it amplifies it.
TEST(CustomCallTest, ErrorBoundsAreTheFunctions) {
  ASSERT_TRUE(
      registerCustomCall("triple", {map([](float x) { return 3 * x + 1e-5f; }),
                                    map([](float x) { return 3 * x; }), 1e-4}));
  ASSERT_TRUE(registerCustomCall(
      "amplify", {map([](float x) { return std::sin(1000 * x); })}));
  ProgramBuilder b;
  const uint32_t x = b.input(kRow);
  const uint32_t triple = b.op(makeCustomCall("triple", {kRow}), {x}, kRow);
  const uint32_t exact = b.op(makeCustomCall("amplify", {kRow}), {x}, kRow);
  const uint32_t root = b.op(makeOp(OpKind::exp), {x}, kRow);
  const uint32_t inexact =
      b.op(makeCustomCall("amplify", {kRow}), {root}, kRow);
  const auto program = b.finish({triple, exact, inexact});
  const Tensor inputs[] = {makeFloats({4}, 1)};
  auto bounded = evaluateWithBounds(*program, inputs);
  ASSERT_TRUE(bounded) << bounded.error().str();
  EXPECT_FLOAT_EQ((*bounded)[0].value.as<float>()[1], 6);
  ASSERT_EQ((*bounded)[0].bounds.size(), 4u);
  EXPECT_GT((*bounded)[0].bounds[1], 1e-4);
  EXPECT_LT((*bounded)[0].bounds[1], 1e-2);
  EXPECT_TRUE((*bounded)[1].bounds.empty());
  EXPECT_GT((*bounded)[2].bounds[1], 100 * 6e-8);
}

TEST(CustomCallTest, TiersRunTheFunctionAndItsReference) {
  ASSERT_TRUE(registerCustomCall("tiers", {map([](float) { return 1.0f; }),
                                           map([](float) { return 2.0f; })}));
  ProgramBuilder b;
  const uint32_t x = b.input(kRow);
  const auto program =
      b.finish({b.op(makeCustomCall("tiers", {kRow}), {x}, kRow)});
  for (auto [providers, expected] :
       {std::pair(eagerProviders(), 1.0f), {referenceProviders(), 2.0f}}) {
    ExecutorOptions options;
    options.providers = providers;
    auto executor = Executor::create(program, options);
    ASSERT_TRUE(executor) << executor.error().str();
    const Tensor inputs[] = {makeFloats({4})};
    std::vector<Tensor> outputs;
    ASSERT_EQ(errorOf((*executor)->run(inputs, outputs)), "");
    EXPECT_EQ(outputs[0].as<float>()[3], expected);
  }
}

/// Inferred types must be as many as are written, agree with those and be
/// known.
TEST(CustomCallTest, InferredTypesAreChecked) {
  const TensorType any{DType::f32, {kDynamic}};
  std::vector<TensorType> inferred;
  CustomCall inferring{map([](float x) { return x; })};
  inferring.inferTypes = [&](std::string_view, std::span<const TensorType>,
                             std::span<const TensorType> written)
      -> Expected<std::vector<TensorType>> {
    EXPECT_EQ(written[0], any);
    return inferred;
  };
  ASSERT_TRUE(registerCustomCall("sizes", inferring));
  auto infer = [&](std::vector<TensorType> types) {
    inferred = std::move(types);
    const OpDesc op = makeCustomCall("sizes", {any});
    auto result = inferCustomCall(*op.attrs.AsCustomCallAttrs(), {});
    return result ? result->at(0).str() : result.error().message;
  };
  EXPECT_EQ(infer({kRow}), "tensor<4xf32>");
  EXPECT_THAT(infer({}), HasSubstr("has 1 results, but 0 types"));
  EXPECT_THAT(infer({any}), HasSubstr("result 0 is tensor<?xf32>, where"));
  EXPECT_THAT(infer({{DType::f64, {4}}}), HasSubstr("tensor<4xf64>"));
  EXPECT_THAT(infer({{DType::f32, {-3}}}), HasSubstr("where tensor<?xf32>"));
  EXPECT_THAT(infer({{DType::f32, {2, 2}}}), HasSubstr("tensor<2x2xf32>"));
}

TEST(CustomCallTest, ManyThreadsRegisterAndCall) {
  std::vector<std::thread> threads;
  std::atomic<int> registered = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        const std::string target = "many" + std::to_string(i);
        registered +=
            bool(registerCustomCall(target, {map([](float x) { return x; })}));
        EXPECT_TRUE(findCustomCall(target, hostDevice()));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(registered, 50);
}

} // namespace
