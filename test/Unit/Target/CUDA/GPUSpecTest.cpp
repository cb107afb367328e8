//===- GPUSpecTest.cpp - Descriptions of GPUs -----------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Analysis/GPUSpec.h"

#include <gmock/gmock.h>

using namespace tandem;
using testing::HasSubstr;

namespace {

TEST(GPUSpec, EveryBuiltinOneIsComplete) {
  ASSERT_FALSE(builtinGPUSpecs().empty());
  for (const std::string &name : builtinGPUSpecs()) {
    Expected<GPUSpec> spec = findGPUSpec(name);
    ASSERT_TRUE(spec) << spec.error().str();
    EXPECT_EQ(name.rfind(spec->arch + "_", 0), 0u) << name;
    EXPECT_GE(spec->sharedMemoryPerMultiprocessorBytes,
              spec->sharedMemoryPerBlockBytes);
  }
}

TEST(GPUSpec, IsFoundByArchitectureAndByDevice) {
  EXPECT_EQ(findGPUSpec("sm_80")->arch, "sm_80");
  EXPECT_EQ(findGPUSpec("sm_100")->arch, "sm_100");
  EXPECT_EQ(findGPUSpec("h200")->arch, "sm_90");
  EXPECT_EQ(findGPUSpec("sm_90_h200")->name, findGPUSpec("h200")->name);
}

TEST(GPUSpec, PeakIsThatOfTheDatasheet) {
  // NVIDIA A100 datasheet: 19.5 TFLOP/s.
  EXPECT_NEAR(findGPUSpec("a100")->fp32FlopsPerSecond(), 19.5e12, 0.05e12);
}

TEST(GPUSpec, NamesWhatThereIsWhereThereIsNone) {
  for (const char *name : {"", "sm", "sm_1", "gfx90a", "80"}) {
    Expected<GPUSpec> spec = findGPUSpec(name);
    ASSERT_FALSE(spec) << name;
    EXPECT_THAT(spec.error().hint, HasSubstr("sm_80_a100"));
  }
}

TEST(GPUSpec, RefusesWhatIsNotANumber) {
  Expected<GPUSpec> spec = parseGPUSpec(
      R"({"name": "x", "arch": "sm_90", "clock_ghz": "fast"})", "x.json");
  ASSERT_FALSE(spec);
  EXPECT_EQ(spec.error().message,
            "x.json: 'clock_ghz' must be a positive number");
}

TEST(GPUSpec, AGPUThatIsHereIsDescribedByItsDriver) {
  GPUProperties h100;
  h100.name = "NVIDIA H100 80GB HBM3";
  h100.multiprocessors = 132;
  h100.memoryClockKHz = 2619000;
  h100.memoryBusBits = 5120;
  h100.l2Bytes = 52428800;
  const auto spec = parseGPUSpec(describeGPU("sm_90", h100), "the driver");
  ASSERT_TRUE(spec) << spec.error().str();
  const GPUSpec ofArch = *findGPUSpec("sm_90");
  EXPECT_EQ(spec->name, h100.name);
  EXPECT_EQ(spec->arch, "sm_90");
  // The datasheet says 3.35 TB/s.
  EXPECT_NEAR(spec->memoryBytesPerSecond, 3.35e12, 0.01e12);
  EXPECT_EQ(spec->l2Bytes, 52428800);
  EXPECT_EQ(spec->multiprocessors, 132);
  // What the driver does not say.
  EXPECT_EQ(spec->clockGHz, ofArch.clockGHz);
  EXPECT_EQ(spec->fp32LanesPerMultiprocessor,
            ofArch.fp32LanesPerMultiprocessor);
  EXPECT_EQ(spec->launchNs, ofArch.launchNs);
  EXPECT_EQ(describeGPU("sm_999", h100), "");
}

} // namespace
