//===- LoopEfficiencyTest.cpp - What loops reach of a contraction ---------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlannedKernels.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Fusion/LoopEfficiency.h"

#include <gmock/gmock.h>

using namespace mlir;
using namespace tandem;

namespace {

/// The efficiency of the 1x1 convolution of a 56 x 56 image of 16 channels,
/// whose data are 200 KB, to `outputs` channels.
double efficiencyOf(const DeviceModel &device, int64_t outputs) {
  MLIRContext context;
  const std::string o = std::to_string(outputs);
  const std::string types = "(tensor<1x16x56x56xf32>, tensor<" + o +
                            "x16x1x1xf32>) -> tensor<1x" + o + "x56x56xf32>";
  auto module = test::parse(
      context, "func.func @main(%x: tensor<1x16x56x56xf32>, %w: tensor<" + o +
                   "x16x1x1xf32>) -> tensor<1x" + o + R"(x56x56xf32> {
  %0 = tandem.conv %x, %w layout = <input = "NCHW", kernel = "OIHW", output = "NCHW"> : )" +
                   types + "\n  return %0 : tensor<1x" + o + "x56x56xf32>\n}");
  EXPECT_TRUE(module);
  auto conv = *test::bodyOf(*module).getOps<ir::ConvOp>().begin();
  auto contraction = describeContraction(conv);
  EXPECT_TRUE(contraction);
  return getLoopEfficiency(device, *contraction);
}

TEST(LoopEfficiencyTest, DataBeyondTheFirstCacheAreReadAnewForEachOutput) {
  DeviceModel device;
  device.cores = 1;
  device.vectorBits = 512;
  device.f32FlopsPerNs = 100; // 200 bytes of data a ns.
  device.loopShare = 0.5;
  // Rows of 56 fill 7 of 8 lanes.
  constexpr double kNear = 0.5 * 7 / 8;
  device.caches = {{1 << 20, 400}, {4 << 20, 20}};
  EXPECT_DOUBLE_EQ(efficiencyOf(device, 96), kNear);
  device.caches.front().bytes = 100 << 10;
  EXPECT_DOUBLE_EQ(efficiencyOf(device, 96), 0.1);
  EXPECT_DOUBLE_EQ(efficiencyOf(device, 1), kNear);
  device.caches.back().bytesPerNs = 150;
  EXPECT_DOUBLE_EQ(efficiencyOf(device, 96), kNear);
  device.caches.back().bytes = 150 << 10; // Not even there.
  device.memoryBytesPerNs = 10;
  EXPECT_DOUBLE_EQ(efficiencyOf(device, 96), 0.05);
}

} // namespace
