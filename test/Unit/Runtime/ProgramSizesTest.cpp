//===- ProgramSizesTest.cpp - Sizes that depend on inputs -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestPrograms.h"

#include "tandem/Runtime/Program/ProgramLoops.h"
#include "tandem/Runtime/Program/ProgramSizes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tandem;
using namespace tandem::test;
using fb::SizeTermKind;
using testing::HasSubstr;

namespace {

/// A reshape of an input of unknown size n to (2, terms), where the terms may
/// refer to symbol 0, which is n.
Program makeProgram(std::vector<fb::SizeTerm> terms) {
  ProgramBuilder builder;
  uint32_t x = builder.input({DType::f32, {kDynamic}}, {"n"});
  fb::ReshapeAttrsT attrs;
  attrs.shape = {2, kDynamic};
  uint32_t y = builder.op(makeOp(OpKind::reshape, attrs), {x},
                          TensorType{DType::f32, {2, kDynamic}});
  auto size = std::make_unique<fb::SizeExpressionT>();
  size->attribute = fb::SizeAttribute::shape;
  size->entry = 1;
  size->terms = std::move(terms);
  builder.program.steps[0]->sizes.push_back(std::move(size));
  builder.program.size_symbols.emplace_back(0, 0);
  builder.program.outputs = {y};
  return std::move(builder.program);
}

fb::SizeTerm symbol(int64_t number) { return {SizeTermKind::symbol, number}; }
fb::SizeTerm constant(int64_t value) { return {SizeTermKind::constant, value}; }
fb::SizeTerm term(SizeTermKind kind) { return {kind, 0}; }

std::string verifyError(const Program &program) {
  Status status = verify(program);
  return status ? "valid" : status.error().message;
}

int64_t evaluate(std::vector<fb::SizeTerm> terms, int64_t n) {
  const Program program = makeProgram(std::move(terms));
  const std::vector<int64_t> symbols = {n};
  Expected<OpDesc> op = resolveSizes(*program.steps[0], symbols);
  return op ? op->attrs.AsReshapeAttrs()->shape[1] : kDynamic;
}

TEST(ProgramSizesTest, EvaluatesEveryTerm) {
  EXPECT_EQ(evaluate({symbol(0), constant(3), term(SizeTermKind::add)}, 7), 10);
  EXPECT_EQ(evaluate({symbol(0), constant(-3), term(SizeTermKind::mul)}, 7),
            -21);
  for (auto [n, floor, ceil, mod] :
       {std::tuple(7, 2, 3, 1), std::tuple(-7, -3, -2, 2),
        std::tuple(6, 2, 2, 0)}) {
    EXPECT_EQ(
        evaluate({symbol(0), constant(3), term(SizeTermKind::floordiv)}, n),
        floor);
    EXPECT_EQ(
        evaluate({symbol(0), constant(3), term(SizeTermKind::ceildiv)}, n),
        ceil);
    EXPECT_EQ(evaluate({symbol(0), constant(3), term(SizeTermKind::mod)}, n),
              mod);
  }
}

TEST(ProgramSizesTest, HasNoValueForOverflowAndDivisorsThatAreNotPositive) {
  const int64_t large = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(evaluate({symbol(0), constant(large), term(SizeTermKind::add)}, 1),
            kDynamic);
  EXPECT_EQ(evaluate({symbol(0), constant(large), term(SizeTermKind::mul)}, 2),
            kDynamic);
  EXPECT_EQ(
      evaluate({constant(-large), constant(large - 1), term(SizeTermKind::mod)},
               0),
      large - 2);
  EXPECT_EQ(
      evaluate({constant(-large), constant(2), term(SizeTermKind::floordiv)},
               0),
      -(large / 2) - 1);
  for (int64_t divisor : {int64_t(0), int64_t(-1)})
    EXPECT_EQ(
        evaluate({constant(kDynamic + 1), symbol(0), term(SizeTermKind::mod)},
                 divisor),
        kDynamic);
}

TEST(ProgramSizesTest, VerifiesExpressions) {
  EXPECT_EQ(verifyError(makeProgram(
                {symbol(0), constant(2), term(SizeTermKind::floordiv)})),
            "valid");
  for (const std::vector<fb::SizeTerm> &terms :
       {std::vector<fb::SizeTerm>{},
        {symbol(1)},
        {symbol(-1)},
        {symbol(0), term(SizeTermKind::add)},
        {symbol(0), symbol(0)},
        {fb::SizeTerm(SizeTermKind(100), 0)}})
    EXPECT_THAT(verifyError(makeProgram(terms)), HasSubstr("malformed"));
}

TEST(ProgramSizesTest, VerifiesWhichEntriesHaveExpressions) {
  Program program = makeProgram({symbol(0)});
  program.steps[0]->sizes[0]->entry = 0;
  EXPECT_THAT(verifyError(program), HasSubstr("belongs to no unknown size"));
  program.steps[0]->sizes[0]->entry = 2;
  EXPECT_THAT(verifyError(program), HasSubstr("belongs to no unknown size"));
  program.steps[0]->sizes[0]->entry = 1;
  program.steps[0]->sizes[0]->attribute = fb::SizeAttribute::low;
  EXPECT_THAT(verifyError(program), HasSubstr("belongs to no unknown size"));
  program.steps[0]->sizes.clear();
  EXPECT_THAT(verifyError(program), HasSubstr("has no expression"));
}

TEST(ProgramSizesTest, VerifiesSymbols) {
  for (fb::SizeSymbol wrong : {fb::SizeSymbol(1, 0), fb::SizeSymbol(0, 1)}) {
    Program program = makeProgram({symbol(0)});
    program.size_symbols[0] = wrong;
    EXPECT_THAT(verifyError(program), HasSubstr("no dim"));
  }
}

TEST(ProgramSizesTest, AProgramWithExpressionsIsNotFlat) {
  Program program = makeProgram({constant(3)});
  program.size_symbols.clear();
  EXPECT_EQ(verifyError(program), "valid");
  EXPECT_FALSE(isFlat(program));
}

TEST(ProgramSizesTest, UnrollingReplacesExpressions) {
  const Program program =
      makeProgram({symbol(0), constant(2), term(SizeTermKind::floordiv)});
  const TensorType input{DType::f32, {6}};
  Expected<Program> unrolled = unrollLoops(program, {&input, 1});
  ASSERT_TRUE(unrolled.has_value());
  EXPECT_TRUE(unrolled->steps[0]->sizes.empty());
  EXPECT_EQ(unrolled->steps[0]->op->attrs.AsReshapeAttrs()->shape,
            (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(verifyError(*unrolled), "valid");
}

} // namespace
