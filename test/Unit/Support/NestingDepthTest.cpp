//===- NestingDepthTest.cpp - How deep the brackets of a text go ----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Support/NestingDepth.h"

#include "gtest/gtest.h"

using namespace tandem;

namespace {

std::string repeat(const std::string &text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i)
    result += text;
  return result;
}

bool isRight(const std::string &text) {
  return checkNesting(text, "f.mlir").has_value();
}

TEST(NestingDepth, LimitsEveryKindOfBracket) {
  for (std::string open : {"(", "[", "{", "<", "([{<", "- ", "-(", "tuple<"}) {
    EXPECT_TRUE(isRight(repeat(open, kMaxNestingDepth / 4))) << open;
    EXPECT_FALSE(isRight(repeat(open, 100000))) << open;
  }
  EXPECT_TRUE(isRight(repeat("(", kMaxNestingDepth)));
  EXPECT_FALSE(isRight(repeat("(", kMaxNestingDepth + 1)));
}

TEST(NestingDepth, TellsWhere) {
  auto status = checkNesting("a\nbc" + repeat("[", 300), "f.mlir");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().str(),
            "f.mlir:2:259: error: parse: nested more than 256 deep");
  status = checkNesting(repeat("[", 257), "f.mlir");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().location, "f.mlir:1:257");
}

TEST(NestingDepth, CountsWhatIsOpen) {
  EXPECT_TRUE(isRight(repeat("()", 1000)));
  EXPECT_TRUE(isRight(repeat(")", 1000) + repeat("(", 256)));
  EXPECT_TRUE(isRight(repeat("tensor<1xf32> ", 1000)));
  EXPECT_TRUE(isRight(repeat("-1, ", 1000)));
  // What is no bracket does not close one, either.
  EXPECT_TRUE(isRight(repeat("a <= b, ", 1000)));
  EXPECT_FALSE(isRight(repeat("(() -> ", 1000)));
  EXPECT_FALSE(isRight(repeat("< a >= ", 1000)));
}

TEST(NestingDepth, LeavesOutStringsAndComments) {
  std::string deep = repeat("(", 1000);
  EXPECT_TRUE(isRight("// " + deep + "\n()"));
  EXPECT_FALSE(isRight("// \n" + deep));
  EXPECT_TRUE(isRight("\"" + deep + "\""));
  EXPECT_TRUE(isRight("\"\\\"" + deep + "\""));
  EXPECT_FALSE(isRight("\"\\\\\"" + deep));
  // No string goes on in the next line.
  EXPECT_FALSE(isRight("\"\n" + deep));
}

TEST(NestingDepth, LeavesOutBytecode) {
  EXPECT_TRUE(isRight("ML\xefR" + repeat("(", 1000)));
}

} // namespace
