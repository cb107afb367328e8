//===- VaryTest.cpp - Unit tests ------------------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Measure/Vary.h"

#include <gmock/gmock.h>

using namespace tandem;
using namespace tandem::measure;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

std::string errorOf(std::string_view text) {
  auto ranges = parseVary(text);
  return ranges ? "no error" : ranges.error().str();
}

/// A program with one f32 input of the given dims and names.
Program programOf(std::vector<int64_t> dims, std::vector<std::string> names) {
  Program program;
  auto slot = std::make_unique<fb::SlotT>();
  slot->type = std::make_unique<fb::TensorTypeT>();
  slot->type->dims = std::move(dims);
  program.slots.push_back(std::move(slot));
  program.inputs = {0};
  auto named = std::make_unique<fb::DimNamesT>();
  named->names = std::move(names);
  program.input_dims.push_back(std::move(named));
  return program;
}

} // namespace

TEST(Vary, ReadsListsAndInclusiveRanges) {
  auto ranges = parseVary(" N=1,8, 64; L=50..400:50 ;W=3..5");
  ASSERT_TRUE(ranges) << ranges.error().str();
  ASSERT_EQ(ranges->size(), 3u);
  EXPECT_EQ((*ranges)[0].name, "N");
  EXPECT_THAT((*ranges)[0].sizes, ElementsAre(1, 8, 64));
  EXPECT_THAT((*ranges)[1].sizes,
              ElementsAre(50, 100, 150, 200, 250, 300, 350, 400));
  EXPECT_THAT((*ranges)[2].sizes, ElementsAre(3, 4, 5));
}

TEST(Vary, LastStepMayFallShort) {
  EXPECT_THAT((*parseVary("N=1..6:2"))[0].sizes, ElementsAre(1, 3, 5));
  EXPECT_THAT((*parseVary("N=7..7:100"))[0].sizes, ElementsAre(7));
}

TEST(Vary, RefusesWhatItCannotRead) {
  EXPECT_THAT(errorOf(""), HasSubstr("--vary is empty"));
  EXPECT_THAT(errorOf("N"), HasSubstr("'N' is not of the form NAME=SIZES"));
  EXPECT_THAT(errorOf("=1"), HasSubstr("'=1' is not of the form NAME=SIZES"));
  EXPECT_THAT(errorOf("N="), HasSubstr("'' in 'N=' is not a whole number"));
  EXPECT_THAT(errorOf("N=1,x"), HasSubstr("'x' in 'N=1,x'"));
  EXPECT_THAT(errorOf("N=0"), HasSubstr("must be at least 1"));
  EXPECT_THAT(errorOf("N=5..2"), HasSubstr("runs backwards"));
  EXPECT_THAT(errorOf("N=1..9:0"), HasSubstr("must be at least 1"));
  EXPECT_THAT(errorOf("N=1;N=2"), HasSubstr("'N' is given twice"));
  EXPECT_THAT(errorOf("N=99999999999999999999"), HasSubstr("is too large"));
  EXPECT_THAT(errorOf("N=1..9000000000000000000"), HasSubstr("more than 4096"));
}

TEST(Vary, ProductVariesTheLastDimFastest) {
  auto shapes = cartesianProduct(*parseVary("N=1,2;L=3,4"));
  ASSERT_TRUE(shapes);
  ASSERT_EQ(shapes->size(), 4u);
  EXPECT_EQ(toString((*shapes)[1]), "N=1 L=4");
  EXPECT_EQ(toString((*shapes)[2]), "N=2 L=3");
  EXPECT_EQ(cartesianProduct({})->size(), 1u);
  EXPECT_FALSE(cartesianProduct(*parseVary("A=1..100;B=1..100")));
}

TEST(Vary, BindsNamedDims) {
  Program program = programOf({kDynamic, kDynamic, 1}, {"N", "L", ""});
  auto types = bindDims(program, {{"N", 2}, {"L", 5}});
  ASSERT_TRUE(types) << types.error().str();
  EXPECT_EQ((*types)[0].str(), "tensor<2x5x1xf32>");
}

TEST(Vary, SaysWhichDimIsWrong) {
  Program program = programOf({kDynamic, 4}, {"N", "C"});
  auto message = [](const auto &expected) { return expected.error().str(); };
  EXPECT_THAT(message(bindDims(program, {{"M", 2}})),
              HasSubstr("no dim of the inputs is named 'M'"));
  EXPECT_THAT(message(bindDims(program, {})),
              HasSubstr("needs a size for 'N'"));
  EXPECT_THAT(message(bindDims(program, {{"N", 1}, {"C", 5}})),
              HasSubstr("is fixed at 4, not C=5"));
  EXPECT_THAT(message(bindDims(programOf({kDynamic}, {""}), {})),
              HasSubstr("is dynamic and has no name"));
}
