//===- GraphGradientTest.cpp - Graph::withGradient ------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Providers/Cases.h"

#include "tandem/Runtime/FunctionTable.h"
#include "tandem/Tandem.h"

#include <gmock/gmock.h>

#include <atomic>
#include <functional>
#include <thread>

using namespace tandem;
using namespace tandem::test;
using testing::HasSubstr;

namespace {

/// The mean of (x * w - y)^2 over a batch of free size.
constexpr std::string_view kRegression = R"(
func.func @main(%x: tensor<?x3xf32>, %y: tensor<?x1xf32>, %w: tensor<3x1xf32>,
                %n: tensor<i64>) -> tensor<f32> {
  %0 = tandem.matmul %x, %w
      : (tensor<?x3xf32>, tensor<3x1xf32>) -> tensor<?x1xf32>
  %1 = tandem.sub %0, %y : tensor<?x1xf32>
  %2 = tandem.mul %1, %1 : tensor<?x1xf32>
  %3 = tandem.reduce %2 kind = mean dims = [0, 1]
      : (tensor<?x1xf32>) -> tensor<f32>
  return %3 : tensor<f32>
}
)";

class GraphGradientTest : public testing::Test {
protected:
  GraphGradientTest() : graph(std::move(*Graph::parseString(kRegression))) {}

  /// The types of the inputs for a batch.
  static std::vector<TensorType> types(int64_t batch) {
    return {{DType::f32, {batch, 3}},
            {DType::f32, {batch, 1}},
            {DType::f32, {3, 1}},
            {DType::i64, {}}};
  }
  void expectError(const std::vector<TensorType> &inputs,
                   const GradientOptions &options, const std::string &message) {
    const auto made = graph->withGradient(inputs, options);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().phase, "differentiate");
    EXPECT_THAT(made.error().str(), HasSubstr(message));
  }

  std::unique_ptr<Graph> graph;
};

/// Gradient descent finds the weights 1, -1 and 2 that the data was made with,
/// in both tiers.
TEST_F(GraphGradientTest, DescendsToTheWeights) {
  auto step = graph->withGradient(types(4), {.wrt = {2}});
  ASSERT_TRUE(step) << step.error().str();
  auto function = (*step)->createFunction();
  ASSERT_TRUE(function) << function.error().str();
  for (Tier tier : {Tier::eager, Tier::compiled}) {
    std::vector<Tensor> inputs = {
        tensorOf(DType::f32, {4, 3}, {1, 0, 2, 0, 1, 1, 1, 1, 0, 2, 1, 1}),
        tensorOf(DType::f32, {4, 1}, {5, 1, 0, 3}),
        tensorOf(DType::f32, {3, 1}, {0, 0, 0}), tensorOf(DType::i64, {}, {0})};
    for (int i = 0; i < 1000; ++i) {
      const auto outputs = (*function)->call(inputs, tier);
      ASSERT_TRUE(outputs) << outputs.error().str();
      ASSERT_EQ(outputs->size(), 2u);
      for (int64_t k = 0; k < 3; ++k)
        inputs[2].as<float>()[k] -= 0.2f * (*outputs)[1].as<float>()[k];
    }
    const std::vector<double> weights = valuesOf(inputs[2]);
    EXPECT_NEAR(weights[0], 1, 1e-3);
    EXPECT_NEAR(weights[1], -1, 1e-3);
    EXPECT_NEAR(weights[2], 2, 1e-3);
  }
}

TEST_F(GraphGradientTest, AllInputsOfFloatsByDefault) {
  auto all = graph->withGradient(types(2));
  ASSERT_TRUE(all) << all.error().str();
  EXPECT_EQ((*all)->eagerProgram()->outputs.size(), 4u);
}

TEST_F(GraphGradientTest, WrongOptionsAreRefused) {
  expectError(types(2), {.wrt = {4}}, "there is no argument 4");
  expectError(types(2), {.wrt = {3}}, "argument 3 is not of floats");
  expectError(types(2), {.loss = 1}, "there is no result 1");
  expectError({types(2)[0]}, {}, "the graph has 4 inputs, not 1");
  std::vector<TensorType> wrong = types(2);
  wrong[2].shape[0] = 5;
  expectError(wrong, {}, "5");
}

//===----------------------------------------------------------------------===//
// Batches of any size
//===----------------------------------------------------------------------===//

/// Inputs whose weights are 0: with y = 1, the gradient is -2 times the mean of
/// x, and so is each of its elements if all elements of x are 1.
std::vector<Tensor> inputsOf(int64_t batch) {
  const std::vector<double> ones(size_t(3 * batch), 1.0);
  return {
      tensorOf(DType::f32, {batch, 3}, ones),
      tensorOf(DType::f32, {batch, 1}, {ones.begin(), ones.begin() + batch}),
      tensorOf(DType::f32, {3, 1}, {0, 0, 0}), tensorOf(DType::i64, {}, {0})};
}

class GradientTableTest : public GraphGradientTest {
protected:
  Expected<std::unique_ptr<Function>> make(std::span<const TensorType> inputs) {
    ++numMade;
    TANDEM_ASSIGN_OR_RETURN(auto differentiated,
                            graph->withGradient(inputs, {.wrt = {2}}));
    return differentiated->createFunction();
  }
  FunctionTable makeTable(size_t limit = FunctionTable::kDefaultLimit) {
    return FunctionTable(std::bind_front(&GradientTableTest::make, this),
                         limit);
  }
  void expectGradients(FunctionTable &table, int64_t batch) {
    const auto outputs = table.call(inputsOf(batch));
    ASSERT_TRUE(outputs) << outputs.error().str();
    EXPECT_THAT(valuesOf((*outputs)[1]), testing::Each(-2.0));
  }

  std::atomic<int> numMade = 0;
};

TEST_F(GradientTableTest, MakesOneFunctionPerSignature) {
  FunctionTable table = makeTable();
  for (int64_t batch : {1, 4, 7, 4, 1})
    expectGradients(table, batch);
  EXPECT_EQ(numMade, 3);
  EXPECT_EQ(table.functions().size(), 3u);
  EXPECT_EQ(*table.find(types(7)), *table.find(types(7)));
}

TEST_F(GradientTableTest, ListsFunctionsInTheOrderOfTheirMaking) {
  FunctionTable table = makeTable();
  std::vector<std::shared_ptr<Function>> made;
  for (int64_t batch : {9, 2, 7, 1, 8, 3})
    made.push_back(*table.find(types(batch)));
  EXPECT_TRUE(table.find(types(7)));
  EXPECT_EQ(table.functions(), made);
}

TEST_F(GradientTableTest, DropsTheLeastRecentlyUsed) {
  FunctionTable table = makeTable(2);
  const std::shared_ptr<Function> first = *table.find(types(1));
  expectGradients(table, 2);
  expectGradients(table, 1);
  expectGradients(table, 3); // Drops batch 2.
  EXPECT_EQ(table.functions().size(), 2u);
  EXPECT_EQ(*table.find(types(1)), first);
  expectGradients(table, 2);
  EXPECT_EQ(numMade, 4);
}

TEST_F(GradientTableTest, KeepsAtLeastOne) {
  FunctionTable table = makeTable(0);
  for (int64_t batch : {1, 1, 2})
    expectGradients(table, batch);
  EXPECT_EQ(numMade, 2);
  EXPECT_EQ(table.functions().size(), 1u);
}

TEST_F(GradientTableTest, KeepsNoFailures) {
  FunctionTable table = makeTable();
  std::vector<Tensor> inputs = inputsOf(2);
  inputs[1] = inputs[2];
  for (int i = 0; i < 2; ++i) {
    const auto outputs = table.call(inputs);
    ASSERT_FALSE(outputs);
    EXPECT_EQ(outputs.error().phase, "differentiate");
  }
  EXPECT_EQ(numMade, 2);
  EXPECT_THAT(table.functions(), testing::IsEmpty());
  expectGradients(table, 2);
}

TEST_F(GradientTableTest, ThreadsShareTheFunctions) {
  FunctionTable table = makeTable(3);
  std::vector<std::thread> threads;
  for (int64_t i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      for (int64_t call = 0; call < 20; ++call)
        expectGradients(table, 1 + (i + call) % 5);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_LE(table.functions().size(), 3u);
}

} // namespace
