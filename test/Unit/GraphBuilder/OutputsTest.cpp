//===- OutputsTest.cpp - Outputs of the caller, graphs in memory ----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/GraphBuilder.h"

#include <gmock/gmock.h>

#include <array>
#include <fstream>
#include <sstream>

using namespace tandem;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

constexpr int64_t kSize = 64;
const TensorType kType{DType::f32, {kSize}};

std::array<float, kSize> filled(float value) {
  std::array<float, kSize> values;
  values.fill(value);
  return values;
}

/// y = relu(x) + x, and z = x itself.
std::unique_ptr<Graph> makeGraph() {
  GraphBuilder b;
  auto x = b.input({DType::f32, {kDynamic}}, {"n"}, "x");
  return std::move(*b.build({b.add(b.relu(x), x), x}, {"y", "z"}));
}

class OutputsTest : public testing::TestWithParam<Tier> {
protected:
  OutputsTest() {
    TieringOptions tiering;
    tiering.ownsOutputs = true;
    function = std::move(*makeGraph()->createFunction({}, tiering));
  }
  Expected<std::vector<Tensor>> call(std::vector<Tensor> outputs) {
    return function->call({&input, 1},
                          {.outputs = outputs, .tier = GetParam()});
  }

  std::unique_ptr<Function> function;
  std::array<float, kSize> x = filled(3), y = filled(-1), z = filled(-1);
  const Tensor input = Tensor::borrow(kType, x.data());
};

TEST_P(OutputsTest, AreWrittenIntoTheCallersTensors) {
  auto outputs =
      call({Tensor::borrow(kType, y.data()), Tensor::borrow(kType, z.data())});
  ASSERT_TRUE(outputs) << outputs.error().str();
  EXPECT_EQ((*outputs)[0].data(), y.data());
  EXPECT_EQ((*outputs)[1].data(), z.data());
  EXPECT_THAT(y, testing::Each(6));
  EXPECT_THAT(z, testing::Each(3));
}

TEST_P(OutputsTest, HaveMemoryOfTheirOwn) {
  auto outputs = function->call({&input, 1}, {.tier = GetParam()});
  ASSERT_TRUE(outputs) << outputs.error().str();
  EXPECT_NE((*outputs)[1].data(), x.data());
  EXPECT_EQ((*outputs)[1].as<float>()[kSize - 1], 3);
}

TEST_P(OutputsTest, MayNotOverlapInputsOrEachOther) {
  auto inPlace =
      call({Tensor::borrow(kType, x.data()), Tensor::borrow(kType, z.data())});
  ASSERT_FALSE(inPlace);
  EXPECT_EQ(inPlace.error().phase, "output");
  EXPECT_EQ(inPlace.error().message, "output 0 ('y') overlaps input 0 ('x')");
  auto twice =
      call({Tensor::borrow(kType, y.data()), Tensor::borrow(kType, y.data())});
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().message, "output 1 ('z') overlaps output 0 ('y')");
  EXPECT_THAT(x, testing::Each(3));
}

TEST_P(OutputsTest, MustHaveTheTypesOfTheResults) {
  auto dtype = call({Tensor::borrow({DType::i32, {kSize}}, y.data()),
                     Tensor::borrow(kType, z.data())});
  ASSERT_FALSE(dtype);
  EXPECT_THAT(dtype.error().message, HasSubstr("output 0 ('y') is"));
  // The graph's sizes are free: that of the result is known in the call alone.
  auto size = call({Tensor::borrow({DType::f32, {kSize / 2}}, y.data()),
                    Tensor::borrow(kType, z.data())});
  ASSERT_FALSE(size);
  EXPECT_EQ(size.error().phase, "output");
  EXPECT_EQ(y[kSize - 1], -1);
  auto count = call({Tensor::borrow(kType, y.data())});
  ASSERT_FALSE(count);
  EXPECT_THAT(count.error().message, HasSubstr("2 outputs"));
}

INSTANTIATE_TEST_SUITE_P(Tiers, OutputsTest,
                         testing::Values(Tier::reference, Tier::eager,
                                         Tier::compiled),
                         [](const auto &info) {
                           return std::string(name(info.param));
                         });

/// In every mode, certifying calls included.
TEST(Outputs, AreWrittenInEveryMode) {
  for (Mode mode : allModes()) {
    TieringOptions tiering;
    tiering.mode = mode;
    auto function = std::move(*makeGraph()->createFunction({}, tiering));
    for (int call = 0; call < 40; ++call) {
      auto x = filled(float(call)), y = filled(-1), z = filled(-1);
      const Tensor input = Tensor::borrow(kType, x.data());
      const Tensor outputs[] = {Tensor::borrow(kType, y.data()),
                                Tensor::borrow(kType, z.data())};
      ASSERT_TRUE(function->call({&input, 1}, {.outputs = outputs}));
      ASSERT_THAT(y, testing::Each(2.0f * float(call))) << name(mode);
      ASSERT_THAT(z, testing::Each(float(call))) << name(mode);
    }
  }
}

/// A caller's mistake must not cost a promoted program.
TEST(Outputs, ThatDoNotFitLeaveTheSignaturePromoted) {
  TieringOptions tiering;
  tiering.mode = Mode::compileNow;
  auto function = std::move(*makeGraph()->createFunction({}, tiering));
  auto x = filled(0), y = filled(-1), z = filled(-1);
  const Tensor input = Tensor::borrow(kType, x.data());
  for (int call = 0; call < 8; ++call) {
    for (int64_t i = 0; i < kSize; ++i)
      x[size_t(i)] = float(i * call) - 9.0f;
    ASSERT_TRUE(function->call({&input, 1}));
  }
  ASSERT_EQ(function->report().signatures[0].state, SignatureState::promoted);
  const Tensor tooSmall[] = {
      Tensor::borrow({DType::f32, {kSize / 2}}, y.data()),
      Tensor::borrow(kType, z.data())};
  const auto wrong = function->call({&input, 1}, {.outputs = tooSmall});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().phase, "output");
  const Tensor nothing = Tensor::borrow(kType, nullptr);
  const auto empty = function->call({&nothing, 1});
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().phase, "input");
  EXPECT_EQ(function->report().signatures[0].state, SignatureState::promoted);
}

/// A view of a result, and one result twice.
TEST(Outputs, MayBeViewsOfOneResult) {
  GraphBuilder b;
  auto x = b.input(kType);
  auto y = b.neg(x);
  auto view = b.reshape(y, {.shape = {8, 8}});
  auto graph = std::move(*b.build({view, y}));
  auto function = std::move(*graph->createFunction());
  for (Tier tier : {Tier::eager, Tier::compiled}) {
    auto in = filled(5), first = filled(0), second = filled(0);
    const Tensor input = Tensor::borrow(kType, in.data());
    const Tensor outputs[] = {
        Tensor::borrow({DType::f32, {8, 8}}, first.data()),
        Tensor::borrow(kType, second.data())};
    auto done = function->call({&input, 1}, {.outputs = outputs, .tier = tier});
    ASSERT_TRUE(done) << done.error().str();
    EXPECT_THAT(first, testing::Each(-5));
    EXPECT_THAT(second, testing::Each(-5));
  }
}

TEST(Names, AreThoseThatTheBuilderGave) {
  auto graph = makeGraph();
  EXPECT_THAT(graph->inputNames(), ElementsAre("x"));
  EXPECT_THAT(graph->outputNames(), ElementsAre("y", "z"));
  EXPECT_THAT(graph->eagerProgram()->input_names, ElementsAre("x"));
  GraphBuilder b;
  auto x = b.input(kType);
  auto unnamed = b.build(x);
  EXPECT_TRUE((*unnamed)->inputNames().empty());
  auto wrong = b.build(x, {"a", "b"});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message, "2 names for 1 outputs");
}

/// Owned constants are shared, others copied.
TEST(Constants, OfAnOwnerAreNotCopied) {
  auto values = std::make_shared<std::array<float, kSize>>(filled(2));
  auto borrowed = filled(7);
  GraphBuilder b;
  auto x = b.input(kType);
  auto owned = b.constant(
      Tensor::share(kType, std::shared_ptr<void>(values, values->data())));
  auto copied = b.constant(Tensor::borrow(kType, borrowed.data()));
  auto graph = b.build(b.add(b.mul(x, owned), copied));
  ASSERT_TRUE(graph) << graph.error().str();
  borrowed.fill(0);
  std::vector<const void *> addresses;
  for (const Constant &constant : (*graph)->eagerProgram()->constants)
    addresses.push_back(constant.data.data());
  EXPECT_THAT(addresses, testing::Contains(values->data()));
  EXPECT_THAT(addresses, testing::Not(testing::Contains(borrowed.data())));
  EXPECT_GT(values.use_count(), 1);
  auto function = std::move(*(*graph)->createFunction());
  auto in = filled(3);
  const Tensor input = Tensor::borrow(kType, in.data());
  for (Tier tier : {Tier::eager, Tier::compiled}) {
    auto outputs = function->call({&input, 1}, tier);
    ASSERT_TRUE(outputs) << outputs.error().str();
    EXPECT_EQ((*outputs)[0].as<float>()[9], 13);
  }
}

std::string readFile(const std::string &path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

TEST(GraphSource, IsTextOrAModel) {
  auto text =
      Graph::parse({"func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
                    "  %0 = tandem.exp %x : tensor<4xf32>\n"
                    "  return %0 : tensor<4xf32>\n}\n"});
  ASSERT_TRUE(text) << text.error().str();
  EXPECT_EQ((*text)->eagerProgram()->steps.size(), 1u);
  auto wrong = Graph::parse({"no graph", nullptr, "my graph"});
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().str(), HasSubstr("my graph"));
  auto damaged = Graph::parse({std::string_view("\x08\x07\xff", 3)});
  ASSERT_FALSE(damaged);
  EXPECT_THAT(damaged.error().str(), HasSubstr("<memory>"));
  EXPECT_FALSE(Graph::parse({""}));
}

/// A model's weights stay in the caller's memory.
TEST(GraphSource, SharesTheWeightsOfAModel) {
  auto bytes = std::make_shared<std::string>(readFile(TANDEM_TEST_MODEL));
  auto graph = Graph::parse({*bytes, bytes});
  if (!graph && graph.error().str().find("cannot import") != std::string::npos)
    GTEST_SKIP() << "this build has no importer";
  ASSERT_TRUE(graph) << graph.error().str();
  auto fromFile = Graph::parseFile(TANDEM_TEST_MODEL);
  ASSERT_TRUE(fromFile);
  EXPECT_EQ((*graph)->inputNames(), (*fromFile)->inputNames());
  EXPECT_EQ((*graph)->eagerProgram()->steps.size(),
            (*fromFile)->eagerProgram()->steps.size());
  size_t shared = 0;
  for (const Constant &constant : (*graph)->eagerProgram()->constants) {
    const auto *data = constant.data.as<char>();
    shared += data >= bytes->data() && data < bytes->data() + bytes->size();
  }
  EXPECT_GT(shared, 0u);
  EXPECT_GT(bytes.use_count(), 1);
}

} // namespace
