//===- LayerNormShapeRulesTest.cpp - Layer norms and their gradients ------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeRuleCase.h"

#include <limits>

using namespace tandem;
using namespace tandem::test;
using enum DType;
using testing::ElementsAre;

constexpr int64_t D = kDynamic;

static OpDesc layerNorm(double epsilon = 1e-5) {
  return makeOp(OpKind::layer_norm, fb::LayerNormAttrsT{{}, epsilon});
}

static std::vector<TensorType> typesOf(const OpDesc &op,
                                       std::vector<TensorType> operands) {
  auto types = inferTypes(op, operands);
  EXPECT_TRUE(types);
  return types ? *types : std::vector<TensorType>();
}

TEST(LayerNormShapeRule, Types) {
  EXPECT_THAT(
      typesOf(layerNorm(), {{f32, {D, 3, D}}, {f32, {3, D}}, {f32, {D, 4}}}),
      ElementsAre(TensorType{f32, {D, 3, 4}}, TensorType{f32, {D, 1, 1}},
                  TensorType{f32, {D, 1, 1}}));
  EXPECT_THAT(typesOf(layerNorm(), {{bf16, {2, 0}}, {bf16, {0}}, {bf16, {0}}}),
              ElementsAre(TensorType{bf16, {2, 0}}, TensorType{f32, {2, 1}},
                          TensorType{f32, {2, 1}}));
  EXPECT_THAT(typesOf(layerNorm(), {{f64, {4}}, {f64, {4}}, {f64, {4}}})[1],
              (TensorType{f64, {1}}));
}

TEST(LayerNormShapeRule, Errors) {
  const TensorType x{f32, {2, 3, 4}}, row{f32, {4}};
  const auto expect = [&](const TensorType &scale, const TensorType &offset,
                          const std::string &message, double epsilon = 0) {
    expectError(layerNorm(epsilon), {x, scale, offset}, message);
  };
  expect({f16, {4}}, row, "layer_norm C1: ");
  expect(row, {f64, {4}}, "layer_norm C1: ");
  expectError(layerNorm(), {{i32, {4}}, {i32, {4}}, {i32, {4}}},
              "layer_norm C1: ");
  expect({f32, {}}, {f32, {}}, "layer_norm C2: ");
  expect({f32, {3}}, row, "layer_norm C2: ");
  expect({f32, {1, 2, 3, 4}}, row, "layer_norm C2: ");
  expect(row, {f32, {1}}, "layer_norm C3: ");
  expect(row, {f32, {3, 4}}, "layer_norm C3: ");
  expect(row, row, "layer_norm C4: ", std::numeric_limits<double>::quiet_NaN());
}

TEST(LayerNormBackwardShapeRule, Types) {
  const OpDesc op = makeOp(OpKind::layer_norm_backward);
  EXPECT_THAT(typesOf(op, {{f16, {D, 3, D}},
                           {f16, {D, D, 4}},
                           {f16, {D}},
                           {f32, {2, 3, 1}},
                           {f32, {D, 3, 1}}}),
              ElementsAre(TensorType{f16, {2, 3, 4}}, TensorType{f16, {4}},
                          TensorType{f16, {4}}));
}

TEST(LayerNormBackwardShapeRule, Errors) {
  const OpDesc op = makeOp(OpKind::layer_norm_backward);
  const TensorType x{f32, {2, 3}}, row{f32, {3}}, column{f32, {2, 1}};
  const auto expect = [&](std::vector<TensorType> operands,
                          const std::string &label) {
    expectError(op, std::move(operands), "layer_norm_backward " + label);
  };
  expect({x, x, {f16, {3}}, column, column}, "C1: ");
  expect({{i32, {2, 3}}, x, row, column, column}, "C1: ");
  expect({{f32, {2, 1}}, x, row, column, column}, "C2: ");
  expect({row, x, row, column, column}, "C2: ");
  expect({x, x, {f32, {2}}, column, column}, "C3: ");
  expect({x, x, {f32, {}}, column, column}, "C3: ");
  expect({x, x, row, {f32, {2}}, column}, "C4: ");
  expect({x, x, row, column, x}, "C4: ");
  expect({x, x, row, column, {f64, {2, 1}}}, "C4: ");
  const TensorType half{f16, {2, 3}}, narrow{f16, {2, 1}};
  expect({half, half, {f16, {3}}, column, narrow}, "C4: ");
}
