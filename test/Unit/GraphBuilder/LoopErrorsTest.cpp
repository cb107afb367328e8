//===- LoopErrorsTest.cpp - Wrong loops of a GraphBuilder -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/GraphBuilder.h"

#include <gmock/gmock.h>

#include <functional>

using namespace tandem;
using testing::HasSubstr;
using testing::IsEmpty;
using Value = GraphBuilder::Value;
using Yield = GraphBuilder::LoopYield;

namespace {

using Operands = GraphBuilder::LoopOperands;

/// The error of the only loop of a builder, whose op has the number 0. `x` is
/// of type tensor<4x8xf32>.
Error errorOf(const std::function<void(GraphBuilder &b, Value x)> &add) {
  GraphBuilder b;
  add(b, b.input({DType::f32, {4, 8}}));
  if (b.status())
    return {};
  EXPECT_EQ(b.status().error().location, "op 0 (loop)");
  return b.status().error();
}

/// The error of a loop with these operands, which only carries values on.
std::string
errorOfOperands(const std::function<Operands(GraphBuilder &b, Value x)> &make) {
  return errorOf([&](GraphBuilder &b, Value x) {
           b.loop(make(b, x),
                  [](auto &body) { return Yield{.carried = body.carried}; });
         })
      .message;
}

TEST(LoopErrors, NameTheBrokenConstraint) {
  EXPECT_THAT(
      errorOfOperands([](auto &, Value x) { return Operands{.carried = {x}}; }),
      HasSubstr("loop C5: there must be 'trips' or a scanned tensor"));
  EXPECT_THAT(errorOfOperands([](auto &, Value x) {
                return Operands{.carried = {x}, .trips = -2};
              }),
              HasSubstr("loop C5: 'trips' is -2"));
  EXPECT_THAT(errorOfOperands([](auto &, Value x) {
                return Operands{.carried = {x}, .scanned = {x}, .trips = 4};
              }),
              HasSubstr("loop C5: a loop that scans tensors cannot have"));
  EXPECT_THAT(errorOfOperands([](auto &b, Value x) {
                return Operands{.scanned = {x, b.splat({DType::f32, {3}}, 0)}};
              }),
              HasSubstr("loop C4: scanned tensor 1 is tensor<3xf32>, but there "
                        "are 4 iterations"));
  EXPECT_THAT(errorOfOperands([](auto &b, Value) {
                return Operands{.scanned = {b.splat({DType::f32, {}}, 0)}};
              }),
              HasSubstr("C4: scanned tensor 0 is tensor<f32>, which has no"));
  EXPECT_THAT(errorOfOperands([](auto &, Value x) {
                return Operands{.scanned = {x}, .reversed = {true, false}};
              }),
              HasSubstr("loop C6: 2 flags 'reversed' for 1 scanned tensors"));
  EXPECT_THAT(
      errorOfOperands([](auto &, Value) { return Operands{.trips = 3}; }),
      HasSubstr("loop C8: the body computes neither"));
  GraphBuilder other;
  Value theirs = other.input({DType::f32, {4}});
  EXPECT_THAT(errorOfOperands([&](auto &, Value) {
                return Operands{.carried = {theirs}, .trips = 2};
              }),
              HasSubstr("a carried value is no value of this builder"));
}

/// The error of a loop over two iterations that carries x.
std::string errorOfBody(
    const std::function<Yield(GraphBuilder &b, Value carried)> &compute) {
  return errorOf([&](GraphBuilder &b, Value x) {
           b.loop({.carried = {x}, .trips = 2},
                  [&](auto &body) { return compute(b, body.carried[0]); });
         })
      .str();
}

TEST(LoopErrors, TellWhatABodyComputes) {
  EXPECT_THAT(errorOfBody([](auto &b, Value) {
                return Yield{.carried = {b.splat({DType::f32, {4}}, 0)}};
              }),
              HasSubstr("loop C2: carried value 0 is tensor<4x8xf32>, but the "
                        "body computes tensor<4xf32> for the next iteration"));
  EXPECT_THAT(errorOfBody([](auto &b, Value) {
                return Yield{.carried = {b.splat({DType::i32, {4, 8}}, 0)}};
              }),
              HasSubstr("but the body computes tensor<4x8xi32>"));
  EXPECT_THAT(errorOfBody([](auto &, Value) { return Yield{}; }),
              HasSubstr("loop C2: the body computes 0 carried values, but the "
                        "loop has 1"));
  EXPECT_THAT(errorOfBody([](auto &, Value x) {
                return Yield{
                    .carried = {x}, .stacked = {x}, .reversed = {true, false}};
              }),
              HasSubstr("loop C6: 2 flags 'reversed' for 1 stacked values"));
  EXPECT_THAT(errorOfBody([](auto &b, Value x) {
                return Yield{.carried = {x},
                             .stacked = {b.splat(
                                 {DType::f32, {1, 1, 1, 1, 1, 1, 1, 1}}, 0)}};
              }),
              HasSubstr("a slice of rank 8 cannot be stacked"));
  EXPECT_THAT(errorOfBody([](auto &, Value x) {
                return Yield{.carried = {x}, .stacked = {Value()}};
              }),
              HasSubstr("a stacked value is no value of this builder"));
}

TEST(LoopErrors, AreThoseOfOpsInTheBody) {
  GraphBuilder b;
  Value x = b.input({DType::f32, {4}});
  auto loop = b.loop({.carried = {x}, .trips = 2}, [&](auto &body) {
    b.setLocation("cell");
    return Yield{.carried = {b.softmax(body.carried[0], {.axis = 3})},
                 .stacked = {x}};
  });
  EXPECT_EQ(b.status().error().location, "cell");
  EXPECT_THAT(b.status().error().message, HasSubstr("softmax C"));
  EXPECT_EQ(loop.carried.size(), 1u);
  EXPECT_EQ(loop.stacked.size(), 1u);
}

/// A program that counts on the sizes of what a loop gives must not crash.
TEST(LoopErrors, LeaveAsManyValuesAsWithoutThem) {
  GraphBuilder b;
  Value x = b.input({DType::f32, {4}});
  size_t slices = 0;
  auto loop =
      b.loop({.carried = {x}, .scanned = {x, x}, .trips = 2}, [&](auto &body) {
        slices = body.slices.size();
        Value sum = b.add(body.slices[0], body.slices[1]);
        b.neg(body.index);
        return Yield{.carried = {sum}, .stacked = {sum, sum}};
      });
  EXPECT_EQ(slices, 2u);
  EXPECT_EQ(loop.stacked.size(), 2u);
  b.neg(loop.carried[0]);
  EXPECT_EQ(b.status().error().location, "op 0 (loop)");
  EXPECT_FALSE(b.build(loop.stacked));
}

TEST(LoopErrors, RefuseValuesOfBodiesThatHaveEnded) {
  GraphBuilder b;
  Value x = b.input({DType::f32, {4}}), inside;
  auto loop = b.loop({.carried = {x}, .trips = 2}, [&](auto &body) {
    inside = body.carried[0];
    return Yield{.carried = {b.neg(inside)}};
  });
  auto graph = b.build(inside);
  ASSERT_FALSE(graph);
  EXPECT_THAT(graph.error().message,
              HasSubstr("belongs to the body of a loop that has ended"));
  ASSERT_TRUE(b.build(loop.carried));
  b.loop({.carried = {x}, .trips = 2}, [&](auto &body) {
    return Yield{.carried = {b.add(body.carried[0], inside)}};
  });
  EXPECT_EQ(b.status().error().location, "op 3 (add)");
  EXPECT_THAT(b.status().error().hint, HasSubstr("results of the loop"));
}

TEST(LoopErrors, TellBodiesThatDoNotEndOrBegin) {
  GraphBuilder b;
  b.beginLoop({.trips = 2});
  auto graph = b.build(GraphBuilder::Operands(std::vector<Value>{}));
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().location, "op 0 (loop)");
  EXPECT_THAT(graph.error().message, HasSubstr("has not ended"));
  b.input({DType::f32, {4}});
  EXPECT_THAT(b.status().error().message, HasSubstr("input cannot be added"));
  GraphBuilder empty;
  empty.abandonLoop();
  EXPECT_TRUE(empty.status());
  EXPECT_THAT(empty.endLoop({}).carried, IsEmpty());
  EXPECT_THAT(empty.status().error().message, HasSubstr("no body"));
}

TEST(LoopErrors, LimitTheDepth) {
  GraphBuilder b;
  Value x = b.input({DType::f32, {4}});
  std::function<Value(int, Value)> nest = [&](int depth, Value value) {
    if (depth == 0)
      return b.neg(value);
    auto loop = b.loop({.carried = {value}, .trips = 1}, [&](auto &body) {
      return Yield{.carried = {nest(depth - 1, body.carried[0])}};
    });
    return loop.carried[0];
  };
  auto graph = b.build(nest(8, x));
  EXPECT_TRUE(graph) << graph.error().str();
  nest(9, x);
  EXPECT_THAT(b.status().error().message, HasSubstr("loop C9"));
}

} // namespace
