//===- LibraryErrorsTest.cpp - What goes wrong with libraries -------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LibraryFixture.h"

using namespace tandem;
using namespace tandem::test;
using testing::AllOf;
using testing::HasSubstr;

namespace {

class LibraryErrorsTest : public LibraryTest {
protected:
  LibraryErrorsTest() {
    product.base.op = makeOp(OpKind::matmul, fb::MatmulAttrsT());
    product.operands = {tensorOf(DType::f32, {2, 2}, {1, 2, 3, 4}),
                        tensorOf(DType::f32, {2, 2}, {1, 0, 0, 1})};
    product.result = {DType::f32, {2, 2}};
    fb::ConvAttrsT attrs;
    attrs.strides = attrs.dilations = {1};
    attrs.pad_low = attrs.pad_high = {0};
    attrs.input_layout = attrs.output_layout = "NWC";
    attrs.kernel_layout = "OWI";
    conv.base.op = makeOp(OpKind::conv, attrs);
    conv.operands = {tensorOf(DType::f32, {1, 2, 2}, {1, 2, 3, 4}),
                     tensorOf(DType::f32, {2, 1, 2}, {1, 0, 0, 1})};
    conv.result = {DType::f32, {1, 2, 2}};
  }
  Error errorOf(const FusedCase &c) {
    const auto op = c.prepare(*libraries);
    if (!op)
      return op.error();
    const auto result = run(**op, c.operands, c.result);
    EXPECT_FALSE(result);
    return result ? Error() : result.error();
  }
  void expectFine(const FusedCase &c) {
    const auto op = c.prepare(*libraries);
    ASSERT_TRUE(op && *op);
    const auto result = run(**op, c.operands, c.result);
    ASSERT_TRUE(result) << result.error().str();
    EXPECT_EQ(valuesOf(*result), (std::vector<double>{1, 2, 3, 4}));
  }

  FusedCase product, conv;
};

TEST_F(LibraryErrorsTest, ALibraryThatDoesNotStartIsPassedOver) {
  fake.fail("cudnnCreate", 1001, 1);
  fake.fail("cublasLtCreate", 1, 1);
  EXPECT_EQ(*conv.prepare(*libraries), nullptr);
  EXPECT_EQ(*product.prepare(*libraries), nullptr);
  // For good: whoever asks again gets the same.
  EXPECT_EQ(*conv.prepare(*libraries), nullptr);
  EXPECT_EQ(*libraries->facts(), "");
  libraries = openLibraries();
  expectFine(conv);
  expectFine(product);
}

TEST_F(LibraryErrorsTest, CallsThatFailAreNamed) {
  ASSERT_TRUE(*conv.prepare(*libraries)); // With its engine's trial.
  fake.fail("cudnnBackendExecute", 5000, 1);
  EXPECT_EQ(errorOf(conv).str(),
            "error: execute: cuDNN 9.19: execution: "
            "CUDNN_STATUS_EXECUTION_FAILED (this is the fake cuDNN)");
  fake.fail("cublasLtMatmul", 13, 1);
  EXPECT_EQ(errorOf(product).str(),
            "error: execute: cuBLASLt 13.1: cublasLtMatmul: "
            "CUBLAS_STATUS_EXECUTION_FAILED");
  expectFine(conv);
  expectFine(product);
}

TEST_F(LibraryErrorsTest, AnEngineWhoseTrialFailsIsPassedOver) {
  fake.fail("cudnnBackendExecute", 5000, 1);
  expectFine(conv);
}

TEST_F(LibraryErrorsTest, PlansThatFailAreTriedAgain) {
  fake.fail("cudnnBackendCreateDescriptor", 4003, 1);
  EXPECT_THAT(errorOf(conv).message, HasSubstr("cudnnBackendCreateDescriptor"));
  fake.fail("cublasLtMatmulAlgoGetHeuristic", 7, 1);
  EXPECT_THAT(errorOf(product).message,
              HasSubstr("cublasLtMatmulAlgoGetHeuristic: "
                        "CUBLAS_STATUS_INVALID_VALUE"));
  expectFine(conv);
  expectFine(product);
  // What the heuristics have no algorithm for is not an error.
  libraries = openLibraries();
  fake.fail("cublasLtMatmulAlgoGetHeuristic", 15, 1);
  EXPECT_EQ(*product.prepare(*libraries), nullptr);
}

TEST_F(LibraryErrorsTest, AProbeThatFailsFusesNothing) {
  // The first that runs is cuDNN's engine 51, which keeps NaN.
  fake.fail("cudnnBackendExecute", 5000, 1);
  const auto facts = libraries->facts();
  ASSERT_TRUE(facts) << facts.error().str();
  EXPECT_THAT(*facts, HasSubstr("f32: 0; f64: 0 51;"));
}

TEST_F(LibraryErrorsTest, AddressesThatAreNotAlignedAreRefused) {
  for (const FusedCase &c : {conv, product}) {
    const auto op = c.prepare(*libraries);
    ASSERT_TRUE(op && *op);
    const auto there = *copyToDevice(c.operands, *stream);
    Tensor large = *Tensor::allocate({DType::f32, {64}}, stream->allocator());
    Tensor result =
        Tensor::borrow(c.result, large.as<float>() + 1, device->memory());
    const Status status = runOp(**op, there, {&result, 1}, *stream);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().message,
              "a tensor's address is not a multiple of 16 bytes");
    EXPECT_TRUE(stream->synchronize());
  }
}

/// Steps of libraries are among those that an error that sticks may be of.
TEST_F(LibraryErrorsTest, AStepThatLosesTheDeviceIsNamed) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const auto op = product.prepare(*libraries);
        fake.fail("kernel", 700, 1);
        const auto result = run(**op, product.operands, product.result);
        std::fprintf(stderr, "%s\n",
                     result ? "fine" : result.error().str().c_str());
        std::fflush(stderr);
        std::_Exit(result ? 1 : 0);
      },
      testing::ExitedWithCode(0), "the step.*: CUDA_ERROR_ILLEGAL_ADDRESS");
}

/// A call that fails because of work before it tells of that.
TEST_F(LibraryErrorsTest, ACallOnALostDeviceTellsWhatLostIt) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const auto op = product.prepare(*libraries);
        const auto there = *copyToDevice(product.operands, *stream);
        Tensor result = *Tensor::allocate(product.result, stream->allocator());
        fake.fail("kernel", 700, 1);
        const Status first =
            runOp(**op, there, {&result, 1}, *stream, "the first");
        (void)cuda::driver()->ctxSynchronize(); // Nobody is told.
        const Status second =
            runOp(**op, there, {&result, 1}, *stream, "the second");
        std::fprintf(stderr, "%s\n",
                     second ? "fine" : second.error().str().c_str());
        std::fflush(stderr);
        std::_Exit(first && !second ? 0 : 1);
      },
      testing::ExitedWithCode(0), "the first.*CUDA_ERROR_ILLEGAL_ADDRESS");
}

} // namespace
