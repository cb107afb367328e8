//===- GPUSpecTest.cpp - Descriptions of GPUs -----------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Target/CUDA/GPUSpec.h"

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

} // namespace
