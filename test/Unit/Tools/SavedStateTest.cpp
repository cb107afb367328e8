//===- SavedStateTest.cpp - The state of measured steps -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sweep/SavedState.h"

#include "tandem/Tandem.h"

#include <cmath>
#include <gmock/gmock.h>

using namespace tandem;
using namespace tandem::bench;
using testing::ElementsAreArray;

namespace {

/// A moment that decays, as that of a gradient of zeros does.
constexpr std::string_view kDecay = R"(
func.func @main(%x: tensor<4xf32>, %m: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32> {tandem.updates = 1}) {
  %c = tandem.constant dense<0.5> : tensor<f32>
  %0 = tandem.mul %m, %c : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = tandem.add %x, %m : tensor<4xf32>
  return %1, %0 : tensor<4xf32>, tensor<4xf32>
}
)";

std::vector<float> valuesOf(const Tensor &tensor) {
  const float *data = tensor.as<float>();
  return {data, data + tensor.shape().numElements()};
}

class SavedStateTest : public testing::Test {
protected:
  /// Makes `calls` runs in place, and returns the moments of each set.
  std::vector<std::vector<float>> runInPlace(size_t calls) {
    std::vector<Tensor> outputs;
    for (size_t call = 0; call < calls; ++call)
      EXPECT_TRUE(executor->runInPlace(inputs[call], outputs));
    return moments();
  }

  std::vector<std::vector<float>> moments() const {
    std::vector<std::vector<float>> result;
    for (size_t set = 0; set < inputs.size(); ++set)
      result.push_back(valuesOf(inputs[set][1]));
    return result;
  }

  void makeInputs(bool momentsRotate) {
    const TensorType type{DType::f32, {4}};
    inputs = *InputSets::create({type, type}, {true, momentsRotate}, 1);
    ASSERT_GT(inputs.size(), 1u);
  }

  /// Saves, runs until the moments are subnormal, and restores.
  void check() {
    const auto before = moments();
    auto state =
        SavedState::save(executor->program(), inputs, executor->stream());
    ASSERT_TRUE(state) << state.error().str();
    for (const std::vector<float> &each : runInPlace(140 * inputs.size()))
      for (float value : each)
        EXPECT_LT(std::fabs(value), std::numeric_limits<float>::min());
    ASSERT_TRUE(state->restore(executor->stream()));
    EXPECT_THAT(moments(), ElementsAreArray(before));
  }

  std::unique_ptr<Graph> graph = *Graph::parseString(kDecay);
  std::unique_ptr<Executor> executor = *Executor::create(graph->eagerProgram());
  InputSets inputs;
};

TEST_F(SavedStateTest, RestoresTheStateOfEachSet) {
  makeInputs(/*momentsRotate=*/true);
  check();
}

TEST_F(SavedStateTest, RestoresAStateThatSetsShare) {
  makeInputs(/*momentsRotate=*/false);
  check();
}

} // namespace
