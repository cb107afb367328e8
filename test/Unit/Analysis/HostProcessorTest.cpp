//===- HostProcessorTest.cpp - Features of processors ---------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Analysis/HostProcessor.h"

#include <gtest/gtest.h>

using namespace tandem;

namespace {

TEST(ChangeFeatures, RemovesWhatNeedsAFeature) {
  const std::string features =
      changeFeatures("+avx,+avx2,+fma,+avxvnni,+avx512f,+avx512vnni", "-avx2");
  EXPECT_TRUE(hasFeature(features, "avx"));
  EXPECT_TRUE(hasFeature(features, "fma"));
  for (const char *name : {"avx2", "avxvnni", "avx512f", "avx512vnni"})
    EXPECT_FALSE(hasFeature(features, name)) << name;
  EXPECT_FALSE(hasVNNI({"", features}));
}

TEST(ChangeFeatures, TakesAMXAway) {
  const std::string features = "+avx2,+avx512f,+avx512bw,+amx-tile,+amx-int8";
  EXPECT_TRUE(hasAMXInt8({"", features}));
  for (const char *changes : {"-amx-tile", "-amx-int8", "-avx512f"})
    EXPECT_FALSE(hasAMXInt8({"", changeFeatures(features, changes)}))
        << changes;
}

TEST(ChangeFeatures, AddsWhatAFeatureNeeds) {
  const std::string features =
      changeFeatures("-avx,-avx2,-avx512f", "+avx512f,-avxvnni");
  for (const char *name : {"avx", "avx2", "avx512f"})
    EXPECT_TRUE(hasFeature(features, name)) << name;
  EXPECT_FALSE(hasFeature(features, "avxvnni"));
}

TEST(ChangeFeatures, TakesNamesThatLLVMDoesNotList) {
  EXPECT_TRUE(
      hasFeature(changeFeatures("+avx", "+prefer-256-bit"), "prefer-256-bit"));
  EXPECT_TRUE(hasFeature(changeFeatures("+avx", ""), "avx"));
}

} // namespace
