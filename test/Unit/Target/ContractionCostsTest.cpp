//===- ContractionCostsTest.cpp - Costs of contractions -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Target/CPU/ContractionCosts.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include "llvm/Support/FormatVariadic.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tandem;

namespace {

/// A convolution, channels last, of `size` x `size` positions and 3 x 3 taps.
struct ConvSizes {
  int64_t size = 28, inputs = 64, outputs = 64, pad = 1;
  bool areWeightsConstant = true, areOutputsLast = true;
};

class ContractionCosts : public testing::Test {
protected:
  ContractionCosts() {
    context.loadDialect<ir::TandemDialect, func::FuncDialect>();
  }

  /// The costs, by way; the library's last.
  SmallVector<ContractionCost, 4> estimate(const ConvSizes &sizes,
                                           const DeviceModel &device) {
    int64_t input = sizes.size + 2 - 2 * sizes.pad;
    std::string x =
        llvm::formatv("tensor<1x{0}x{0}x{1}xf32>", input, sizes.inputs);
    std::string w =
        llvm::formatv(sizes.areOutputsLast ? "tensor<3x3x{0}x{1}xf32>"
                                           : "tensor<{1}x{0}x3x3xf32>",
                      sizes.inputs, sizes.outputs);
    std::string y =
        llvm::formatv("tensor<1x{0}x{0}x{1}xf32>", sizes.size, sizes.outputs);
    std::string text = llvm::formatv(
        "func.func @main(%x: {0}, %w: {1}) -> {2} {{\n"
        "  %0 = tandem.conv %x, %w layout = <input = \"NHWC\", kernel = "
        "\"{4}\", output = \"NHWC\"> pad_low = [{3}, {3}] pad_high = "
        "[{3}, {3}] : ({0}, {1}) -> {2}\n  return %0 : {2}\n}\n",
        x, w, y, sizes.pad, sizes.areOutputsLast ? "HWIO" : "OIHW");
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(text, ParserConfig(&context));
    if (!module)
      return {};
    SmallVector<ContractionCost, 4> costs;
    module->walk([&](ir::ConvOp conv) {
      costs = estimateContractionCosts(conv, sizes.areWeightsConstant, device,
                                       /*useWinograd=*/false);
    });
    return costs;
  }

  MLIRContext context;
};

TEST_F(ContractionCosts, TheLibraryIsTheLast) {
  auto costs = estimate({}, genericDeviceModel());
  ASSERT_EQ(costs.size(), 2u);
  EXPECT_EQ(costs[0].way, ContractionWay::Tiles);
  EXPECT_EQ(costs[1].way, ContractionWay::Library);
}

TEST_F(ContractionCosts, FewProductsMayBeALoop) {
  // 27 for an element, and 72.
  auto costs = estimate({56, 3, 32}, genericDeviceModel());
  ASSERT_EQ(costs.size(), 3u);
  EXPECT_EQ(costs[0].way, ContractionWay::Loop);
  EXPECT_EQ(costs[2].way, ContractionWay::Library);
  EXPECT_EQ(estimate({56, 8, 32}, genericDeviceModel()).size(), 2u);
}

TEST_F(ContractionCosts, MoreWorkAndBytesCostMore) {
  const DeviceModel &device = genericDeviceModel();
  double last[2] = {0, 0};
  for (int64_t size : {7, 14, 28, 56, 112}) {
    auto costs = estimate({size}, device);
    ASSERT_EQ(costs.size(), 2u);
    for (int way : {0, 1}) {
      EXPECT_GT(costs[way].getNs(), last[way]) << size;
      last[way] = costs[way].getNs();
    }
  }
  DeviceModel slow = device;
  slow.memoryBytesPerNs /= 100;
  for (CacheLevel &cache : slow.caches)
    cache.bytesPerNs /= 100;
  for (int way : {0, 1})
    EXPECT_GT(estimate({}, slow)[way].getNs(),
              estimate({}, device)[way].getNs());
}

TEST_F(ContractionCosts, TheLibraryReordersWeightsThatAreNotConstant) {
  auto library = [&](bool areWeightsConstant, bool areOutputsLast) {
    return estimate({7, 512, 512, 1, areWeightsConstant, areOutputsLast},
                    genericDeviceModel())
        .back()
        .getNs();
  };
  EXPECT_GT(library(false, true), library(true, true));
  EXPECT_GT(library(false, false), library(false, true));
}

TEST_F(ContractionCosts, ThreadsShareWhatIsLargeOnly) {
  DeviceModel one = genericDeviceModel().withThreads(1);
  auto ratio = [&](const ConvSizes &sizes) {
    return estimate(sizes, one)[0].getNs() /
           estimate(sizes, genericDeviceModel())[0].getNs();
  };
  EXPECT_GT(ratio({112}), 1.8);
  EXPECT_LE(ratio({112}), 2.0);
  EXPECT_DOUBLE_EQ(ratio({4, 16, 16}), 1.0);
}

TEST_F(ContractionCosts, RatesAreTheDevices) {
  DeviceModel fast = genericDeviceModel();
  fast.f32FlopsPerNs *= 2;
  fast.memoryBytesPerNs *= 2;
  for (CacheLevel &cache : fast.caches)
    cache.bytesPerNs *= 2;
  for (int way : {0, 1}) {
    ContractionCost slowCost = estimate({}, genericDeviceModel())[way];
    ContractionCost fastCost = estimate({}, fast)[way];
    EXPECT_DOUBLE_EQ(slowCost.computeNs, 2 * fastCost.computeNs);
    EXPECT_DOUBLE_EQ(slowCost.memoryNs, 2 * fastCost.memoryNs);
  }
}

/// Weights that stream from a slower cache are waited for.
TEST_F(ContractionCosts, WeightsComeAtTheCachesRate) {
  DeviceModel slow = genericDeviceModel();
  for (CacheLevel &cache : slow.caches)
    cache.bytesPerNs /= 4;
  EXPECT_GT(estimate({}, slow)[0].computeNs,
            estimate({}, genericDeviceModel())[0].computeNs);
}

TEST_F(ContractionCosts, ProductsWithPaddingCostNothing) {
  // Only the middle one of the 3 x 3 taps of one position is inside.
  double inside = estimate({1, 64, 64, 0}, genericDeviceModel())[0].computeNs;
  double padded = estimate({1, 64, 64, 1}, genericDeviceModel())[0].computeNs;
  EXPECT_NEAR(inside / padded, 9, 1e-6);
}

TEST(ContractionCost, PartOfTheTransfersHides) {
  ContractionCost cost;
  cost.startNs = 10;
  cost.computeNs = 100;
  cost.memoryNs = 50;
  EXPECT_GT(cost.getNs(), 110);
  EXPECT_LT(cost.getNs(), 160);
  cost.computeNs = 0;
  EXPECT_DOUBLE_EQ(cost.getNs(), 60);
}

} // namespace
