//===- CompileKernelTest.cpp - Kernel modules to CUDA C++ and PTX ---------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Dialect/Tandem/IR/TandemDialect.h"
#include "tandem/Runtime/Libraries/NVRTC.h"
#include "tandem/Target/CUDA/CUDATarget.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include <gmock/gmock.h>

using namespace tandem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

namespace {

class CompileKernel : public testing::Test {
protected:
  CompileKernel() {
    mlir::DialectRegistry registry;
    registry.insert<ir::TandemDialect>();
    registerCUDATargetDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  Expected<fb::KernelT> compile(const std::string &body,
                                const CUDATargetOptions &options = {}) {
    kernel = mlir::parseSourceString<mlir::ModuleOp>(
        "module @k attributes {tandem.kernel} {\n"
        "  func.func @k(%x: tensor<33x31xf32>) -> tensor<33x31xf32> {\n" +
            body +
            "    return %r : tensor<33x31xf32>\n"
            "  }\n"
            "}\n",
        &context);
    return compileKernelForCUDA(*kernel, options, times);
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> kernel;
  PhaseTimes times;
};

constexpr const char *kExp = "    %r = tandem.exp %x : tensor<33x31xf32>\n";

std::string codeOf(const fb::KernelT &kernel) {
  return std::string(kernel.code.begin(), kernel.code.end());
}

TEST_F(CompileKernel, SourceComesWithItsLaunch) {
  Expected<fb::KernelT> result = compile(kExp);
  ASSERT_TRUE(result) << result.error().str();
  EXPECT_EQ(result->name, "k");
  EXPECT_EQ(result->target, KernelTarget::cuda_source);
  // 1023 elements, which is no multiple of four.
  EXPECT_EQ(result->extent, 4);
  EXPECT_EQ(result->block->x(), 256u);
  EXPECT_THAT(codeOf(*result), HasSubstr("__global__ void k("));
  ASSERT_EQ(times.phases().size(), 2u);
  EXPECT_EQ(times.phases()[0].phase, "linalg");
  EXPECT_EQ(times.phases()[1].phase, "codegen");
}

TEST_F(CompileKernel, PTXIsForTheGPUOfTheOptions) {
  if (!nvrtcVersion())
    GTEST_SKIP() << nvrtcVersion().error().str();
  Expected<fb::KernelT> result =
      compile(kExp, {.gpu = "a100", .form = KernelTarget::ptx});
  ASSERT_TRUE(result) << result.error().str();
  EXPECT_EQ(result->target, KernelTarget::ptx);
  EXPECT_EQ(result->extent, 4);
  EXPECT_THAT(codeOf(*result), HasSubstr(".target sm_80"));
}

TEST_F(CompileKernel, SeveralBecomeOneCubin) {
  if (!nvrtcVersion())
    GTEST_SKIP() << nvrtcVersion().error().str();
  // Both declare `maximum`, one a half type, too.
  std::string relu = "    %r = tandem.relu %x : tensor<33x31xf32>\n";
  std::string rounded =
      "    %h = tandem.cast %x : (tensor<33x31xf32>) -> tensor<33x31xbf16>\n"
      "    %m = tandem.relu %h : tensor<33x31xbf16>\n"
      "    %r = tandem.cast %m : (tensor<33x31xbf16>) -> tensor<33x31xf32>\n";
  Expected<fb::KernelT> first = compile(relu), second = compile(rounded);
  ASSERT_TRUE(first && second);
  const std::string source = codeOf(*first);
  KernelListing listings[2];
  Status status = assembleCubin({&*first, &*second}, "sm_90", listings);
  ASSERT_TRUE(status) << status.error().str();
  EXPECT_EQ(first->target, KernelTarget::cubin);
  EXPECT_EQ(codeOf(*first), codeOf(*second));
  EXPECT_THAT(codeOf(*first), HasSubstr("ELF"));
  EXPECT_EQ(first->symbol, "k_0");
  EXPECT_EQ(second->symbol, "k_1");
  EXPECT_THAT(codeOf(*first), HasSubstr(".text.k_1"));
  EXPECT_EQ(listings[0].source, source);
  EXPECT_THAT(listings[0].assembly,
              AllOf(HasSubstr(".target sm_90"), HasSubstr(".entry k_0("),
                    Not(HasSubstr("k_1"))));
  EXPECT_THAT(listings[1].assembly, HasSubstr(".entry k_1("));
  for (const KernelListing &listing : listings) {
    EXPECT_GT(listing.registers, 0);
    EXPECT_EQ(listing.spillBytes, 0);
    EXPECT_EQ(listing.sharedBytes, 0);
  }
}

TEST_F(CompileKernel, AnUnknownGPUIsAnError) {
  Expected<fb::KernelT> result =
      compile(kExp, {.gpu = "tpu", .form = KernelTarget::ptx});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().phase, "codegen");
  EXPECT_THAT(result.error().message, HasSubstr("no GPU 'tpu'"));
}

TEST_F(CompileKernel, WhatIsNotElementalIsAnError) {
  std::string diagnosed;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &d) {
    diagnosed = d.str();
    return mlir::success();
  });
  Expected<fb::KernelT> result =
      compile("    %r = tandem.softmax %x axis = 1 : tensor<33x31xf32>\n");
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("kernel 'k'"));
  EXPECT_THAT(diagnosed, HasSubstr("cannot be emitted elementally"));
}

} // namespace
