//===- CubinFactsTest.cpp - Facts of kernels in NVRTC's words -------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CubinFacts.h"

#include <gtest/gtest.h>

using namespace tandem;

namespace {

// A listing as NVRTC 13.0 prints it.
const CubinListing kCubin = {R"(.version 9.0
.target sm_90

	// .globl	k_1
.visible .entry k_1(
	.param .u64 k_1_param_0
)
{
	ret;
}
	// .globl	k_10
.visible .entry k_10(
)
{
	exit;
}
)",
                             R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'k_10' for 'sm_90'
ptxas info    : Function properties for k_10
ptxas         .     64 bytes stack frame, 24 bytes spill stores, 48 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 64 bytes cumulative stack size, 2376 bytes smem
ptxas info    : Compile time = 12.000 ms
ptxas info    : Compiling entry function 'k_1' for 'sm_90'
ptxas info    : Function properties for k_1
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, used 0 barriers
)"};

TEST(CubinFacts, EachKernelHasItsOwn) {
  const KernelListing one = listKernel({"one", "k", "k_1"}, kCubin);
  EXPECT_EQ(one.source, "one");
  EXPECT_EQ(one.registers, 8);
  EXPECT_EQ(one.spillBytes, 0);
  EXPECT_EQ(one.sharedBytes, 0);
  EXPECT_EQ(one.assembly, ".version 9.0\n.target sm_90\n\n"
                          ".visible .entry k_1(\n\t.param .u64 "
                          "k_1_param_0\n)\n{\n\tret;\n}\n");
  const KernelListing ten = listKernel({"ten", "k", "k_10"}, kCubin);
  EXPECT_EQ(ten.registers, 255);
  EXPECT_EQ(ten.spillBytes, 24);
  EXPECT_EQ(ten.sharedBytes, 2376);
  EXPECT_EQ(ten.assembly, ".version 9.0\n.target sm_90\n\n"
                          ".visible .entry k_10(\n)\n{\n\texit;\n}\n");
}

TEST(CubinFacts, WhatIsNotToldIsUnknown) {
  const KernelListing other = listKernel({"other", "k", "k_2"}, kCubin);
  EXPECT_EQ(other.source, "other");
  EXPECT_EQ(other.assembly, "");
  EXPECT_EQ(other.registers, 0);
  EXPECT_EQ(listKernel({"k", "k", "k"}, {}).sharedBytes, 0);
}

} // namespace
