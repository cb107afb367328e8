//===- ExecutorErrorsTest.cpp - What executors refuse ---------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExecutorFixture.h"

#include <gmock/gmock.h>

using namespace tandem;
using namespace tandem::test;
using testing::HasSubstr;

namespace {

using ExecutorErrorsTest = ExecutorTest;

TEST_F(ExecutorErrorsTest, RefusesInputsThatDoNotFit) {
  auto executor = create(chain());
  auto message = [&](std::vector<Tensor> inputs) {
    Status status = executor->run(inputs, outputs);
    return status ? "no error" : status.error().str();
  };
  EXPECT_THAT(message({makeFloats({2})}), HasSubstr("1 inputs are given"));
  EXPECT_THAT(message({makeFloats({2}), makeFloats({3})}),
              HasSubstr("input 1: dim \"N\" is 3, but 2 in input 0"));
  EXPECT_THAT(message({makeFloats({2}), makeFloats({2, 1})}),
              HasSubstr("tensor<2x1xf32> is given where tensor<?xf32>"));
  EXPECT_THAT(message({makeFloats({2}), Tensor::borrow(vec(2), nullptr)}),
              HasSubstr("input 1 has no data"));
  EXPECT_EQ(message({makeFloats({2}), makeFloats({2})}), "no error");
}

TEST_F(ExecutorErrorsTest, ErrorsNameTheOpAndItsLocation) {
  auto executor = create(chain());
  fake.failing = true;
  Tensor inputs[] = {makeFloats({2}), makeFloats({2})};
  Status status = executor->run(inputs, outputs);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().str(),
            "test.mlir:1:3: error: execute: add: the library says no");
  fake.failing = false;
  EXPECT_TRUE(executor->run(inputs, outputs)) << "usable after an error";
}

TEST_F(ExecutorErrorsTest, AShapeErrorAtRunTimeIsLocated) {
  ProgramBuilder builder;
  uint32_t x = builder.input(vec(kDynamic)), y = builder.input(vec(kDynamic));
  auto executor = create(
      builder.finish({builder.op(makeOp(OpKind::add), {x, y}, vec(kDynamic))}));
  Tensor inputs[] = {makeFloats({2}), makeFloats({3})};
  Status status = executor->run(inputs, outputs);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().str(), "test.mlir:1:3: error: shape: add C3: shapes "
                                  "2 and 3 do not broadcast");
}

TEST_F(ExecutorErrorsTest, AnOpWithoutProviderIsAnError) {
  ProgramBuilder builder;
  uint32_t x = builder.input(vec(2));
  auto executor =
      create(builder.finish({builder.op(makeOp(OpKind::exp), {x}, vec(2))}));
  Tensor inputs[] = {makeFloats({2})};
  Status status = executor->run(inputs, outputs);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().str(),
              HasSubstr("test.mlir:1:3: error: execute: no provider executes "
                        "exp on (tensor<2xf32>)"));
}

TEST_F(ExecutorErrorsTest, AKernelThatIsNotLoadedIsAnError) {
  ProgramBuilder builder;
  uint32_t x = builder.input(vec(2));
  int kernel = builder.kernel(2, 2);
  auto executor =
      Executor::create(builder.finish({builder.launch(kernel, {x}, vec(2))}));
  ASSERT_FALSE(executor);
  EXPECT_THAT(executor.error().str(),
              HasSubstr("kernel kernel_0 is not loaded"));
}

TEST_F(ExecutorErrorsTest, MemoryThatRunsOutIsALocatedError) {
  ProgramBuilder builder;
  TensorType row{DType::f32, {1, kDynamic}}, column{DType::f32, {kDynamic, 1}};
  uint32_t x = builder.input(row), y = builder.input(column);
  auto executor = create(builder.finish(
      {builder.op(makeOp(OpKind::add), {x, y},
                  TensorType{DType::f32, {kDynamic, kDynamic}})}));
  constexpr int64_t kSize = int64_t(1) << 21; // 16 TiB for the sum
  Tensor inputs[] = {makeFloats({1, kSize}), makeFloats({kSize, 1})};
  Status status = executor->run(inputs, outputs);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().str(),
              HasSubstr("test.mlir:1:3: error: allocate: add: cannot allocate "
                        "17592186044416 bytes"));
}

} // namespace
