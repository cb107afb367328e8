//===- SmallStackTest.cpp - Compiled programs on small stacks -------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel of each kind on a thread with a stack of 128 KiB, as an application
// may have; none takes more of it than the ABI allows, and the peak that the
// executor plans, workspaces included, is the real one.
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/ErrorBounds.h"
#include "tandem/Runtime/Kernels/HostKernel.h"
#include "tandem/Tandem.h"

#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <pthread.h>

using namespace tandem;

namespace {

struct Case {
  const char *name;
  /// The arguments, the result's type, and the ops that compute %r.
  std::string arguments, result, body;
  std::vector<TensorType> inputs;
  std::string winograd = "auto";
  /// Whether its kernel wants more than a frame may have; none where that
  /// depends on the width of the host's vectors.
  std::optional<bool> hasWorkspace = false;

  friend void PrintTo(const Case &c, std::ostream *out) { *out << c.name; }
};

TensorType f32(Shape shape) { return {DType::f32, shape}; }

/// A constant of random numbers below 1/16, as its bytes.
std::string weights(const Shape &shape) {
  TensorType type = f32(shape);
  Tensor tensor = *Tensor::allocate(type);
  fillRandom(tensor, /*seed=*/7);
  for (int64_t i = 0; i < shape.numElements(); ++i)
    tensor.as<float>()[i] /= 16;
  return "%w = tandem.constant dense<\"0x" +
         llvm::toHex({tensor.as<char>(), static_cast<size_t>(tensor.bytes())}) +
         "\"> : " + type.str() + "\n";
}

std::vector<Case> cases() {
  std::string conv = " layout = <input = \"NHWC\", kernel = \"HWIO\", output = "
                     "\"NHWC\"> pad_low = [1, 1] pad_high = [1, 1] : "
                     "(tensor<1x56x56x64xf32>, tensor<3x3x64x64xf32>) -> "
                     "tensor<1x56x56x64xf32>\n";
  std::string image = "tensor<1x56x56x64xf32>";
  std::string w = weights({3, 3, 64, 64});
  std::string pool = "%r = tandem.max_pool %c layout = \"NHWC\" window = [2, 2]"
                     " strides = [2, 2] : (" +
                     image + ") -> tensor<1x28x28x64xf32>\n";
  std::string pooled = "tensor<1x28x28x64xf32>";
  std::vector<TensorType> images = {f32({1, 56, 56, 64})};
  return {
      {"loop",
       "%x: tensor<100000xf32>",
       "tensor<100000xf32>",
       "%a = tandem.exp %x : tensor<100000xf32>\n"
       "%r = tandem.tanh %a : tensor<100000xf32>\n",
       {f32({100000})}},
      {"transpose",
       "%x: tensor<300x500xf32>",
       "tensor<500x300xf32>",
       "%a = tandem.exp %x : tensor<300x500xf32>\n"
       "%r = tandem.transpose %a permutation = [1, 0] : "
       "(tensor<300x500xf32>) -> tensor<500x300xf32>\n",
       {f32({300, 500})}},
      {"rows",
       "%x: tensor<64x3000xf32>",
       "tensor<64x3000xf32>",
       "%r = tandem.softmax %x axis = 1 : tensor<64x3000xf32>\n",
       {f32({64, 3000})},
       "auto",
       /*hasWorkspace=*/true},
      {"columns",
       "%x: tensor<200x300xf32>",
       "tensor<200x300xf32>",
       "%r = tandem.softmax %x axis = 0 : tensor<200x300xf32>\n",
       {f32({200, 300})},
       "auto",
       /*hasWorkspace=*/true},
      {"matmul",
       "%x: tensor<64x256xf32>, %y: tensor<256x512xf32>",
       "tensor<64x512xf32>",
       "%a = tandem.matmul %x, %y : (tensor<64x256xf32>, "
       "tensor<256x512xf32>) -> tensor<64x512xf32>\n"
       "%r = tandem.gelu %a : tensor<64x512xf32>\n",
       {f32({64, 256}), f32({256, 512})},
       "auto",
       /*hasWorkspace=*/std::nullopt},
      {"conv", "%x: " + image, image,
       w + "%a = tandem.conv %x, %w" + conv + "%r = tandem.tanh %a : " + image +
           "\n",
       images, "never"},
      {"prologue",
       "%x: tensor<1030x96xf32>, %w: tensor<96x40xf32>",
       "tensor<1030x40xf32>",
       "%a = tandem.relu %x : tensor<1030x96xf32>\n"
       "%r = tandem.matmul %a, %w : (tensor<1030x96xf32>, "
       "tensor<96x40xf32>) -> tensor<1030x40xf32>\n",
       {f32({1030, 96}), f32({96, 40})},
       "never",
       /*hasWorkspace=*/true},
      {"pooling", "%x: " + image, pooled,
       w + "%c = tandem.conv %x, %w" + conv + pool, images, "never",
       /*hasWorkspace=*/true},
      {"winograd", "%x: " + image, image, w + "%r = tandem.conv %x, %w" + conv,
       images, "always",
       /*hasWorkspace=*/true},
      {"winograd_prologue",
       "%x: tensor<8x128x128x16xf32>",
       "tensor<8x128x128x16xf32>",
       weights({3, 3, 16, 16}) +
           "%a = tandem.neg %x : tensor<8x128x128x16xf32>\n"
           "%r = tandem.conv %a, %w layout = <input = \"NHWC\", kernel = "
           "\"HWIO\", output = \"NHWC\"> pad_low = [1, 1] pad_high = [1, 1] : "
           "(tensor<8x128x128x16xf32>, tensor<3x3x16x16xf32>) -> "
           "tensor<8x128x128x16xf32>\n",
       {f32({8, 128, 128, 16})},
       "always",
       /*hasWorkspace=*/true},
      {"winograd_pooling", "%x: " + image, pooled,
       w + "%c = tandem.conv %x, %w" + conv + pool, images, "always",
       /*hasWorkspace=*/true},
  };
}

/// Runs `body` on a thread of its own, with a stack of `bytes`.
void runOnStack(size_t bytes, const std::function<void()> &body) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, bytes), 0);
  pthread_t thread;
  auto start = [](void *argument) -> void * {
    (*static_cast<const std::function<void()> *>(argument))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, start,
                           const_cast<std::function<void()> *>(&body)),
            0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

class SmallStackTest : public testing::TestWithParam<Case> {
protected:
  void TearDown() override { setNumThreads(2); }
};

TEST_P(SmallStackTest, RunsOn128KiB) {
  const Case &c = GetParam();
  auto graph =
      Graph::parseString("func.func @main(" + c.arguments + ") -> " + c.result +
                         " {\n" + c.body + "return %r : " + c.result + "\n}\n");
  ASSERT_TRUE(graph) << graph.error().str();
  CompileOptions compileOptions;
  compileOptions.targetOptions = {{"contractions", "generated"},
                                  {"winograd", c.winograd}};
  compileOptions.fallback = false;
  auto compiler = (*graph)->createCompiler(compileOptions);
  ASSERT_TRUE(compiler) << compiler.error().str();
  auto compiled = (*compiler)->compile(c.inputs);
  ASSERT_TRUE(compiled) << compiled.error().str();
  int64_t workspace = 0, frame = 0;
  for (const auto &kernel : compiled->program->kernels) {
    workspace = std::max(workspace, kernel->workspace);
    frame = std::max(frame, kernel->frame);
  }
  RecordProperty("frame", std::to_string(frame));
  RecordProperty("workspace", std::to_string(workspace));
  EXPECT_LE(frame, kMaxFrameBytes);
  if (c.hasWorkspace)
    EXPECT_EQ(workspace > 0, *c.hasWorkspace) << workspace;

  ExecutorOptions options;
  options.kernels = compiled->kernels;
  auto executor = Executor::create(compiled->program, options);
  ASSERT_TRUE(executor) << executor.error().str();
  std::vector<Tensor> inputs, outputs;
  for (const TensorType &type : c.inputs) {
    inputs.push_back(*Tensor::allocate(type));
    fillRandom(inputs.back(), /*seed=*/inputs.size());
  }
  auto expected = evaluateWithBounds(*(*graph)->eagerProgram(), inputs);
  ASSERT_TRUE(expected) << expected.error().str();
  for (int threads : {1, 2, 4}) {
    setNumThreads(threads);
    int64_t peak = 0;
    runOnStack(128 << 10, [&] {
      Status status = (*executor)->run(inputs, outputs, &peak);
      EXPECT_TRUE(status) << status.error().str();
    });
    ASSERT_EQ(outputs.size(), 1U);
    EXPECT_EQ(peak, (*executor)->plannedPeakBytes());
    EXPECT_TRUE(
        compare(expected->front().value, outputs[0], expected->front().bounds)
            .agrees());
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, SmallStackTest, testing::ValuesIn(cases()),
                         [](const auto &info) { return info.param.name; });

} // namespace
