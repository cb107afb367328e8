//===- ConvShapesTest.cpp - Unit tests ------------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Measure/ConvShapes.h"

#include <gmock/gmock.h>

#include <filesystem>

using namespace tandem;
using namespace tandem::measure;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

ConvShape parseOne(std::string_view line) {
  auto shapes = parseConvShapes(line, "list");
  EXPECT_TRUE(shapes) << shapes.error().str();
  EXPECT_EQ(shapes->size(), 1u);
  return shapes && !shapes->empty() ? shapes->front() : ConvShape();
}

std::string errorOf(std::string_view text) {
  auto shapes = parseConvShapes(text, "list");
  return shapes ? "no error" : shapes.error().str();
}

} // namespace

TEST(ConvShapes, ReadsEveryField) {
  ConvShape shape =
      parseOne("g2mb3_ic4id9ih10iw11_oc6od5oh6ow12_kd3kh2kw1_sd2sh3sw1_"
               "dd1dh0dw0_pd1ph2pw1n\"net:conv*4\"");
  EXPECT_EQ(shape.name, "net:conv");
  EXPECT_EQ(shape.repeats, 4);
  EXPECT_EQ(shape.numSpatial, 3);
  EXPECT_EQ(shape.groups, 2);
  EXPECT_EQ(shape.batch, 3);
  EXPECT_EQ(shape.inputChannels, 4);
  EXPECT_EQ(shape.inputChannelsOfGroup(), 2);
  EXPECT_EQ(shape.outputChannels, 6);
  EXPECT_THAT(shape.input, ElementsAre(9, 10, 11));
  EXPECT_THAT(shape.output, ElementsAre(5, 6, 12));
  EXPECT_THAT(shape.kernel, ElementsAre(3, 2, 1));
  EXPECT_THAT(shape.strides, ElementsAre(2, 3, 1));
  EXPECT_THAT(shape.dilations, ElementsAre(2, 1, 1));
  EXPECT_THAT(shape.padLow, ElementsAre(1, 2, 1));
  // What the output sizes imply: (5-1)*2+5-9-1, (6-1)*3+2-10-2, 12-1+1-11-1.
  EXPECT_THAT(shape.padHigh, ElementsAre(3, 5, 0));
  EXPECT_EQ(shape.flops(), 2.0 * 3 * 6 * 2 * (5 * 6 * 12) * (3 * 2 * 1));
}

TEST(ConvShapes, FillsWhatIsMissing) {
  ConvShape shape = parseOne("ic3ih56oc16kh3ph1");
  EXPECT_EQ(shape.batch, 2);
  EXPECT_EQ(shape.groups, 1);
  EXPECT_EQ(shape.repeats, 1);
  EXPECT_EQ(shape.name, "");
  EXPECT_EQ(shape.numSpatial, 2);
  EXPECT_THAT(shape.input, ElementsAre(1, 56, 56));
  EXPECT_THAT(shape.output, ElementsAre(1, 56, 56));
  EXPECT_THAT(shape.kernel, ElementsAre(1, 3, 3));
  EXPECT_THAT(shape.padLow, ElementsAre(0, 1, 1));
  EXPECT_THAT(shape.padHigh, ElementsAre(0, 1, 1));
}

TEST(ConvShapes, DerivesOutputFromPaddingOfBothSides) {
  EXPECT_EQ(parseOne("ic1oc1iw27kw2").output[2], 26);
  EXPECT_EQ(parseOne("ic1oc1iw32kw5pw1sw3").output[2], (32 + 2 - 5) / 3 + 1);
  EXPECT_EQ(parseOne("ic1oc1iw32kw3dw2").output[2], 32 - 7 + 1);
}

TEST(ConvShapes, DerivesPaddingFromOutput) {
  ConvShape shape = parseOne("ic1oc1iw8ow8kw4");
  EXPECT_EQ(shape.padLow[2], 1);
  EXPECT_EQ(shape.padHigh[2], 2);
}

TEST(ConvShapes, RestOfAStrideIsNoPadding) {
  ConvShape shape = parseOne("ic1oc1iw10ow5kw1sw2pw0");
  EXPECT_EQ(shape.padLow[2], 0);
  EXPECT_EQ(shape.padHigh[2], 0);
}

TEST(ConvShapes, DimsBehindRepeatTheLastNamed) {
  ConvShape cube = parseOne("ic1oc1id5kd3pd1");
  EXPECT_EQ(cube.numSpatial, 3);
  EXPECT_THAT(cube.output, ElementsAre(5, 5, 5));
  ConvShape square = parseOne("ic1oc1id5ih7kd3kh1");
  EXPECT_THAT(square.output, ElementsAre(3, 7, 7));
  EXPECT_EQ(parseOne("ic1oc1iw5kw1").numSpatial, 1);
}

TEST(ConvShapes, SkipsCommentsAndBlankLines) {
  auto shapes = parseConvShapes("# first\n\n ic1oc1iw5kw1\n", "list");
  EXPECT_THAT(shapes ? "" : shapes.error().str(), HasSubstr("list:3:1"));
  shapes = parseConvShapes(
      "# a\r\n\nic1oc1iw5kw1n\"x#1\"  # same\n#ic\nic1oc2iw6kw1nplain", "list");
  ASSERT_TRUE(shapes) << shapes.error().str();
  ASSERT_EQ(shapes->size(), 2u);
  EXPECT_EQ((*shapes)[0].name, "x#1");
  EXPECT_EQ((*shapes)[0].line, 3);
  EXPECT_EQ((*shapes)[1].name, "plain");
  EXPECT_EQ((*shapes)[1].line, 5);
  EXPECT_THAT(*parseConvShapes("", "list"), testing::IsEmpty());
}

TEST(ConvShapes, StarWithoutCountIsPartOfTheName) {
  EXPECT_EQ(parseOne("ic1oc1iw5kw1n\"a*b\"").name, "a*b");
  EXPECT_EQ(parseOne("ic1oc1iw5kw1n\"a*0\"").repeats, 1);
}

TEST(ConvShapes, RefusesWhatItCannotRead) {
  EXPECT_THAT(errorOf("ic1oc1\nic3ix5"),
              HasSubstr("list:1:1: error: shapes: no spatial dim is given"));
  EXPECT_THAT(errorOf("\nic3ix5oc1"),
              HasSubstr("list:2:4: error: shapes: 'ix5' is not a field"));
  EXPECT_THAT(errorOf("ic3oc"), HasSubstr("list:1:6: error: shapes: 'oc' needs "
                                          "a whole number"));
  EXPECT_THAT(errorOf("5"), HasSubstr("'5' is not a field"));
  EXPECT_THAT(errorOf("ic3oc-4iw1kw1"), HasSubstr("'oc' cannot be -4"));
  EXPECT_THAT(errorOf("ic3oc0iw1kw1"), HasSubstr("'oc' cannot be 0"));
  EXPECT_THAT(errorOf("ic3oc4iw1kw1sw0"), HasSubstr("'sw' cannot be 0"));
  EXPECT_THAT(errorOf("ic99999999999999999999"),
              HasSubstr("'ic' needs a whole number"));
  EXPECT_THAT(errorOf("oc4iw1kw1"), HasSubstr("no 'ic' is given"));
  EXPECT_THAT(errorOf("ic4oc4iw8"), HasSubstr("no 'kw' is given"));
  EXPECT_THAT(errorOf("ic4oc4kw3"), HasSubstr("no 'iw' is given"));
  EXPECT_THAT(errorOf("g3ic4oc6iw8kw1"),
              HasSubstr("3 groups do not divide 4 and 6 channels"));
  EXPECT_THAT(errorOf("ic4oc4iw2kw3"),
              HasSubstr("a kernel that reaches over 3 does not fit into 2"));
  EXPECT_THAT(errorOf("ic4oc4iw20ow5kw3"), HasSubstr("of the input unread"));
  EXPECT_THAT(errorOf("ic4oc4iw8kw1n\"a"), HasSubstr("no closing quote"));
  EXPECT_THAT(errorOf("ic4oc4iw8kw1n\"a\"b"),
              HasSubstr("a name is the last of a line"));
}

TEST(ConvShapes, ReadsEveryListOfTheRepository) {
  size_t files = 0, shapes = 0;
  for (const auto &entry :
       std::filesystem::directory_iterator(TANDEM_CONV_SHAPES)) {
    if (!entry.path().filename().string().starts_with("shapes_"))
      continue;
    auto list = readConvShapes(entry.path());
    ASSERT_TRUE(list) << list.error().str();
    ++files;
    shapes += list->size();
  }
  EXPECT_EQ(files, 13u);
  EXPECT_EQ(shapes, 325u);
}

TEST(ConvShapes, NamesAFileThatIsNotThere) {
  auto shapes = readConvShapes("/nonexistent/list");
  ASSERT_FALSE(shapes);
  EXPECT_THAT(shapes.error().str(), HasSubstr("/nonexistent/list"));
}
