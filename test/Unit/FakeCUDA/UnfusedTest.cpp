//===- UnfusedTest.cpp - Epilogues where no library has them --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LibraryFixture.h"

using namespace tandem;
using namespace tandem::test;
using testing::HasSubstr;

namespace {

class UnfusedTest : public LibraryTest {
protected:
  Expected<std::unique_ptr<PreparedOp>> prepare(ProviderList providers,
                                                const FusedCase &c) {
    const std::vector<TensorType> types = typesOf(c.operands);
    return prepareFused(
        providers,
        {{c.base.op, types, {&c.result, 1}}, c.hasResidual, c.activation});
  }
};

TEST_F(UnfusedTest, TheHostRunsTheOpsOneByOne) {
  std::mt19937_64 rng(17);
  for (ProviderList providers : {eagerProviders(), referenceProviders()})
    for (OpKind kind : {OpKind::conv, OpKind::matmul})
      for (DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16})
        for (int i = 0; i < 12; ++i) {
          const FusedCase c = randomFused(kind, dtype, rng);
          SCOPED_TRACE(c.base.describe());
          const auto op = prepare(providers, c);
          ASSERT_TRUE(op && *op) << op.error().str();
          Tensor result = *Tensor::allocate(c.result);
          const Status status = runOp(**op, c.operands, {&result, 1});
          ASSERT_TRUE(status) << status.error().str();
          ASSERT_EQ(valuesOf(result), valuesOf(c.expected()));
        }
}

/// No engine of cuDNN's has gelu.
TEST_F(UnfusedTest, SoDoesADeviceWhoseLibrariesHaveNoCall) {
  std::mt19937_64 rng(19);
  int compared = 0;
  for (int i = 0; i < 20; ++i) {
    FusedCase c = randomFused(OpKind::conv, DType::f32, rng);
    c.activation = Activation::gelu_tanh;
    SCOPED_TRACE(c.base.describe());
    ASSERT_EQ(*c.prepare(*libraries), nullptr);
    if (c.result.shape.numElements() == 0)
      continue;
    const auto op = prepare(device->providers(), c);
    ASSERT_TRUE(op && *op) << op.error().str();
    const auto actual = run(**op, c.operands, c.result);
    ASSERT_TRUE(actual) << actual.error().str();
    EXPECT_LE(compare(c.expected(), *actual).maxAbsolute, 1e-4);
    ++compared;
  }
  EXPECT_GT(compared, 10);
}

/// One call where there is one: it has no more steps than that.
TEST_F(UnfusedTest, OneCallComesFirst) {
  std::mt19937_64 rng(23);
  FusedCase c = randomFused(OpKind::matmul, DType::f32, rng);
  c.activation = Activation::gelu_tanh;
  const auto fused = prepare(device->providers(), c);
  ASSERT_TRUE(fused && *fused);
  const auto alone = c.prepare(*libraries);
  ASSERT_TRUE(alone && *alone);
  EXPECT_EQ((*fused)->workspaceBytes(), (*alone)->workspaceBytes());
  const auto unfused = prepare(eagerProviders(), c);
  ASSERT_TRUE(unfused && *unfused);
  EXPECT_GE((*unfused)->workspaceBytes(), c.result.bytes());
}

/// The error names the contraction if even the contraction has no provider.
TEST_F(UnfusedTest, NoProviderAtAllIsAnError) {
  std::mt19937_64 rng(29);
  const FusedCase c = randomFused(OpKind::matmul, DType::f32, rng);
  const auto op = prepare({}, c);
  ASSERT_FALSE(op);
  EXPECT_THAT(op.error().message, HasSubstr("no provider executes matmul"));
}

} // namespace
