//===- GraphTest.cpp - Parsing graphs -------------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Tandem.h"

#include <gmock/gmock.h>

#include <thread>

using namespace tandem;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

constexpr const char *kGraph = R"(
func.func @main(%x: tensor<?x4xf32> {tandem.dims = ["N", ""]})
    -> tensor<?x4xf32> {
  %c = tandem.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0 = tandem.fusion loop (%a = %x, %b = %c)
      : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32> {
    %1 = tandem.add %a, %b : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
    tandem.yield %1 : tensor<?x4xf32>
  }
  %2 = tandem.relu %0 : tensor<?x4xf32>
  return %2 : tensor<?x4xf32>
}
)";

Error parseError(const char *text, const char *function = "main") {
  auto graph = Graph::parseString(text, function);
  EXPECT_FALSE(graph);
  return graph ? Error{} : graph.error();
}

std::vector<uint8_t> bytesOf(const Constant &constant) {
  const auto *bytes = constant.data.as<uint8_t>();
  return {bytes, bytes + constant.data.bytes()};
}

TEST(Graph, EagerProgramIsTheGraphAsWritten) {
  auto graph = Graph::parseString(kGraph);
  ASSERT_TRUE(graph) << graph.error().str();
  const Program &program = *(*graph)->eagerProgram();
  EXPECT_TRUE(verify(program));
  EXPECT_EQ(program.name, "main");
  ASSERT_EQ(program.steps.size(), 2u);
  EXPECT_EQ(program.steps[0]->op->kind, OpKind::add);
  EXPECT_EQ(program.steps[0]->location, "<string>:7:10");
  EXPECT_EQ(program.steps[1]->operands, program.steps[0]->results);
  EXPECT_EQ(program.outputs, program.steps[1]->results);
  EXPECT_THAT(program.input_dims[0]->names, ElementsAre("N", ""));
  ASSERT_EQ(program.constants.size(), 1u);
  EXPECT_EQ(program.constants[0].data.bytes(), 16);
  EXPECT_EQ(program.constants[0].data.as<float>()[3], 4.0f);
}

TEST(Graph, ConstantsOfEveryForm) {
  auto graph = Graph::parseString(R"(
func.func @main() -> (tensor<3xi1>, tensor<2x2xbf16>, tensor<2xi64>) {
  %a = tandem.constant dense<[true, false, true]> : tensor<3xi1>
  %b = tandem.constant dense<1.0> : tensor<2x2xbf16>
  %c = tandem.constant dense_resource<k> : tensor<2xi64>
  return %a, %b, %c : tensor<3xi1>, tensor<2x2xbf16>, tensor<2xi64>
}
{-# dialect_resources: { builtin: {
  k: "0x0800000001000000000000000200000000000000" } } #-}
)");
  ASSERT_TRUE(graph) << graph.error().str();
  const auto &constants = (*graph)->eagerProgram()->constants;
  EXPECT_THAT(bytesOf(constants[0]), ElementsAre(1, 0, 1));
  EXPECT_THAT(bytesOf(constants[1]),
              ElementsAre(0x80, 0x3f, 0x80, 0x3f, 0x80, 0x3f, 0x80, 0x3f));
  EXPECT_EQ(constants[2].data.as<int64_t>()[0], 1);
  EXPECT_EQ(constants[2].data.as<int64_t>()[1], 2);
}

TEST(Graph, SyntaxErrorsAreLocated) {
  Error error = parseError("func.func @main( {");
  EXPECT_EQ(error.phase, "parse");
  EXPECT_THAT(error.location, HasSubstr("<string>:1:"));
}

TEST(Graph, BrokenConstraintsAreNamed) {
  Error error = parseError(R"(
func.func @main(%x: tensor<4xf32>, %y: tensor<5xf32>) -> tensor<4xf32> {
  %0 = tandem.add %x, %y : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
})");
  EXPECT_THAT(error.message, HasSubstr("add C"));
  EXPECT_EQ(error.location, "<string>:3:8");
}

TEST(Graph, AMissingFunctionListsThoseThereAre) {
  Error error = parseError(kGraph, "other");
  EXPECT_THAT(error.message, HasSubstr("@other"));
  EXPECT_THAT(error.hint, HasSubstr("@main"));
}

TEST(Graph, AMissingFileIsAnError) {
  auto graph = Graph::parseFile("/nowhere/graph.mlir");
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().location, "/nowhere/graph.mlir");
}

TEST(Graph, WhatCannotBeExecutedIsAnError) {
  EXPECT_THAT(parseError("func.func private @main(tensor<4xf32>)").message,
              HasSubstr("body"));
  EXPECT_THAT(parseError("func.func @main(%x: index) { return }").message,
              HasSubstr("index"));
  Error error = parseError(R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
})");
  EXPECT_THAT(error.message, HasSubstr("cannot be executed"));
  EXPECT_EQ(error.location, "<string>:3:8");
}

TEST(Graph, ASplatBeyondMemoryIsAnError) {
  Error error = parseError(R"(
func.func @main() -> tensor<1099511627776xf32> {
  %0 = tandem.constant dense<0.0> : tensor<1099511627776xf32>
  return %0 : tensor<1099511627776xf32>
})");
  EXPECT_THAT(error.message, HasSubstr("more bytes"));
}

TEST(Graph, ThreadsMayParseAtOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([] { EXPECT_TRUE(Graph::parseString(kGraph)); });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(Graph, IsCalledInEveryTier) {
  auto graph = Graph::parseString(kGraph);
  ASSERT_TRUE(graph) << graph.error().str();
  auto function = (*graph)->createFunction();
  ASSERT_TRUE(function) << function.error().str();
  graph->reset(); // The function lives on.
  for (int64_t rows : {1, 3, 1}) {
    Tensor x = *Tensor::allocate({DType::f32, {rows, 4}});
    std::fill_n(x.as<float>(), 4 * rows, -2.5F);
    for (Tier tier : tiersOf(hostDevice())) {
      auto outputs = (*function)->call({&x, 1}, tier);
      ASSERT_TRUE(outputs) << outputs.error().str();
      const float *row = (*outputs)[0].as<float>() + 4 * (rows - 1);
      EXPECT_THAT(std::span(row, 4), ElementsAre(0, 0, 0.5, 1.5));
    }
  }
  EXPECT_EQ(loadFunction("/no/such.mlir").error().phase, "parse");
}

} // namespace
