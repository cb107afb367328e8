//===- PredictionTest.cpp - Costs that are predicted ----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Prediction/CompileHistory.h"

#include "tandem/Tandem.h"

#include <gtest/gtest.h>

using namespace tandem;

namespace {

const char *const kChain = R"(
  func.func @main(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
    %0 = tandem.exp %x : tensor<?x64xf32>
    %1 = tandem.tanh %0 : tensor<?x64xf32>
    return %1 : tensor<?x64xf32>
  })";
/// Two equal products, each with a function, and a row of sums.
const char *const kBlocks = R"(
  func.func @main(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>)
      -> tensor<64x1xf32> {
    %0 = tandem.matmul %x, %w
        : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %1 = tandem.relu %0 : tensor<64x64xf32>
    %2 = tandem.matmul %1, %w
        : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %3 = tandem.relu %2 : tensor<64x64xf32>
    %4 = tandem.reduce %3 kind = sum dims = [1] keep_dims
        : (tensor<64x64xf32>) -> tensor<64x1xf32>
    return %4 : tensor<64x1xf32>
  })";

const char *const kLoop = R"(
  func.func @main(%xs: tensor<?x64xf32>) -> tensor<?x64xf32> {
    %h0 = tandem.constant dense<0.0> : tensor<64xf32>
    %0:2 = tandem.loop carried (%h = %h0) scanned (%x = %xs)
        : (tensor<64xf32>, tensor<?x64xf32>)
        -> (tensor<64xf32>, tensor<?x64xf32>) {
      %1 = tandem.add %h, %x : tensor<64xf32>
      %2 = tandem.tanh %1 : tensor<64xf32>
      tandem.yield %2, %2 : tensor<64xf32>, tensor<64xf32>
    }
    return %0#1 : tensor<?x64xf32>
  })";

std::unique_ptr<Graph> parse(const char *source) {
  auto graph = Graph::parseString(source);
  EXPECT_TRUE(graph) << graph.error().str();
  return std::move(*graph);
}

std::vector<TensorType> rows(int64_t count) {
  return {{DType::f32, {count, 64}}};
}

const std::vector<TensorType> kSquares(2, TensorType{DType::f32, {64, 64}});

FusionSketch sketchOf(const Graph &graph,
                      const std::vector<TensorType> &types) {
  auto sketch = sketchFusion(*graph.eagerProgram(), types);
  EXPECT_TRUE(sketch) << sketch.error().str();
  return std::move(*sketch);
}

class History : public testing::Test {
protected:
  CompileHistory::Expectation expect(int64_t count, bool keepsKernels = true) {
    return history.expect(sketchOf(*chain, rows(count)), *chain->eagerProgram(),
                          genericDeviceModel(), keepsKernels);
  }
  double predict(int64_t count) { return history.compileNs(expect(count)); }

  std::unique_ptr<Graph> chain = parse(kChain);
  CompileHistory history;
};

} // namespace

TEST(FusionSketch, FusesElementwiseOps) {
  FusionSketch sketch = sketchOf(*parse(kChain), rows(8));
  ASSERT_EQ(sketch.kernels.size(), 1u);
  EXPECT_EQ(sketch.kernels[0].ops.size(), 2u);
  // Each element is read once and written once.
  EXPECT_EQ(sketch.kernels[0].bytes, 2 * 8 * 64 * 4);
}

TEST(FusionSketch, KeepsContractionsApart) {
  FusionSketch sketch = sketchOf(*parse(kBlocks), kSquares);
  ASSERT_EQ(sketch.kernels.size(), 3u);
  // Equal kernels are compiled once.
  EXPECT_EQ(sketch.kernels[0].key, sketch.kernels[1].key);
  EXPECT_NE(sketch.kernels[0].key, sketch.kernels[2].key);
}

/// Scalars are written into the code of kernels.
TEST(FusionSketch, TellsKernelsByTheirScalars) {
  for (const char *second : {"0.5", "0.25"}) {
    auto graph = parse((std::string(R"(
        func.func @main(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>)
            -> tensor<64x64xf32> {
          %a = tandem.constant dense<0.5> : tensor<f32>
          %b = tandem.constant dense<)") +
                        second + R"(> : tensor<f32>
          %0 = tandem.matmul %x, %w
              : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
          %1 = tandem.mul %0, %a
              : (tensor<64x64xf32>, tensor<f32>) -> tensor<64x64xf32>
          %2 = tandem.matmul %1, %w
              : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
          %3 = tandem.mul %2, %b
              : (tensor<64x64xf32>, tensor<f32>) -> tensor<64x64xf32>
          return %3 : tensor<64x64xf32>
        })")
                           .c_str());
    FusionSketch sketch = sketchOf(*graph, kSquares);
    ASSERT_EQ(sketch.kernels.size(), 2u);
    EXPECT_EQ(sketch.kernels[0].key == sketch.kernels[1].key,
              std::string(second) == "0.5");
  }
}

TEST(FusionSketch, RefusesTypesThatDoNotFit) {
  EXPECT_FALSE(sketchFusion(*parse(kBlocks)->eagerProgram(), rows(8)));
}

/// The body's kernel is compiled once and runs in every iteration.
TEST(CostFeatures, CountIterationsOfLoops) {
  auto graph = parse(kLoop);
  auto costsOf = [&](int64_t count) {
    auto features = describeCosts(*graph->eagerProgram(), rows(count),
                                  genericDeviceModel());
    return predictCosts(features.value());
  };
  const CostPrediction few = costsOf(10), many = costsOf(1000);
  EXPECT_GT(many.eagerNs, 50 * few.eagerNs);
  EXPECT_GT(many.compiledNs, 50 * few.compiledNs);
  EXPECT_EQ(many.kernelsNs, few.kernelsNs);
  EXPECT_EQ(sketchOf(*graph, rows(10)).kernels.size(),
            sketchOf(*graph, rows(1000)).kernels.size());
}

/// The chain is two ops and one kernel: where launches are all that counts, or
/// memory, that is half of it.
TEST(CostFeatures, CallsByTheModelAreLaunchesOrMemory) {
  const auto sketch = sketchFusion(*parse(kChain)->eagerProgram(), rows(16));
  ASSERT_TRUE(sketch) << sketch.error().str();
  DeviceModel device;
  device.launchNs = 1000;
  device.memoryBytesPerNs = device.f32FlopsPerNs = 1e12;
  CostPrediction calls;
  predictCallsByModel(*sketch, device, calls);
  EXPECT_NEAR(calls.eagerNs, 2000, 1);
  EXPECT_NEAR(calls.compiledNs, 1000, 1);
  device.launchNs = 0;
  device.memoryBytesPerNs = 1;
  predictCallsByModel(*sketch, device, calls);
  constexpr double kBytes = 2 * 16 * 64 * 4; // Read and written.
  EXPECT_DOUBLE_EQ(calls.eagerNs, 2 * kBytes);
  EXPECT_DOUBLE_EQ(calls.compiledNs, kBytes);
  device.f32FlopsPerNs = 1e-6;
  predictCallsByModel(*sketch, device, calls);
  EXPECT_DOUBLE_EQ(calls.eagerNs, calls.compiledNs);
  EXPECT_GT(calls.compiledNs, 1e6 * kBytes / 8);
}

/// Products of bytes are as fast as the device's instructions; depthwise
/// convolutions are computed in f32.
TEST(CostFeatures, ProductsOfBytesDependOnInstructions) {
  auto graph = parse(R"(
    func.func @main(%x: tensor<64x128xui8>, %w: tensor<128x256xi8>,
                    %y: tensor<1x8x8x32xui8>, %k: tensor<3x3x1x32xi8>)
        -> (tensor<64x256xi32>, tensor<1x6x6x32xi32>) {
      %0 = tandem.matmul %x, %w widen
          : (tensor<64x128xui8>, tensor<128x256xi8>) -> tensor<64x256xi32>
      %1 = tandem.conv %y, %k
          layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
          groups = 32
          : (tensor<1x8x8x32xui8>, tensor<3x3x1x32xi8>)
          -> tensor<1x6x6x32xi32>
      return %0, %1 : tensor<64x256xi32>, tensor<1x6x6x32xi32>
    })");
  const TensorType types[] = {{DType::ui8, {64, 128}},
                              {DType::i8, {128, 256}},
                              {DType::ui8, {1, 8, 8, 32}},
                              {DType::i8, {3, 3, 1, 32}}};
  auto describe = [&](bool hasVNNI, bool hasWordPairs,
                      bool hasAMXInt8 = false) {
    DeviceModel device = genericDeviceModel();
    device.hasAMXInt8 = hasAMXInt8;
    device.hasVNNI = hasVNNI;
    device.hasWordPairs = hasWordPairs;
    return *describeCosts(*graph->eagerProgram(), types, device);
  };
  const CostFeatures none = describe(false, false),
                     words = describe(false, true),
                     quads = describe(true, true),
                     tiles = describe(true, true, true);
  using F = CostFeature;
  for (F matmul : {F::eagerMatmulNs, F::compiledMatmulNs}) {
    EXPECT_GT(none[matmul], 0);
    EXPECT_DOUBLE_EQ(words[matmul], none[matmul] / 2);
    EXPECT_DOUBLE_EQ(quads[matmul], none[matmul] / 4);
    EXPECT_DOUBLE_EQ(tiles[matmul], none[matmul] / 32);
  }
  EXPECT_GT(none[F::compiledLowReuseConvNs], 0);
  EXPECT_EQ(quads[F::compiledLowReuseConvNs], none[F::compiledLowReuseConvNs]);
}

TEST(CostFeatures, GrowWithShapes) {
  auto graph = parse(kChain);
  auto costsOf = [&](int64_t count) {
    auto features = describeCosts(*graph->eagerProgram(), rows(count),
                                  genericDeviceModel());
    return predictCosts(features.value());
  };
  const CostPrediction small = costsOf(16), large = costsOf(16 << 10);
  EXPECT_GT(large.eagerNs, 10 * small.eagerNs);
  EXPECT_GT(large.compiledNs, 10 * small.compiledNs);
  EXPECT_LT(large.compiledNs, large.eagerNs);
  EXPECT_GT(small.kernelsNs, 0);
  EXPECT_GT(small.coldNs(), small.firstNs());
  EXPECT_GT(small.firstNs(), small.warmNs());
}

TEST_F(History, FirstCompilationCostsMore) {
  const double first = predict(8);
  history.observe(expect(8), {.compiled = 1}, first);
  // This signature has another shape, so that its kernel is new as well.
  EXPECT_LT(predict(16), first);
}

TEST_F(History, CorrectsForTheMachine) {
  history.observe(expect(8), {.compiled = 1}, predict(8));
  const double before = predict(1024);
  for (int64_t count = 16; count < 48; ++count) {
    auto expected = expect(count);
    history.observe(expected, {.compiled = 1}, 3 * expected.compileNs(0));
  }
  EXPECT_NEAR(predict(1024) / before, 3, 0.5);
}

TEST_F(History, KnowsItsKernels) {
  auto expected = expect(8);
  EXPECT_EQ(expected.newKernels, 1u);
  history.observe(expected, {.compiled = 1}, expected.compileNs(0));
  EXPECT_EQ(expect(8).newKernels, 0u);
  EXPECT_EQ(expect(8).costs.kernelsNs, 0);
  EXPECT_EQ(expect(16).newKernels, 1u);
  EXPECT_EQ(expect(8, /*keepsKernels=*/false).newKernels, 1u);
}

TEST_F(History, ExpectsAsManyHitsAsItHasSeen) {
  history.observe(expect(8), {.compiled = 1}, predict(8));
  const double before = predict(1024);
  // Kernels that this process has not compiled, and that are there.
  for (int64_t count = 16; count < 80; ++count) {
    auto expected = expect(count);
    history.observe(expected, {.cached = 1}, expected.compileNs(1));
  }
  EXPECT_LT(predict(1024), before / 2);
  EXPECT_GE(predict(1024), expect(1024).costs.graphNs * 0.99);
}

TEST_F(History, IgnoresWhatIsNoTime) {
  const double before = predict(8);
  history.observe(expect(8), {.compiled = 1}, 0);
  history.observe(expect(8), {.compiled = 1},
                  std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(predict(8), before);
}

TEST(Prediction, CompilerPredicts) {
  auto graph = parse(kBlocks);
  auto compiler = graph->createCompiler();
  ASSERT_TRUE(compiler) << compiler.error().str();
  const Prediction before = (*compiler)->predict(kSquares);
  EXPECT_GT(before.compileNs, 0);
  EXPECT_GT(before.eagerNs, before.compiledNs);
  auto compiled = (*compiler)->compile(kSquares);
  ASSERT_TRUE(compiled) << compiled.error().str();
  // Its kernels are known now.
  EXPECT_LT((*compiler)->predict(kSquares).compileNs, before.compileNs / 2);
  EXPECT_EQ((*compiler)->predict(rows(8)).compileNs, 0);
}
