//===- CPUTargetTest.cpp - Compiling and loading kernels ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompiledOp.h"

#include "tandem/Runtime/Kernels/HostKernel.h"
#include "tandem/Target/CPU/CPUTarget.h"

#include "llvm/Support/CommandLine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <thread>

using namespace tandem;
using namespace tandem::test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

std::string scaleBy(const char *factor) {
  return std::string(R"(
module @k {
  func.func @k(%x: tensor<3xf32>) -> tensor<3xf32> {
    %c = tandem.constant dense<)") +
         factor + R"(> : tensor<f32>
    %0 = tandem.mul %x, %c : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
})";
}

std::vector<float> runScale(const CompiledKernel &kernel) {
  std::vector<float> x = {1, 2, 3}, y(3);
  kernel.run({x.data(), y.data()});
  return y;
}

/// LLVM is told to avoid AVX2, which the instruction of AVX-VNNI needs, and
/// finds no instruction. That must not end the process.
TEST(CPUTarget, ReturnsFatalErrorsOfLLVM) {
  const char *source = R"(
module @k attributes {tandem.kind = #tandem<fusion_kind contraction>} {
  func.func @k(%x: tensor<1x8x8x4xui8>, %w: tensor<3x3x16x4xi8>) -> tensor<1x6x6x16xi32> {
    %0 = tandem.conv %x, %w layout = <input = "NHWC", kernel = "HWOI", output = "NHWC">
      : (tensor<1x8x8x4xui8>, tensor<3x3x16x4xi8>) -> tensor<1x6x6x16xi32>
    return %0 : tensor<1x6x6x16xi32>
  }
})";
  CPUTargetOptions options;
  options.cpu = "x86-64";
  options.features = "+avx,+avxvnni,-avx2";
  for (int i = 0; i < 2; ++i) {
    const auto kernel = compileKernel(source, options);
    ASSERT_FALSE(kernel);
    EXPECT_EQ(kernel.error().phase, "codegen");
    EXPECT_THAT(kernel.error().message, HasSubstr("LLVM: Cannot select"));
    EXPECT_THAT(kernel.error().message, testing::Not(HasSubstr("\n")));
  }
  EXPECT_TRUE(compileKernel(source, {"x86-64", "+avx2"}));
}

TEST(CPUTarget, KernelsOfOneNameCoexist) {
  auto twice = compileKernel(scaleBy("2.0"));
  auto thrice = compileKernel(scaleBy("3.0"));
  ASSERT_TRUE(twice && thrice);
  EXPECT_THAT(runScale(*twice), ElementsAre(2, 4, 6));
  EXPECT_THAT(runScale(*thrice), ElementsAre(3, 6, 9));

  // In one program, too.
  Program program;
  for (const CompiledKernel *kernel : {&*twice, &*thrice})
    program.kernels.push_back(std::make_unique<fb::KernelT>(kernel->kernel));
  auto loaded = loadCPUKernels(program);
  ASSERT_TRUE(loaded) << loaded.error().str();
  ASSERT_EQ(loaded->size(), 2u);
  EXPECT_NE(functionOf(*(*loaded)[0]), functionOf(*(*loaded)[1]));
}

/// A host program may use LLVM, too, with options of its own.
TEST(CPUTarget, LeavesLLVMsGlobalOptionsAlone) {
  ASSERT_TRUE(compileKernel(scaleBy("4.0")));
  auto &options = llvm::cl::getRegisteredOptions();
  auto option = options.find("disable-lsr");
  ASSERT_NE(option, options.end());
  EXPECT_FALSE(static_cast<llvm::cl::opt<bool> *>(option->second)->getValue());
}

TEST(CPUTarget, SeveralResultsOfSeveralShapes) {
  auto kernel = compileKernel(R"(
module @k {
  func.func @k(%x: tensor<2x3xf32>, %y: tensor<3xf32>)
      -> (tensor<2x3xf32>, tensor<3xi1>, tensor<2x3xf32>) {
    %0 = tandem.add %x, %y
        : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %1 = tandem.compare %y, %y predicate = ne
        : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    return %0, %1, %x : tensor<2x3xf32>, tensor<3xi1>, tensor<2x3xf32>
  }
})");
  ASSERT_TRUE(kernel) << kernel.error().str();
  std::vector<float> x = {1, 2, 3, 4, 5, 6}, y = {10, NAN, 30}, sum(6), copy(6);
  std::vector<int8_t> isNaN(3, 7);
  kernel->run({x.data(), y.data(), sum.data(), isNaN.data(), copy.data()});
  EXPECT_EQ(sum[0], 11);
  EXPECT_TRUE(std::isnan(sum[4]));
  EXPECT_EQ(sum[5], 36);
  EXPECT_THAT(isNaN, ElementsAre(0, 1, 0));
  EXPECT_EQ(copy, x);
}

TEST(CPUTarget, TensorsOfConstantsAreRead) {
  auto kernel = compileKernel(R"(
module @k {
  func.func @k(%x: tensor<4xf32>) -> tensor<4xf32> {
    %p = tandem.constant dense<[true, false, true, false]> : tensor<4xi1>
    %c = tandem.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
    %0 = tandem.select %p, %x, %c
        : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
})");
  ASSERT_TRUE(kernel) << kernel.error().str();
  std::vector<float> x = {10, 20, 30, 40}, y(4);
  kernel->run({x.data(), y.data()});
  EXPECT_THAT(y, ElementsAre(10, 2, 30, 4));
}

TEST(CPUTarget, LongLoopsAreShared) {
  auto kernel = compileKernel(R"(
module @k {
  func.func @k(%x: tensor<1000000xf32>) -> tensor<1000000xf32> {
    %0 = tandem.neg %x : tensor<1000000xf32>
    return %0 : tensor<1000000xf32>
  }
})");
  ASSERT_TRUE(kernel) << kernel.error().str();
  EXPECT_GT(kernel->kernel.extent / kernel->kernel.grain, 8);
}

TEST(CPUTarget, ThreadsCompileAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      auto kernel = compileKernel(scaleBy("2.0"));
      right += kernel && runScale(*kernel) == std::vector<float>{2, 4, 6};
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(right, 4);
}

TEST(CPUTarget, WhatIsNotElementalIsAnError) {
  auto kernel = compileKernel(R"(
module @k {
  func.func @k(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %0 = tandem.softmax %x axis = 1 : tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
})");
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.error().phase, "codegen");
}

TEST(CPUTarget, CorruptObjectsAreErrors) {
  Program program;
  auto kernel = std::make_unique<fb::KernelT>();
  kernel->name = "k";
  kernel->code = {1, 2, 3};
  program.kernels.push_back(std::move(kernel));
  auto loaded = loadCPUKernels(program);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().phase, "load");
  EXPECT_THAT(loaded.error().message, HasSubstr("k"));
}

TEST(CPUTarget, KernelsOfOtherTargetsAreErrors) {
  Program program;
  auto kernel = std::make_unique<fb::KernelT>();
  kernel->name = "k";
  kernel->target = KernelTarget::ptx;
  program.kernels.push_back(std::move(kernel));
  EXPECT_FALSE(loadCPUKernels(program));
}

/// The size of the object with an op on 256 halves, in bytes.
size_t objectBytes(const std::string &op) {
  auto kernel = compileKernel("module @k { func.func @k(%x: tensor<256xf16>) "
                              "-> tensor<256xf16> {\n%0 = tandem." +
                              op +
                              " %x : tensor<256xf16>\n"
                              "return %0 : tensor<256xf16>\n} }");
  EXPECT_TRUE(kernel) << kernel.error().str();
  return kernel ? kernel->kernel.code.size() : 0;
}

/// LLVM would round them one by one, with a few instructions for each.
TEST(CPUTarget, RoundsHalvesByVectors) {
  const size_t sqrt = objectBytes("sqrt");
  for (const char *op : {"floor", "ceil", "round"})
    EXPECT_LT(objectBytes(op), sqrt + 200) << op;
}

} // namespace
