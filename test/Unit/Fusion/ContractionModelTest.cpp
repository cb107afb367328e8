//===- ContractionModelTest.cpp - What fusion asks a target ---------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlannedKernels.h"
#include "TestKernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace mlir;
using namespace tandem;
using tandem::test::bodyOf;
using tandem::test::kernelsOf;
using testing::ElementsAre;

namespace {

TEST(ContractionModelTest, TheTargetSaysWhatContractionsTake) {
  MLIRContext context;
  auto module = test::parse(context, R"(
func.func @main(%x: tensor<64x16xf32>, %w: tensor<16x64xf32>)
    -> tensor<64x64xf32> {
  %0 = tandem.exp %x : tensor<64x16xf32>
  %1 = tandem.matmul %0, %w
      : (tensor<64x16xf32>, tensor<16x64xf32>) -> tensor<64x64xf32>
  %2 = tandem.relu %1 : tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
})");
  ASSERT_TRUE(module);
  test::Kernels kernels;
  FusionOptions options;
  options.contractions = &kernels;
  EXPECT_THAT(kernelsOf(bodyOf(*module), options),
              ElementsAre("contraction: exp matmul relu"));
  kernels.prologueRuns = 1000;
  EXPECT_THAT(kernelsOf(bodyOf(*module), options),
              ElementsAre("loop: exp", "contraction: matmul relu"));
  kernels.efficiency = 1e-3;
  EXPECT_THAT(kernelsOf(bodyOf(*module), options),
              ElementsAre("loop: exp", "loop: matmul relu"));
  kernels.efficiency = 0.9;
  kernels.refusal = "is one for the other unit";
  EXPECT_THAT(kernelsOf(bodyOf(*module), options),
              ElementsAre("loop: exp", "loop: matmul relu"));
  FusionLog log;
  planFusion(bodyOf(*module), options, &log);
  EXPECT_TRUE(llvm::any_of(log, [&](const FusionLogEntry &entry) {
    return entry.decision.reason() == FusionRefusal::NotGenerated &&
           StringRef(entry.decision.str()).contains(kernels.refusal);
  }));
}

TEST(ContractionModelTest, TheTargetSaysWhatWindowsTake) {
  MLIRContext context;
  auto module = test::parse(context, R"(
func.func @main(%x: tensor<1x64x64x64xf32>, %w: tensor<1x1x64x64xf32>)
    -> tensor<1x32x32x64xf32> {
  %0 = tandem.conv %x, %w
      layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      : (tensor<1x64x64x64xf32>, tensor<1x1x64x64xf32>)
      -> tensor<1x64x64x64xf32>
  %1 = tandem.max_pool %0 layout = "NHWC" window = [2, 2] strides = [2, 2]
      : (tensor<1x64x64x64xf32>) -> tensor<1x32x32x64xf32>
  return %1 : tensor<1x32x32x64xf32>
})");
  ASSERT_TRUE(module);
  test::Kernels kernels;
  FusionOptions options;
  options.contractions = &kernels;
  EXPECT_THAT(kernelsOf(bodyOf(*module), options),
              ElementsAre("contraction: conv max_pool"));
  kernels.windows.partBytes = 4096;
  EXPECT_THAT(kernelsOf(bodyOf(*module), options),
              ElementsAre("contraction: conv", "loop: max_pool"));
  kernels.windows = {1024, 2048, /*repeatedShare=*/100};
  EXPECT_THAT(kernelsOf(bodyOf(*module), options),
              ElementsAre("contraction: conv", "loop: max_pool"));
}

} // namespace
