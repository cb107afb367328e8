//===- TrainingTest.cpp - Training steps in C++
//----------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Training.h"

#include <gmock/gmock.h>

using namespace tandem;
using testing::ElementsAre;
using testing::HasSubstr;
using State = TrainingLayout::State;

namespace {

/// The mean of (x * w - b)^2, for parameters w of five elements and b of one.
std::unique_ptr<Graph> buildLoss() {
  GraphBuilder b;
  auto x = b.input({DType::f32, {kDynamic, 5}}, {"n", ""}, "x");
  auto w = b.input({DType::f32, {5}}, {}, "w");
  auto offset = b.input({DType::f32, {1}}, {}, "b");
  auto error = b.sub(b.mul(x, w), offset);
  auto graph = b.build(b.reduce(b.mul(error, error),
                                {.kind = fb::ReduceKind::mean, .dims = {0, 1}}),
                       {"loss"});
  EXPECT_TRUE(graph) << graph.error().str();
  return std::move(*graph);
}

const std::vector<TensorType> kTypes = {
    {DType::f32, {2, 5}}, {DType::f32, {5}}, {DType::f32, {1}}};

TEST(TrainingTest, LaysOutTheState) {
  auto layout = layOutTraining(*buildLoss(), {.parameters = {2, 1}});
  ASSERT_TRUE(layout) << layout.error().str();
  ASSERT_EQ(layout->parameters.size(), 2);
  EXPECT_EQ(layout->parameters[0].name, "b");
  EXPECT_EQ(layout->parameters[0].offset, 0);
  // At a multiple of 64 bytes.
  EXPECT_EQ(layout->parameters[1].name, "w");
  EXPECT_EQ(layout->parameters[1].offset, 16);
  std::vector<std::string> names;
  for (const State &state : layout->state)
    names.push_back(state.name + ": " + state.type.str());
  EXPECT_THAT(names, ElementsAre("parameters 0: tensor<32xf32>",
                                 "first moments 0: tensor<32xf32>",
                                 "second moments 0: tensor<32xf32>",
                                 "number of steps: tensor<ui64>"));
  EXPECT_EQ(layout->firstStateInput, 1);
  EXPECT_EQ(layout->firstStateOutput, 1);
}

TEST(TrainingTest, GroupsByDecay) {
  TrainingOptions options{.parameters = {1, 2}, .withoutDecay = {2}};
  options.optimizer.kind = Optimizer::Kind::sgd;
  auto layout = layOutTraining(*buildLoss(), options);
  ASSERT_TRUE(layout) << layout.error().str();
  EXPECT_EQ(layout->parameters[0].group, 0);
  EXPECT_EQ(layout->parameters[1].group, 1);
  EXPECT_EQ(layout->parameters[1].offset, 0);
  // SGD without momentum has no moments.
  EXPECT_EQ(layout->state.size(), 3);
}

TEST(TrainingTest, StepUpdatesTheState) {
  TrainingOptions options{.parameters = {1, 2}};
  options.optimizer = {.kind = Optimizer::Kind::sgd, .momentum = 0.5};
  auto step = makeTrainingStep(*buildLoss(), kTypes, options);
  ASSERT_TRUE(step) << step.error().str();
  EXPECT_THAT(step->graph->inputNames(),
              ElementsAre("x", "parameters 0", "first moments 0",
                          "number of steps", "rate"));
  auto function = step->graph->createFunction();
  ASSERT_TRUE(function) << function.error().str();
  std::vector<float> x(10, 1), arena(32, 0), moments(32, 0);
  uint64_t steps = 0;
  double rate = 1;
  arena[16] = 2; // b
  const std::vector<Tensor> inputs = {
      Tensor::borrow(kTypes[0], x.data()),
      Tensor::borrow({DType::f32, {32}}, arena.data()),
      Tensor::borrow({DType::f32, {32}}, moments.data()),
      Tensor::borrow({DType::ui64, {}}, &steps),
      Tensor::borrow({DType::f64, {}}, &rate)};
  auto outputs = (*function)->call(inputs);
  ASSERT_TRUE(outputs) << outputs.error().str();
  EXPECT_EQ(*(*outputs)[0].as<float>(), 4);
  // The gradient of each w is 2 * (0 - 2) / 5, and that of b is 4.
  EXPECT_FLOAT_EQ(arena[0], 0.8f);
  EXPECT_FLOAT_EQ(arena[16], -2);
  EXPECT_FLOAT_EQ(moments[16], 4);
  EXPECT_EQ(arena[5], 0);
  EXPECT_EQ(arena[17], 0);
  EXPECT_EQ(steps, 1);
}

std::string errorOf(const TrainingOptions &options,
                    std::span<const TensorType> types = kTypes) {
  auto step = makeTrainingStep(*buildLoss(), types, options);
  return step ? "no error" : step.error().str();
}

TEST(TrainingTest, RefusesWhatDoesNotFit) {
  EXPECT_THAT(errorOf({}), HasSubstr("train: there are no parameters"));
  EXPECT_THAT(errorOf({.parameters = {0}}),
              HasSubstr("input 0 ('x') is tensor<?x5xf32>, but the shape of a "
                        "parameter must be static"));
  EXPECT_THAT(errorOf({.parameters = {1, 1}}), HasSubstr("exactly once"));
  EXPECT_THAT(errorOf({.parameters = {-1}}), HasSubstr("no input -1"));
  EXPECT_THAT(errorOf({.parameters = {1}, .buffers = {{2, 0}}}),
              HasSubstr("output 0 cannot replace input 2"));
  EXPECT_THAT(errorOf({.parameters = {1}, .buffers = {{2, 7}}}),
              HasSubstr("no such input or output"));
  EXPECT_THAT(errorOf({.parameters = {1}, .stepsInput = 2}),
              HasSubstr("input 2 cannot get the number of steps"));
  EXPECT_THAT(errorOf({.parameters = {1}}, std::span(kTypes).first(2)),
              HasSubstr("the loss has 3 inputs, not 2"));
  EXPECT_THAT(errorOf({.parameters = {1}, .loss = 3}),
              HasSubstr("differentiate"));
}

} // namespace
