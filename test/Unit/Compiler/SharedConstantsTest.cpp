//===- SharedConstantsTest.cpp - Weights in memory once -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Remote/SerializedGraph.h"
#include "Session/CompilerSession.h"

#include "tandem/Runtime/Executor.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <gmock/gmock.h>

#include <cstdio>
#include <thread>

using namespace tandem;

namespace {

std::string hexOf(uint32_t word) {
  char text[9];
  std::snprintf(text, sizeof text, "%08X", __builtin_bswap32(word));
  return text;
}

/// A resource of f32 that asks for `alignment`: 0, 1, 2, ...
std::string resource(int64_t count, uint32_t alignment) {
  std::string text = "\"0x" + hexOf(alignment);
  for (int64_t i = 0; i < count; ++i)
    text += hexOf(std::bit_cast<uint32_t>(static_cast<float>(i)));
  return text + "\"";
}

/// relu(x) + c, with c = 0, 1, 2, 3 a resource.
std::string sumGraph(uint32_t alignment) {
  return R"(
func.func @main(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %c = tandem.constant dense_resource<c> : tensor<4xf32>
  %0 = tandem.relu %x : tensor<2x4xf32>
  %1 = tandem.add %0, %c : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}
{-# dialect_resources: { builtin: { c: )" +
         resource(4, alignment) + " } } #-}";
}

/// A matrix product whose weights are packed where it is a kernel.
std::string productGraph() {
  return R"(
func.func @main(%x: tensor<?x128xf32> {tandem.dims = ["N", ""]})
    -> tensor<?x256xf32> {
  %w = tandem.constant dense_resource<w> : tensor<128x256xf32>
  %0 = tandem.matmul %x, %w
      : (tensor<?x128xf32>, tensor<128x256xf32>) -> tensor<?x256xf32>
  return %0 : tensor<?x256xf32>
}
{-# dialect_resources: { builtin: { w: )" +
         resource(128 * 256, 64) + " } } #-}";
}

std::shared_ptr<const SerializedGraph> parse(const std::string &text) {
  mlir::MLIRContext context(graphDialects());
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  auto source = makeSerializedGraph(*module, "main");
  EXPECT_TRUE(source) << source.error().str();
  return source ? *source : nullptr;
}

std::unique_ptr<Compiler>
makeCompiler(std::shared_ptr<const SerializedGraph> of) {
  CompileOptions options;
  options.targetOptions = {{"contractions", "generated"}};
  auto compiler = createGraphCompiler(std::move(of), options);
  EXPECT_TRUE(compiler) << compiler.error().str();
  return std::move(*compiler);
}

Compiled compile(Compiler &compiler, const Shape &shape) {
  TensorType input{DType::f32, shape};
  auto compiled = compiler.compile({&input, 1});
  EXPECT_TRUE(compiled) << compiled.error().str();
  return std::move(*compiled);
}

/// The address of the only constant of a program.
const void *weightsOf(const Program &program) {
  EXPECT_EQ(program.constants.size(), 1u);
  return program.constants.front().data.data();
}

std::vector<float> run(const Compiled &compiled, const Tensor &input) {
  ExecutorOptions options;
  options.kernels = compiled.kernels;
  auto executor = Executor::create(compiled.program, options);
  EXPECT_TRUE(executor) << executor.error().str();
  std::vector<Tensor> outputs;
  EXPECT_TRUE((*executor)->run({&input, 1}, outputs));
  auto *first = outputs[0].as<float>();
  return {first, first + outputs[0].bytes() / sizeof(float)};
}

TEST(SharedConstants, ResourcesOfAnyAlignmentAreCompiled) {
  Tensor input = *Tensor::allocate({DType::f32, {2, 4}});
  std::fill_n(input.as<float>(), 8, 1.0F);
  for (uint32_t alignment : {1, 4, 16, 32, 64, 128, 4096}) {
    auto source = parse(sumGraph(alignment));
    auto compiler = makeCompiler(source);
    Compiled compiled = compile(*compiler, {2, 4});
    EXPECT_THAT(run(compiled, input),
                testing::ElementsAre(1, 2, 3, 4, 1, 2, 3, 4))
        << alignment;
    // Nor is it copied.
    EXPECT_EQ(weightsOf(*compiled.program), weightsOf(*source->eager))
        << alignment;
  }
}

/// The module that the graph was parsed from is gone, and no second copy of its
/// constants was made.
TEST(SharedConstants, TheEagerProgramRefersToTheBytecode) {
  for (const std::string &text : {sumGraph(16), productGraph()}) {
    auto source = parse(text);
    const llvm::StringRef bytecode = bytecodeOf(*source);
    const auto *weights = static_cast<const char *>(weightsOf(*source->eager));
    EXPECT_GE(weights, bytecode.begin());
    EXPECT_LT(weights, bytecode.end());
  }
}

TEST(SharedConstants, ProgramsOutliveTheGraphAndItsCompilers) {
  Compiled compiled;
  {
    auto source = parse(sumGraph(16));
    compiled = compile(*makeCompiler(source), {2, 4});
  }
  Tensor input = *Tensor::allocate({DType::f32, {2, 4}});
  std::fill_n(input.as<float>(), 8, -1.0F);
  EXPECT_THAT(run(compiled, input),
              testing::ElementsAre(0, 1, 2, 3, 0, 1, 2, 3));
}

TEST(SharedConstants, CompilersShareWhatTheyPack) {
  auto source = parse(productGraph());
  auto first = makeCompiler(source), second = makeCompiler(source);
  Compiled a, b;
  std::thread other([&] { a = compile(*first, {16, 128}); });
  b = compile(*second, {16, 128});
  other.join();
  EXPECT_EQ(source->rearranged->count().made, 1u);
  EXPECT_EQ(weightsOf(*a.program), weightsOf(*b.program));
  EXPECT_NE(weightsOf(*a.program), weightsOf(*source->eager));
  EXPECT_EQ(a.relayoutedBytes + b.relayoutedBytes,
            a.program->constants.front().data.bytes());
  // What a program has packed is there for the next compiler.
  first.reset();
  second.reset();
  b = Compiled();
  EXPECT_EQ(source->rearranged->count().held, 1u);
  b = compile(*makeCompiler(source), {16, 128});
  EXPECT_EQ(weightsOf(*b.program), weightsOf(*a.program));
  EXPECT_EQ(b.relayoutedBytes, 0);
  EXPECT_EQ(source->rearranged->count().made, 1u);
}

TEST(SharedConstants, CompilingForEverLeavesNothing) {
  auto source = parse(productGraph());
  auto compiler = makeCompiler(source);
  constexpr int kContexts = 3;
  for (size_t i = 0; i < kContexts * CompilerSession::kMaxCompilations; ++i)
    compile(*compiler, {16, 128});
  // The last context has been given back as those before it.
  EXPECT_EQ(source->rearranged->count().made, kContexts);
  EXPECT_EQ(source->rearranged->count().held, 0u);
}

} // namespace
