//===- CompileTest.cpp - Compiling graphs ---------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Analysis/DeviceModel.h"
#include "tandem/Runtime/ErrorBounds.h"
#include "tandem/Runtime/Program/ProgramMemory.h"
#include "tandem/Tandem.h"
#include "tandem/Target/CPU/MakeCPUOptions.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <mutex>

#include <thread>

using namespace tandem;
using testing::HasSubstr;

namespace {

constexpr const char *kGraph = R"(
func.func @main(%x: tensor<?x4xf32> {tandem.dims = ["N", ""]},
                %y: tensor<?x4xf32> {tandem.dims = ["N", ""]})
    -> tensor<?xf32> {
  %0 = tandem.add %x, %y : tensor<?x4xf32>
  %1 = tandem.relu %0 : tensor<?x4xf32>
  %2 = tandem.softmax %1 axis = 1 : tensor<?x4xf32>
  %3 = tandem.add %2, %y : tensor<?x4xf32>
  %4 = tandem.relu %3 : tensor<?x4xf32>
  %5 = tandem.reshape %4 shape = [-1] : (tensor<?x4xf32>) -> tensor<?xf32>
  return %5 : tensor<?xf32>
}
)";

TensorType f32(Shape shape) { return {DType::f32, shape}; }

struct CompileTest : testing::Test {
  void SetUp() override {
    auto graph = Graph::parseString(kGraph);
    ASSERT_TRUE(graph) << graph.error().str();
    // This compiler works as if no test before had compiled the same kernels.
    auto created = (*graph)->createCompiler({.kernelCache = false});
    ASSERT_TRUE(created) << created.error().str();
    // The graph goes; the compiler stays.
    compiler = std::move(*created);
  }
  std::unique_ptr<Compiler> compiler;
};

TEST_F(CompileTest, FusesAndPlans) {
  TensorType inputs[] = {f32({8, 4}), f32({8, 4})};
  auto compiled = compiler->compile(inputs);
  ASSERT_TRUE(compiled) << compiled.error().str();
  const Program &program = *compiled->program;
  // One kernel, softmax's reductions and all, and a view.
  ASSERT_EQ(program.steps.size(), 2u);
  ASSERT_EQ(program.kernels.size(), 1u);
  EXPECT_EQ(program.steps[0]->kernel, 0);
  EXPECT_EQ(program.steps[1]->op->kind, OpKind::reshape);
  EXPECT_EQ(program.steps[0]->location, "<string>:9:8");
  EXPECT_EQ(program.kernels[0]->bytes, 3 * 128);
  // The kernel's result is in the output's memory.
  EXPECT_EQ(program.arena_bytes, 0);
  EXPECT_EQ(plannedPeakBytes(program), 128);
  EXPECT_EQ(compiled->kernels.size(), 1u);
  EXPECT_EQ(fromFlat(*program.slots[program.outputs[0]]->type), f32({32}));
}

TEST_F(CompileTest, TimesEachPhase) {
  TensorType inputs[] = {f32({8, 4}), f32({8, 4})};
  auto compiled = compiler->compile(inputs);
  ASSERT_TRUE(compiled);
  std::vector<std::string> names;
  for (const PhaseTime &phase : compiled->phases) {
    names.push_back(phase.phase);
    EXPECT_GE(phase.ns, phase.phase == "other" ? 0 : 1) << phase.phase;
  }
  // Between linalg and load come the target's own.
  ASSERT_GT(names.size(), 8u);
  EXPECT_THAT(std::span(names).first(7),
              testing::ElementsAre("specialize", "simplify", "layout", "fuse",
                                   "kernels", "encode", "linalg"));
  EXPECT_THAT(std::span(names).last(3),
              testing::ElementsAre("load", "emit", "other"));
  EXPECT_GT(compiled->wallNs, 0);
}

TEST_F(CompileTest, KernelsAreLoadedAgainFromABuffer) {
  TensorType inputs[] = {f32({2, 4}), f32({2, 4})};
  auto compiled = compiler->compile(inputs);
  ASSERT_TRUE(compiled);
  auto read = deserialize(serialize(*compiled->program));
  ASSERT_TRUE(read) << read.error().str();
  auto loaded = compiler->device().load(*read);
  ASSERT_TRUE(loaded) << loaded.error().str();
  EXPECT_EQ(loaded->size(), 1u);
}

TEST_F(CompileTest, ShapesThatContradictAreErrors) {
  TensorType unequal[] = {f32({8, 4}), f32({7, 4})};
  EXPECT_FALSE(compiler->compile(unequal));
  TensorType wrong[] = {f32({8, 5}), f32({8, 5})};
  EXPECT_FALSE(compiler->compile(wrong));
  TensorType few[] = {f32({8, 4})};
  EXPECT_FALSE(compiler->compile(few));
  // And the compiler is as good as before.
  TensorType good[] = {f32({8, 4}), f32({8, 4})};
  EXPECT_TRUE(compiler->compile(good));
}

TEST_F(CompileTest, ThreadsMayCompileAtOnce) {
  std::vector<std::thread> threads;
  for (int64_t i = 1; i <= 3; ++i)
    threads.emplace_back([&, i] {
      TensorType inputs[] = {f32({i, 4}), f32({i, 4})};
      auto compiled = compiler->compile(inputs);
      ASSERT_TRUE(compiled) << compiled.error().str();
      const Program &program = *compiled->program;
      EXPECT_EQ(fromFlat(*program.slots[program.inputs[0]]->type), inputs[0]);
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(Compile, AnErrorInTheGraphOfTheseShapesIsLocated) {
  auto graph = Graph::parseString(R"(
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = tandem.add %x, %y : tensor<?xf32>
  return %0 : tensor<?xf32>
})");
  ASSERT_TRUE(graph);
  auto compiler = (*graph)->createCompiler();
  ASSERT_TRUE(compiler);
  TensorType inputs[] = {f32({3}), f32({4})};
  auto compiled = (*compiler)->compile(inputs);
  ASSERT_FALSE(compiled);
  EXPECT_EQ(compiled.error().phase, "specialize");
  EXPECT_EQ(compiled.error().location, "<string>:3:8");
  EXPECT_THAT(compiled.error().message, HasSubstr("add C"));
}

/// Runs the program on inputs of random elements.
std::vector<Tensor> runOn(const std::vector<Tensor> &inputs,
                          std::shared_ptr<const Program> program,
                          LoadedKernels kernels = {}) {
  ExecutorOptions options;
  options.kernels = std::move(kernels);
  std::vector<Tensor> outputs;
  auto executor = Executor::create(std::move(program), options);
  EXPECT_TRUE(executor) << executor.error().str();
  EXPECT_TRUE((*executor)->run(inputs, outputs));
  return outputs;
}

TEST(Compile, AKernelThatFailsBecomesSteps) {
  auto graph = Graph::parseString(kGraph);
  ASSERT_TRUE(graph);
  CompileOptions options;
  options.failKernels = "0";
  options.reproducerDir = testing::TempDir() + "/tandem-reproducers";
  auto compiler = (*graph)->createCompiler(options);
  ASSERT_TRUE(compiler);
  TensorType types[] = {f32({8, 4}), f32({8, 4})};
  auto compiled = (*compiler)->compile(types);
  ASSERT_TRUE(compiled) << compiled.error().str();
  EXPECT_EQ(compiled->program->kernels.size(), 0u);
  for (const auto &step : compiled->program->steps)
    EXPECT_TRUE(step->op);
  EXPECT_EQ(compiled->kernelCounts.fellBack, 1u);
  ASSERT_EQ(compiled->warnings.size(), 1u);
  const Warning &warning = compiled->warnings.front();
  EXPECT_EQ(warning.location, "<string>:9:8");
  EXPECT_THAT(warning.message, HasSubstr("kernel_0"));
  EXPECT_TRUE(readFile(warning.reproducer)) << warning.reproducer;

  std::vector<Tensor> inputs;
  for (const TensorType &type : types) {
    inputs.push_back(*Tensor::allocate(type));
    fillRandom(inputs.back(), inputs.size());
  }
  std::vector<Tensor> want = runOn(inputs, (*graph)->eagerProgram()),
                      got = runOn(inputs, compiled->program, compiled->kernels);
  ASSERT_EQ(got.size(), 1u);
  auto bounded = evaluateWithBounds(*(*graph)->eagerProgram(), inputs);
  ASSERT_TRUE(bounded) << bounded.error().str();
  const ErrorBounds &bounds = bounded->front().bounds;
  EXPECT_TRUE(compare(want[0], got[0], bounds).agrees());
}

TEST(Compile, WithoutFallbackAFailureIsAnError) {
  auto graph = Graph::parseString(kGraph);
  ASSERT_TRUE(graph);
  auto compiler =
      (*graph)->createCompiler({.fallback = false, .failKernels = "kernel_0"});
  ASSERT_TRUE(compiler);
  TensorType inputs[] = {f32({8, 4}), f32({8, 4})};
  auto compiled = (*compiler)->compile(inputs);
  ASSERT_FALSE(compiled);
  EXPECT_EQ(compiled.error().location, "<string>:9:8");
  EXPECT_THAT(compiled.error().message, HasSubstr("kernel_0"));
}

TEST(Compile, TellsHowFarItIsAndKeepsOps) {
  auto graph = Graph::parseString(kGraph);
  ASSERT_TRUE(graph);
  std::vector<std::string> phases;
  std::mutex mutex;
  size_t done = 0, total = 0;
  CompileOptions options;
  options.keepsOps = true;
  options.progress = [&](const CompileProgress &progress) {
    std::lock_guard<std::mutex> lock(mutex);
    phases.emplace_back(progress.phase);
    done = std::max(done, progress.done);
    total = progress.total;
  };
  auto compiler = (*graph)->createCompiler(options);
  ASSERT_TRUE(compiler);
  TensorType types[] = {f32({8, 4}), f32({8, 4})};
  auto compiled = (*compiler)->compile(types);
  ASSERT_TRUE(compiled) << compiled.error().str();
  EXPECT_EQ(phases.front(), "simplify");
  EXPECT_EQ(phases.back(), "kernels");
  EXPECT_EQ(total, compiled->program->kernels.size());
  EXPECT_EQ(done, total);

  ASSERT_EQ(compiled->kernelOps.size(), compiled->program->kernels.size());
  for (const auto &ops : compiled->kernelOps)
    for (const auto &step : ops->steps)
      EXPECT_TRUE(step->op);
}

/// A graph of one kernel, which no other test has.
std::string scaleBy(double factor) {
  return "func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
         "  %c = tandem.constant dense<" +
         std::to_string(factor) +
         "> : tensor<f32>\n"
         "  %0 = tandem.mul %x, %c : (tensor<?xf32>, tensor<f32>) -> "
         "tensor<?xf32>\n"
         "  return %0 : tensor<?xf32>\n}\n";
}

Compiled compileOrFail(const std::string &source, Shape shape,
                       const CompileOptions &options = {}) {
  auto graph = Graph::parseString(source);
  EXPECT_TRUE(graph) << graph.error().str();
  auto compiler = (*graph)->createCompiler(options);
  EXPECT_TRUE(compiler) << compiler.error().str();
  TensorType types[] = {f32(shape)};
  auto compiled = (*compiler)->compile(types);
  EXPECT_TRUE(compiled) << compiled.error().str();
  return std::move(*compiled);
}

TEST(Compile, AKernelOfAnotherGraphIsNotCompiledAgain) {
  std::string source = scaleBy(17.5);
  Compiled first = compileOrFail(source, {64});
  EXPECT_EQ(first.kernelCounts.compiled, 1u);
  // Another graph of other locations; the same code.
  Compiled again = compileOrFail("\n\n" + source, {64});
  EXPECT_EQ(again.kernelCounts.compiled, 0u);
  EXPECT_EQ(again.kernelCounts.cached, 1u);
  EXPECT_EQ(again.kernels, first.kernels);
  EXPECT_EQ(again.program->kernels[0]->code, first.program->kernels[0]->code);
  // Other shapes, other code; and it can be had anew.
  EXPECT_EQ(compileOrFail(source, {65}).kernelCounts.compiled, 1u);
  Compiled anew = compileOrFail(source, {64}, {.kernelCache = false});
  EXPECT_EQ(anew.kernelCounts.compiled, 1u);
  EXPECT_NE(anew.kernels, first.kernels);
}

TEST(Compile, ThreadsThatWantOneKernelCompileItOnce) {
  auto graph = Graph::parseString(scaleBy(18.5));
  ASSERT_TRUE(graph);
  auto compiler = (*graph)->createCompiler();
  ASSERT_TRUE(compiler);
  KernelCacheStats before = kernelCacheStats();
  std::atomic<size_t> compiledCount{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      TensorType types[] = {f32({640})};
      auto compiled = (*compiler)->compile(types);
      ASSERT_TRUE(compiled) << compiled.error().str();
      compiledCount += compiled->kernelCounts.compiled;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(compiledCount, 1u);
  KernelCacheStats after = kernelCacheStats();
  EXPECT_EQ(after.misses - before.misses, 1u);
  EXPECT_EQ(after.hits + after.awaited - before.hits - before.awaited, 7u);
}

TEST(Compile, AnUnknownDeviceListsThoseThereAre) {
  auto graph = Graph::parseString(kGraph);
  ASSERT_TRUE(graph);
  auto compiler = (*graph)->createCompiler({.device = "abacus"});
  ASSERT_FALSE(compiler);
  EXPECT_THAT(compiler.error().message, HasSubstr("abacus"));
  EXPECT_THAT(compiler.error().hint, HasSubstr("cpu"));
}

TEST(Compile, IsPlannedForTheDeviceModelThatIsGiven) {
  auto graph = Graph::parseString(scaleBy(2));
  ASSERT_TRUE(graph);
  auto unknown =
      (*graph)->createCompiler({.targetOptions = {{"device-model", "abacus"}}});
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, HasSubstr("abacus"));
  DeviceModel misspelt = genericDeviceModel();
  misspelt.targetNumbers["library_tyles"] = 1;
  auto refused = (*graph)->createCompiler(
      {.targetOptions = {{"device-model", writeDeviceModel(misspelt)}}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "the description of device 'generic': 'library_tyles' is not part "
            "of a description");
  // A core whose loops are slow computes depthwise convolutions in tiles.
  const char *source = R"(
func.func @main(%x: tensor<1x9x9x32xf32>, %w: tensor<3x3x1x32xf32>)
    -> tensor<1x7x7x32xf32> {
  %0 = tandem.conv %x, %w
      layout = <input = "NHWC", kernel = "HWIO", output = "NHWC"> groups = 32
      : (tensor<1x9x9x32xf32>, tensor<3x3x1x32xf32>) -> tensor<1x7x7x32xf32>
  return %0 : tensor<1x7x7x32xf32>
})";
  auto getCode = [&](DeviceModel model) {
    auto conv = Graph::parseString(source);
    auto compiler = (*conv)->createCompiler(
        {.targetOptions = {{"contractions", "generated"},
                           {"device-model", writeDeviceModel(model)}}});
    EXPECT_TRUE(compiler) << compiler.error().str();
    TensorType types[] = {f32({1, 9, 9, 32}), f32({3, 3, 1, 32})};
    auto compiled = (*compiler)->compile(types);
    EXPECT_TRUE(compiled) << compiled.error().str();
    return (*compiled).program->kernels.at(0)->code;
  };
  DeviceModel tiles = genericDeviceModel(), loops = tiles;
  tiles.loopShare = tiles.depthwiseLoopShare = 1e-3;
  loops.targetNumbers["kernel_depthwise"] = 1e-3;
  EXPECT_NE(getCode(tiles), getCode(loops));
}

TEST(Compile, ATargetHasOptionsOfItsOwn) {
  auto graph = Graph::parseString(kGraph);
  ASSERT_TRUE(graph);
  auto unknown =
      (*graph)->createCompiler({.targetOptions = {{"contraction", "library"}}});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message,
            "the target 'cpu' has no option 'contraction'");
  EXPECT_EQ(unknown.error().hint,
            "its options are contractions, winograd, scaled-weights, "
            "byte-sums, device-model");
  auto invalid =
      (*graph)->createCompiler({.targetOptions = {{"contractions", "fast"}}});
  ASSERT_FALSE(invalid);
  EXPECT_EQ(
      invalid.error().message,
      "the option 'contractions' of the target 'cpu' has no value 'fast'");
  EXPECT_EQ(invalid.error().hint,
            "its values are predict, autotune, generated, library");
  EXPECT_EQ(devices().front().targetOptions.size(), 5u);
}

/// Fields of CompileOptions that have become options of the target.
TEST(Compile, FormerOptionsAreTheTargets) {
  CompileOptions options;
  options.contractions = Contractions::library;
  options.winograd = Winograd::never;
  options.deviceModel = "generic";
  options.targetOptions["winograd"] = "always";
  moveFormerOptions(options);
  EXPECT_EQ(options.targetOptions, (TargetOptions{{"contractions", "library"},
                                                  {"device-model", "generic"},
                                                  {"winograd", "always"}}));
  EXPECT_FALSE(options.contractions || options.winograd);
  auto graph = Graph::parseString(kGraph);
  ASSERT_TRUE(graph);
  auto unknown = (*graph)->createCompiler({.deviceModel = "abacus"});
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, HasSubstr("abacus"));
}

TEST(Compile, FuelLimitsFusion) {
  auto graph = Graph::parseString(kGraph);
  ASSERT_TRUE(graph);
  auto compiler = (*graph)->createCompiler({.fusionFuel = 0});
  ASSERT_TRUE(compiler);
  TensorType inputs[] = {f32({8, 4}), f32({8, 4})};
  auto compiled = (*compiler)->compile(inputs);
  ASSERT_TRUE(compiled) << compiled.error().str();
  // At least one for each of softmax's reductions and what is around it.
  EXPECT_GT(compiled->program->kernels.size(), 4u);
}

TEST(Compile, ContractionsAreEstimatedWithoutCode) {
  auto graph = Graph::parseString(R"(
func.func @main(%x: tensor<?x64xf32>, %w: tensor<64x64xf32>)
    -> tensor<?x64xf32> {
  %0 = tandem.matmul %x, %w
      : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
  %1 = tandem.matmul %0, %w
      : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
  %2 = tandem.relu %1 : tensor<?x64xf32>
  return %2 : tensor<?x64xf32>
}
)");
  ASSERT_TRUE(graph) << graph.error().str();
  auto estimate = [&](int64_t rows) {
    TensorType inputs[] = {f32({rows, 64}), f32({64, 64})};
    auto estimates = (*graph)->estimateContractions(inputs);
    EXPECT_TRUE(estimates) << estimates.error().str();
    return *estimates;
  };
  auto few = estimate(8), many = estimate(8192);
  ASSERT_EQ(few.size(), 2u);
  ASSERT_EQ(many.size(), 2u);
  EXPECT_EQ(few[0].location, "<string>:4:8");
  EXPECT_EQ(few[1].location, "<string>:6:8");
  EXPECT_GT(few[0].generatedNs, 0);
  EXPECT_GT(few[0].libraryNs, 0);
  EXPECT_GT(many[0].generatedNs, 10 * few[0].generatedNs);
  EXPECT_GT(many[0].libraryNs, 10 * few[0].libraryNs);

  TensorType wrong[] = {f32({8, 65}), f32({64, 64})};
  EXPECT_FALSE((*graph)->estimateContractions(wrong));
}

} // namespace
