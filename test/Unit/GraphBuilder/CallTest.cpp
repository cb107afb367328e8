//===- CallTest.cpp - Graphs that are called by others
//---------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/GraphBuilder.h"

#include <gmock/gmock.h>

using namespace tandem;
using testing::HasSubstr;

namespace {

const TensorType kVector{DType::f32, {4}};

/// x * weights + x, with weights that are long enough to be a resource.
std::unique_ptr<Graph> buildScale(std::vector<float> &weights,
                                  bool isDynamic = false) {
  weights.assign(64, 2);
  GraphBuilder b;
  auto x = b.input(isDynamic ? TensorType{DType::f32, {kDynamic, 64}}
                             : TensorType{DType::f32, {64}});
  auto w = b.constant(Tensor::borrow({DType::f32, {64}}, weights.data()));
  auto graph = b.build({b.add(b.mul(x, w), x), x});
  EXPECT_TRUE(graph) << graph.error().str();
  return std::move(*graph);
}

TEST(CallTest, AddsTheOpsOfTheGraph) {
  GraphBuilder b;
  auto x = b.input({DType::f32, {64}});
  {
    std::vector<float> weights;
    auto scale = buildScale(weights);
    // Twice, and after the graph and its weights are gone.
    x = b.call(*scale, {x})[0];
    x = b.call(*scale, {x})[0];
  }
  auto graph = b.build(x);
  ASSERT_TRUE(graph) << graph.error().str();
  auto function = (*graph)->createFunction();
  ASSERT_TRUE(function);
  std::vector<float> input(64, 1);
  for (Tier tier : {Tier::reference, Tier::eager, Tier::compiled}) {
    auto outputs = (*function)->call(
        std::vector{Tensor::borrow({DType::f32, {64}}, input.data())},
        {.tier = tier});
    ASSERT_TRUE(outputs) << outputs.error().str();
    EXPECT_EQ((*outputs)[0].as<float>()[63], 9);
  }
}

TEST(CallTest, OutputsMayBeInputs) {
  std::vector<float> weights;
  auto scale = buildScale(weights);
  GraphBuilder b;
  auto x = b.input({DType::f32, {64}});
  auto graph = b.build(b.call(*scale, {x})[1]);
  ASSERT_TRUE(graph) << graph.error().str();
  EXPECT_EQ((*graph)->eagerProgram()->outputs,
            (*graph)->eagerProgram()->inputs);
}

std::string errorOf(const std::function<void(GraphBuilder &)> &add) {
  GraphBuilder b;
  add(b);
  return b.status() ? "no error" : b.status().error().str();
}

TEST(CallTest, RefusesWhatDoesNotFit) {
  std::vector<float> weights;
  auto scale = buildScale(weights), dynamic = buildScale(weights, true);
  EXPECT_THAT(errorOf([&](GraphBuilder &b) { b.call(*scale, {}); }),
              HasSubstr("0 operands for the 1 inputs"));
  EXPECT_THAT(
      errorOf([&](GraphBuilder &b) { b.call(*scale, {b.input(kVector)}); }),
      HasSubstr("operand 0 is tensor<4xf32>, but the input is "
                "tensor<64xf32>"));
  EXPECT_THAT(errorOf([&](GraphBuilder &b) {
                b.call(*dynamic, {b.input({DType::f32, {2, 64}})});
              }),
              HasSubstr("all types must be static"));
  EXPECT_THAT(errorOf([&](GraphBuilder &b) {
                b.call(*scale, {GraphBuilder::Value()});
              }),
              HasSubstr("no value of this builder"));
  EXPECT_THAT(errorOf([&](GraphBuilder &b) {
                auto x = b.input({DType::f32, {64}});
                b.loop({.carried = {x}, .trips = 2}, [&](auto &body) {
                  return GraphBuilder::LoopYield{
                      .carried = {b.call(*scale, body.carried)[0]}};
                });
              }),
              HasSubstr("in the body of a loop"));
}

} // namespace
