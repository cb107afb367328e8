//===- NVRTCTest.cpp - CUDA C++ to PTX ------------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/Libraries/NVRTC.h"

#include <gmock/gmock.h>
#include <thread>

using namespace tandem;
using testing::HasSubstr;

namespace {

class NVRTCTest : public testing::Test {
protected:
  void SetUp() override {
    if (Expected<std::string> version = nvrtcVersion(); !version)
      GTEST_SKIP() << version.error().str();
  }
};

TEST_F(NVRTCTest, PTXDoesNotEndInANul) {
  Expected<std::string> ptx = compileToPTX(
      "extern \"C\" __global__ void k(float* x) { *x = 1.0f; }", "k", "sm_80");
  ASSERT_TRUE(ptx) << ptx.error().str();
  EXPECT_THAT(*ptx, HasSubstr(".target sm_80"));
  EXPECT_EQ(ptx->find('\0'), std::string::npos);
}

TEST_F(NVRTCTest, AnErrorCarriesTheLog) {
  Expected<std::string> ptx =
      compileToPTX("__global__ void k() {\n  undefined();\n}", "k", "sm_90");
  ASSERT_FALSE(ptx);
  EXPECT_EQ(ptx.error().phase, "codegen");
  EXPECT_THAT(ptx.error().message, HasSubstr("kernel 'k'"));
  EXPECT_THAT(ptx.error().message, HasSubstr("k.cu(2): error"));
}

TEST_F(NVRTCTest, AnUnknownArchitectureIsAnError) {
  EXPECT_FALSE(compileToPTX("__global__ void k() {}", "k", "sm_12"));
}

TEST_F(NVRTCTest, ThreadsCompileAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> compiled = 0;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      compiled +=
          compileToPTX("__global__ void k() {}", "k", "sm_90").has_value();
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(compiled, 4);
}

} // namespace
