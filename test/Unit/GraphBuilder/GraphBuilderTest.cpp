//===- GraphBuilderTest.cpp - Graphs without text -------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/GraphBuilder.h"

#include "../../Fuzz/RandomGraph.h"
#include "../Providers/Cases.h"

#include <gmock/gmock.h>

#include <cmath>

using namespace tandem;
using namespace tandem::test;
using testing::ElementsAre;
using testing::HasSubstr;
using Value = GraphBuilder::Value;

namespace {

/// The program without the ops' places, in which text and builder differ.
Program withoutLocations(const Graph &graph) {
  Program program = *graph.eagerProgram();
  for (auto &step : program.steps)
    step->location.clear();
  return program;
}

void expectEqualToText(const Graph &built, const std::string &text) {
  auto parsed = Graph::parseString(text);
  ASSERT_TRUE(parsed) << parsed.error().str() << "\n" << text;
  EXPECT_TRUE(withoutLocations(built) == withoutLocations(**parsed))
      << text << toString(*built.eagerProgram())
      << toString(*(*parsed)->eagerProgram());
}

/// A description's attributes as the table that they are.
template <typename Table> Table attributesOf(const OpDesc &op) {
  if constexpr (std::is_same_v<Table, op_attrs::NONET>)
    return {};
  else
    return *static_cast<const Table *>(op.attrs.value);
}

Value firstOf(Value value) { return value; }
Value firstOf(GraphBuilder::ValuesAndIndices both) { return both.values; }
Value firstOf(GraphBuilder::MeanAndVariance both) { return both.mean; }
Value firstOf(GraphBuilder::LayerNorm all) { return all.result; }
Value firstOf(GraphBuilder::LayerNormGradients all) { return all.input; }

/// Adds an op by the function that has its name. Returns its first result.
Value addByName(GraphBuilder &b, const OpDesc &op,
                const std::vector<Value> &x) {
  switch (op.kind) {
#define TANDEM_UNARY(kind, attrs, ...)                                         \
  case OpKind::kind:                                                           \
    return b.kind(x[0], attributesOf<op_attrs::attrs##T>(op));
#define TANDEM_BINARY(kind, attrs, ...)                                        \
  case OpKind::kind:                                                           \
    return b.kind(x[0], x[1], attributesOf<op_attrs::attrs##T>(op));
#define TANDEM_ELEMENTWISE(kind, operands, attrs, ...)                         \
  TANDEM_OP(kind, elementwise, operands, operands, attrs)
#define TANDEM_OP(kind, family, least, most, attrs, ...)                       \
  case OpKind::kind:                                                           \
    return firstOf(b.kind(x, attributesOf<op_attrs::attrs##T>(op)));
#include "tandem/Support/Ops.def"
  }
  return {};
}

/// The case as text in MLIR's generic form, of which the fuzzer has a printer.
std::string printCase(const Case &c, const TensorType &result) {
  const std::vector<TensorType> types = typesOf(c.operands);
  return fuzz::printFunction("main", c.op, types, result);
}

class GraphBuilderOps : public testing::TestWithParam<OpKind> {};

TEST_P(GraphBuilderOps, AreThoseOfTheText) {
  std::mt19937_64 rng(7);
  int built = 0;
  for (int i = 0; i < 64; ++i) {
    const std::optional<Case> c =
        randomCase(GetParam(), kDTypes[i % std::size(kDTypes)], rng);
    if (!c)
      continue;
    GraphBuilder b;
    std::vector<Value> operands;
    for (const Tensor &operand : c->operands)
      operands.push_back(b.input(operand.type()));
    Value result = addByName(b, c->op, operands);
    auto graph = b.build(result);
    ASSERT_TRUE(graph) << graph.error().str() << c->describe();
    expectEqualToText(**graph, printCase(*c, b.type(result)));
    ++built;
  }
  EXPECT_GT(built, 0);
}

std::vector<OpKind> printableKinds() {
  std::vector<OpKind> kinds;
  for (OpKind kind : fb::EnumValuesOpKind())
    if (kind != OpKind::custom_call)
      kinds.push_back(kind);
  return kinds;
}

INSTANTIATE_TEST_SUITE_P(All, GraphBuilderOps,
                         testing::ValuesIn(printableKinds()), [](auto &info) {
                           return std::string(name(info.param));
                         });

TEST(GraphBuilder, BuildsCustomCallsOfSeveralResults) {
  fb::CustomCallAttrsT call;
  call.target = "moments";
  call.config = "p=2";
  for (const TensorType &type :
       {TensorType{DType::f32, {4}}, TensorType{DType::i64, {}}})
    call.results.push_back(std::make_unique<fb::TensorTypeT>(toFlat(type)));
  OpDesc desc;
  desc.kind = OpKind::custom_call;
  desc.attrs.Set(call);

  GraphBuilder b;
  std::vector<Value> both = b.results(desc, b.input({DType::f32, {4, 8}}));
  ASSERT_EQ(both.size(), 2u) << b.status().error().str();
  auto graph = b.build(both);
  ASSERT_TRUE(graph) << graph.error().str();
  expectEqualToText(**graph, R"(
func.func @main(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<i64>) {
  %0:2 = tandem.custom_call "moments"(%x) config = "p=2"
      : (tensor<4x8xf32>) -> (tensor<4xf32>, tensor<i64>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<i64>
})");

  b.custom_call(b.input({DType::f32, {4, 8}}), call);
  EXPECT_THAT(b.status().error().message, HasSubstr("2 results"));
}

TEST(GraphBuilder, NamesDimsAndBuildsTwice) {
  GraphBuilder b("predict");
  Value x = b.input({DType::f32, {kDynamic, 64}}, {"n", ""});
  Value y = b.relu(x);
  ASSERT_TRUE(b.build(y));
  Value z = b.add(y, b.input({DType::f32, {kDynamic, 64}}, {"n", ""}));
  EXPECT_EQ(b.type(z), (TensorType{DType::f32, {kDynamic, 64}}));
  auto graph = b.build({z, y});
  ASSERT_TRUE(graph) << graph.error().str();
  const Program &program = *(*graph)->eagerProgram();
  EXPECT_EQ(program.name, "predict");
  EXPECT_EQ(program.outputs.size(), 2u);
  EXPECT_THAT(program.input_dims[1]->names, ElementsAre("n", ""));
  const TensorType two{DType::f32, {2, 64}}, three{DType::f32, {3, 64}};
  EXPECT_TRUE(checkInputs(program, std::vector{two, two}));
  EXPECT_FALSE(checkInputs(program, std::vector{two, three}));
}

/// What a graph without inputs computes, in the given tier.
std::vector<double> evaluate(const Graph &graph, Tier tier) {
  auto function = graph.createFunction();
  auto outputs = (*function)->call({}, tier);
  if (outputs)
    return valuesOf(outputs->front());
  ADD_FAILURE() << outputs.error().str();
  return {};
}

TEST(GraphBuilder, ConstantsOfEveryTypeAndSizeKeepTheirElements) {
  for (DType dtype : kDTypes)
    for (int64_t size : {0, 1, 7, 100}) {
      std::vector<double> values;
      for (int64_t i = 0; i < size; ++i)
        values.push_back(dtype == DType::i1  ? i % 2
                         : isUnsigned(dtype) ? i + 100
                                             : i - 3);
      GraphBuilder b;
      Value twice = b.concat({b.constant(tensorOf(dtype, {size}, values)),
                              b.splat({dtype, {2}}, 1)},
                             {.axis = 0});
      auto graph = b.build(twice);
      ASSERT_TRUE(graph) << graph.error().str();
      values.insert(values.end(), 2, 1.0);
      EXPECT_EQ(evaluate(**graph, Tier::eager), values) << name(dtype) << size;
      EXPECT_EQ(evaluate(**graph, Tier::compiled), values) << name(dtype);
    }
}

TEST(GraphBuilder, ABorrowedConstantMayBeFreedOnceTheGraphIsBuilt) {
  auto b = std::make_unique<GraphBuilder>();
  std::vector<float> values(1000, 2.5);
  auto graph = b->build(
      b->neg(b->constant(Tensor::borrow({DType::f32, {1000}}, values.data()))));
  std::fill(values.begin(), values.end(), NAN);
  b.reset();
  ASSERT_TRUE(graph) << graph.error().str();
  EXPECT_EQ(evaluate(**graph, Tier::eager), std::vector<double>(1000, -2.5));
}

TEST(GraphBuilder, OpsHaveTheLocationsThatUsersGive) {
  GraphBuilder b;
  Value x = b.input({DType::f32, {4}});
  x = b.relu(x);
  b.setLocation("encoder.layer1");
  x = b.exp(x);
  b.setLocation("");
  x = b.tanh(x);
  auto graph = b.build(x);
  ASSERT_TRUE(graph) << graph.error().str();
  const auto &steps = (*graph)->eagerProgram()->steps;
  EXPECT_EQ(steps[0]->location, "op 0 (relu)");
  EXPECT_EQ(steps[1]->location, "encoder.layer1");
  EXPECT_EQ(steps[2]->location, "op 2 (tanh)");
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST(GraphBuilder, TheFirstErrorIsKeptWithItsOp) {
  GraphBuilder b;
  Value x = b.input({DType::f32, {4}}), y = b.input({DType::f32, {5}});
  EXPECT_TRUE(b.status());
  Value wrong = b.add(b.relu(x), y);
  b.mul(wrong, b.matmul({x}));
  ASSERT_FALSE(b.status());
  EXPECT_EQ(b.status().error().location, "op 1 (add)");
  EXPECT_EQ(b.status().error().phase, "shape");
  EXPECT_THAT(b.status().error().message, HasSubstr("add C3"));
  auto graph = b.build(x);
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().location, "op 1 (add)");
}

/// The error of what is added to a new builder.
std::string errorOf(void (*add)(GraphBuilder &b, Value x)) {
  GraphBuilder b;
  add(b, b.input({DType::f32, {4, 8}}));
  return b.status() ? "" : b.status().error().str();
}

TEST(GraphBuilder, BrokenConstraintsAreNamed) {
  EXPECT_THAT(errorOf([](auto &b, Value x) { b.softmax(x, {.axis = 5}); }),
              HasSubstr("softmax C"));
  EXPECT_THAT(errorOf([](auto &b, Value x) { b.conv({x, x}); }),
              HasSubstr("conv C1"));
  EXPECT_THAT(errorOf([](auto &b, Value x) { b.logical_not(x); }),
              HasSubstr("logical_not C1"));
  EXPECT_THAT(errorOf([](auto &b, Value) { b.iota({}); }),
              HasSubstr("iota C1"));
  EXPECT_THAT(errorOf([](auto &b, Value x) { b.select({x, x}); }),
              HasSubstr("takes 3 operands, not 2"));
  EXPECT_THAT(errorOf([](auto &b, Value x) { b.custom_call(x); }),
              HasSubstr("custom_call C2"));
}

TEST(GraphBuilder, AttributesOfWindowsHaveDefaults) {
  GraphBuilder b;
  const Value x = b.input({DType::f32, {2, 3, 8, 9}});
  const Value kernel = b.input({DType::f32, {4, 3, 3, 2}});
  auto graph = b.build(b.max_pool(b.conv({x, kernel}), {.window = {2, 2}}));
  ASSERT_TRUE(graph) << graph.error().str();
  expectEqualToText(**graph, R"(
func.func @main(%0: tensor<2x3x8x9xf32>, %1: tensor<4x3x3x2xf32>)
    -> tensor<2x4x5x7xf32> {
  %2 = tandem.conv %0, %1
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      : (tensor<2x3x8x9xf32>, tensor<4x3x3x2xf32>) -> tensor<2x4x6x8xf32>
  %3 = tandem.max_pool %2 layout = "NCHW" window = [2, 2]
      : (tensor<2x4x6x8xf32>) -> tensor<2x4x5x7xf32>
  return %3 : tensor<2x4x5x7xf32>
})");
}

TEST(GraphBuilder, DefaultLayoutsFollowWhatIsGiven) {
  GraphBuilder b;
  const Value x = b.input({DType::f32, {2, 8, 3}});
  const Value kernel = b.input({DType::f32, {4, 3, 3}});
  const Value y = b.conv({x, kernel}, {.strides = {2}, .input_layout = "NWC"});
  ASSERT_TRUE(b.status()) << b.status().error().str();
  EXPECT_EQ(b.type(y), (TensorType{DType::f32, {2, 3, 4}}));
}

TEST(GraphBuilder, AttributesOfAnotherOpAreRefused) {
  EXPECT_THAT(errorOf([](auto &b, Value x) {
                b.op(OpKind::softmax, x, fb::GatherAttrsT());
              }),
              HasSubstr("GatherAttrs, not AxisAttrs"));
  EXPECT_THAT(errorOf([](auto &b, Value x) {
                b.op(OpKind::relu, x, fb::AxisAttrsT());
              }),
              HasSubstr("AxisAttrs, not NONE"));
  EXPECT_THAT(errorOf([](auto &b, Value x) {
                b.op(OpKind::gelu, x, op_attrs::NONET());
              }),
              HasSubstr("NONE, not GeluAttrs"));
  EXPECT_NE(errorOf([](auto &b, Value x) {
              b.op(OpKind(250), x, op_attrs::NONET());
            }),
            "");
}

TEST(GraphBuilder, EnumeratorsOutOfRangeAreRefused) {
  GraphBuilder b;
  Value x = b.input({DType::f32, {4}});
  auto graph =
      b.build(b.compare({x, x}, {.predicate = fb::ComparePredicate(77)}));
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().location, "op 0 (compare)");
}

TEST(GraphBuilder, WrongInputsAndConstantsAreRefused) {
  EXPECT_THAT(
      errorOf([](auto &b, Value) { b.input({DType::f32, {4, 4}}, {"n"}); }),
      HasSubstr("input 1: error: build: 1 names"));
  EXPECT_THAT(errorOf([](auto &b, Value) { b.input({DType::f32, {-4}}); }),
              HasSubstr("negative"));
  EXPECT_THAT(errorOf([](auto &b, Value) { b.constant({}); }),
              HasSubstr("empty"));
  EXPECT_THAT(errorOf([](auto &b, Value) { b.splat({DType::i8, {}}, 128); }),
              HasSubstr("no value of tensor<i8>"));
  EXPECT_THAT(errorOf([](auto &b, Value) { b.splat({DType::i32, {}}, 0.5); }),
              HasSubstr("no value of tensor<i32>"));
  EXPECT_THAT(
      errorOf([](auto &b, Value) { b.splat({DType::f32, {kDynamic}}, 1); }),
      HasSubstr("unknown size"));
}

TEST(GraphBuilder, ValuesOfOtherBuildersAreRefused) {
  GraphBuilder other, b;
  Value theirs = other.input({DType::f32, {4}});
  EXPECT_FALSE(b.build(theirs));
  EXPECT_FALSE(b.build(Value()));
  b.neg(theirs);
  ASSERT_FALSE(b.status());
  EXPECT_THAT(b.status().error().message, HasSubstr("of this builder"));
}

} // namespace
