//===- UpdatesTest.cpp - Functions that update their inputs ---------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/CustomCall.h"
#include "tandem/Tandem.h"

#include <gmock/gmock.h>

#include <cstring>
#include <numeric>

using namespace tandem;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

Tensor tensorOf(std::vector<float> values) {
  Tensor tensor =
      *Tensor::allocate({DType::f32, {static_cast<int64_t>(values.size())}});
  std::copy(values.begin(), values.end(), tensor.as<float>());
  return tensor;
}

std::vector<float> valuesOf(const Tensor &tensor) {
  const float *data = tensor.as<float>();
  return {data, data + tensor.shape().numElements()};
}

/// Two steps of momentum: the old weights are read by an op behind the update,
/// in the order of the text.
constexpr std::string_view kMomentum = R"(
func.func @main(%g: tensor<4xf32>, %w: tensor<4xf32>, %v: tensor<4xf32>)
    -> (tensor<f32>, tensor<4xf32> {tandem.updates = 1},
        tensor<4xf32> {tandem.updates = 2}) {
  %c = tandem.constant dense<0.5> : tensor<f32>
  %0 = tandem.mul %v, %c : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = tandem.add %0, %g : tensor<4xf32>
  %2 = tandem.sub %w, %1 : tensor<4xf32>
  %3 = tandem.reduce %w kind = sum dims = [0]
      : (tensor<4xf32>) -> tensor<f32>
  return %3, %2, %1 : tensor<f32>, tensor<4xf32>, tensor<4xf32>
}
)";

std::unique_ptr<Function> functionOf(std::string_view source,
                                     Mode mode = Mode::eager) {
  auto graph = Graph::parseString(source);
  EXPECT_TRUE(graph) << graph.error().str();
  TieringOptions tiering;
  tiering.mode = mode;
  auto function = (*graph)->createFunction({}, tiering);
  EXPECT_TRUE(function) << function.error().str();
  return std::move(*function);
}

class UpdatesTest : public testing::TestWithParam<Tier> {
protected:
  std::vector<Tensor> call(Function &function, std::vector<Tensor> inputs) {
    auto outputs = function.call(inputs, GetParam());
    EXPECT_TRUE(outputs) << outputs.error().str();
    return outputs ? *outputs : std::vector<Tensor>();
  }
};

TEST_P(UpdatesTest, WritesOutputsToInputs) {
  auto function = functionOf(kMomentum);
  const Tensor g = tensorOf({1, 2, 3, 4}), w = tensorOf({10, 10, 10, 10}),
               v = tensorOf({0, 2, 4, 8});
  auto outputs = call(*function, {g, w, v});
  ASSERT_EQ(outputs.size(), 3u);
  EXPECT_EQ(outputs[1].data(), w.data());
  EXPECT_EQ(outputs[2].data(), v.data());
  EXPECT_THAT(valuesOf(outputs[0]), ElementsAre(40)); // The old weights' sum.
  EXPECT_THAT(valuesOf(w), ElementsAre(9, 7, 5, 2));
  EXPECT_THAT(valuesOf(v), ElementsAre(1, 3, 5, 8));
  EXPECT_THAT(valuesOf(g), ElementsAre(1, 2, 3, 4));
  outputs = call(*function, {g, w, v});
  EXPECT_THAT(valuesOf(outputs[0]), ElementsAre(23));
  EXPECT_THAT(valuesOf(w), ElementsAre(7.5, 3.5, -0.5, -6));
}

/// Each output is the old value of the input that the other one updates.
TEST_P(UpdatesTest, SwapsInputs) {
  auto function = functionOf(R"(
    func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>)
        -> (tensor<3xf32> {tandem.updates = 0},
            tensor<3xf32> {tandem.updates = 1}) {
      return %b, %a : tensor<3xf32>, tensor<3xf32>
    })");
  const Tensor a = tensorOf({1, 2, 3}), b = tensorOf({4, 5, 6});
  call(*function, {a, b});
  EXPECT_THAT(valuesOf(a), ElementsAre(4, 5, 6));
  EXPECT_THAT(valuesOf(b), ElementsAre(1, 2, 3));
}

/// Two updates, each of which reads the old value that the other overwrites.
TEST_P(UpdatesTest, UpdatesInputsByEachOther) {
  auto function = functionOf(R"(
    func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>)
        -> (tensor<3xf32> {tandem.updates = 0},
            tensor<3xf32> {tandem.updates = 1}) {
      %0 = tandem.add %a, %b : tensor<3xf32>
      %1 = tandem.sub %a, %b : tensor<3xf32>
      return %0, %1 : tensor<3xf32>, tensor<3xf32>
    })");
  const Tensor a = tensorOf({1, 2, 3}), b = tensorOf({4, 5, 6});
  call(*function, {a, b});
  EXPECT_THAT(valuesOf(a), ElementsAre(5, 7, 9));
  EXPECT_THAT(valuesOf(b), ElementsAre(-3, -3, -3));
}

/// An output that is the old value, and one that is a view of it.
TEST_P(UpdatesTest, ReturnsOldValues) {
  auto function = functionOf(R"(
    func.func @main(%a: tensor<4xf32>)
        -> (tensor<4xf32>, tensor<2x2xf32>,
            tensor<4xf32> {tandem.updates = 0}) {
      %0 = tandem.reshape %a shape = [2, 2]
          : (tensor<4xf32>) -> tensor<2x2xf32>
      %1 = tandem.neg %a : tensor<4xf32>
      return %a, %0, %1 : tensor<4xf32>, tensor<2x2xf32>, tensor<4xf32>
    })");
  const Tensor a = tensorOf({1, 2, 3, 4});
  const auto outputs = call(*function, {a});
  EXPECT_THAT(valuesOf(outputs[0]), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(valuesOf(outputs[1]), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(valuesOf(a), ElementsAre(-1, -2, -3, -4));
  EXPECT_EQ(outputs[2].data(), a.data());
}

/// A reversal reads elements that it has already overwritten, if it is computed
/// in place.
TEST_P(UpdatesTest, CopiesWhereOpsReadOtherElements) {
  auto function = functionOf(R"(
    func.func @main(%a: tensor<6xf32>, %i: tensor<6xi64>)
        -> (tensor<6xf32> {tandem.updates = 0}) {
      %0 = tandem.gather %a, %i axis = 0
          : (tensor<6xf32>, tensor<6xi64>) -> tensor<6xf32>
      return %0 : tensor<6xf32>
    })");
  Tensor a = tensorOf({1, 2, 3, 4, 5, 6});
  Tensor indices = *Tensor::allocate({DType::i64, {6}});
  for (int64_t i = 0; i < 6; ++i)
    indices.as<int64_t>()[i] = 5 - i;
  call(*function, {a, indices});
  EXPECT_THAT(valuesOf(a), ElementsAre(6, 5, 4, 3, 2, 1));
}

TEST_P(UpdatesTest, RefusesOverlaps) {
  auto function = functionOf(kMomentum);
  const Tensor g = tensorOf({1, 2, 3, 4}), w = tensorOf({1, 1, 1, 1});
  const std::vector<Tensor> twice = {g, w, w}, read = {w, w, g};
  auto outputs = function->call(twice, GetParam());
  ASSERT_FALSE(outputs);
  EXPECT_EQ(outputs.error().phase, "output");
  EXPECT_THAT(outputs.error().message,
              HasSubstr("input 2, which the call updates, overlaps input 1"));
  outputs = function->call(read, GetParam());
  ASSERT_FALSE(outputs);
  EXPECT_THAT(outputs.error().message,
              HasSubstr("input 1, which the call updates, overlaps input 0"));
  EXPECT_THAT(valuesOf(w), ElementsAre(1, 1, 1, 1));
  EXPECT_THAT(valuesOf(g), ElementsAre(1, 2, 3, 4));
}

TEST_P(UpdatesTest, TakesGivenOutputsForOthers) {
  auto function = functionOf(kMomentum);
  const std::vector<Tensor> inputs = {
      tensorOf({1, 2, 3, 4}), tensorOf({1, 1, 1, 1}), tensorOf({0, 0, 0, 0})};
  std::vector<Tensor> given = {*Tensor::allocate({DType::f32, {}}), {}, {}};
  auto outputs = function->call(inputs, {.outputs = given, .tier = GetParam()});
  ASSERT_TRUE(outputs) << outputs.error().str();
  EXPECT_EQ((*outputs)[0].data(), given[0].data());
  EXPECT_THAT(valuesOf(given[0]), ElementsAre(4));
  EXPECT_THAT(valuesOf(inputs[1]), ElementsAre(0, -1, -2, -3));
  given[1] = tensorOf({0, 0, 0, 0});
  outputs = function->call(inputs, {.outputs = given, .tier = GetParam()});
  ASSERT_FALSE(outputs);
  EXPECT_THAT(outputs.error().message,
              HasSubstr("output 1 takes the place of input 1"));
}

TEST_P(UpdatesTest, ChangesNothingForWrongInputs) {
  auto function = functionOf(kMomentum);
  const Tensor w = tensorOf({1, 1, 1, 1});
  const std::vector<Tensor> inputs = {tensorOf({1, 2, 3}), w,
                                      tensorOf({0, 0, 0, 0})};
  auto outputs = function->call(inputs, GetParam());
  ASSERT_FALSE(outputs);
  EXPECT_EQ(outputs.error().phase, "input");
  EXPECT_THAT(valuesOf(w), ElementsAre(1, 1, 1, 1));
}

INSTANTIATE_TEST_SUITE_P(Tiers, UpdatesTest,
                         testing::Values(Tier::reference, Tier::eager,
                                         Tier::compiled),
                         [](const auto &info) {
                           return std::string(name(info.param));
                         });

//===----------------------------------------------------------------------===//
// The engine
//===----------------------------------------------------------------------===//

/// What counts: +1 per call, over the calls that make the certificate too.
constexpr std::string_view kCounter = R"(
func.func @main(%n: tensor<1024xf32>)
    -> (tensor<1024xf32> {tandem.updates = 0}) {
  %c = tandem.constant dense<1.0> : tensor<f32>
  %0 = tandem.add %n, %c : (tensor<1024xf32>, tensor<f32>) -> tensor<1024xf32>
  return %0 : tensor<1024xf32>
}
)";

TEST(UpdatesInEngineTest, CertificatesChangeNothing) {
  for (Mode mode : {Mode::automatic, Mode::compileNow, Mode::compile}) {
    auto function = functionOf(kCounter, mode);
    const Tensor n = tensorOf(std::vector<float>(1024, 0));
    const std::vector<Tensor> inputs = {n};
    if (mode == Mode::automatic) {
      ASSERT_TRUE(function->compileAhead(
          std::vector<std::vector<TensorType>>{{n.type()}}));
      function->wait();
    }
    for (int i = 1; i <= 40; ++i) {
      auto outputs = function->call(inputs);
      ASSERT_TRUE(outputs) << outputs.error().str();
      ASSERT_EQ((*outputs)[0].data(), n.data());
      ASSERT_EQ(valuesOf(n), std::vector<float>(1024, static_cast<float>(i)));
      function->wait(); // For the certificate.
    }
    const SignatureReport report = function->report().signatures.at(0);
    EXPECT_EQ(report.tier, Tier::compiled) << int(mode);
  }
}

/// The weights are updated, and then a step fails. Another run, in the eager
/// tier, would update them twice.
TEST(UpdatesInEngineTest, SaysThatTheStateIsLost) {
  static int runs = 0;
  const auto run = [](const CustomCallArgs &args) -> Status {
    ++runs;
    if (args.operands[0].as<float>()[0] < 0)
      return fail("execute", "the number is negative");
    std::memcpy(args.results[0].data(), args.operands[0].data(),
                size_t(args.operands[0].bytes()));
    return {};
  };
  ASSERT_TRUE(registerCustomCall("fail_if_negative", {run}));
  constexpr std::string_view source = R"(
    func.func @main(%w: tensor<4xf32>)
        -> (tensor<4xf32> {tandem.updates = 0}, tensor<4xf32>) {
      %0 = tandem.neg %w : tensor<4xf32>
      %1 = tandem.custom_call "fail_if_negative"(%0)
          : (tensor<4xf32>) -> tensor<4xf32>
      return %0, %1 : tensor<4xf32>, tensor<4xf32>
    })";
  for (Mode mode : {Mode::eager, Mode::compile}) {
    auto function = functionOf(source, mode);
    const Tensor w = tensorOf({-1, -2, -3, -4});
    const std::vector<Tensor> inputs = {w};
    auto outputs = function->call(inputs);
    ASSERT_TRUE(outputs) << outputs.error().str();
    EXPECT_THAT(valuesOf(w), ElementsAre(1, 2, 3, 4));
    runs = 0;
    outputs = function->call(inputs);
    ASSERT_FALSE(outputs);
    EXPECT_EQ(outputs.error().phase, kStateLostPhase);
    EXPECT_THAT(outputs.error().message,
                testing::AllOf(HasSubstr("had begun to update its inputs"),
                               HasSubstr("the number is negative")));
    EXPECT_EQ(runs, 1);
  }
}

//===----------------------------------------------------------------------===//
// Graph::withUpdates
//===----------------------------------------------------------------------===//

std::string errorOf(std::string_view source, std::vector<InputUpdate> updates) {
  auto graph = Graph::parseString(source);
  EXPECT_TRUE(graph) << graph.error().str();
  auto made = (*graph)->withUpdates(updates);
  if (made)
    return "";
  EXPECT_EQ(made.error().phase, "build");
  return made.error().str();
}

TEST(WithUpdatesTest, ReplacesTheUpdatesOfAGraph) {
  auto graph = Graph::parseString(kMomentum);
  auto none = (*graph)->withUpdates({});
  ASSERT_TRUE(none) << none.error().str();
  EXPECT_TRUE((*none)->eagerProgram()->updates.empty());
  const std::vector<InputUpdate> updates = {{0, 2}};
  auto other = (*none)->withUpdates(updates);
  ASSERT_TRUE(other) << other.error().str();
  const auto &made = (*other)->eagerProgram()->updates;
  ASSERT_EQ(made.size(), 1u);
  EXPECT_EQ(made[0].input(), 0u);
  EXPECT_EQ(made[0].output(), 2u);
}

TEST(WithUpdatesTest, NamesWhatIsWrong) {
  EXPECT_THAT(errorOf(kMomentum, {{3, 1}}),
              HasSubstr("the graph has 3 inputs"));
  EXPECT_THAT(errorOf(kMomentum, {{1, -1}}),
              HasSubstr("the graph has 3 outputs"));
  EXPECT_THAT(errorOf(kMomentum, {{1, 1}, {2, 1}}),
              HasSubstr("the output updates another input"));
  EXPECT_THAT(errorOf(kMomentum, {{1, 1}, {1, 2}}),
              HasSubstr("names argument #1, which result #1 updates"));
  EXPECT_THAT(errorOf(kMomentum, {{1, 0}}),
              HasSubstr("of type 'tensor<4xf32>', but the result is"));
}

} // namespace
