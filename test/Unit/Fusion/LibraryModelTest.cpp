//===- LibraryModelTest.cpp - What fusion asks about libraries ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlannedKernels.h"

#include "tandem/Runtime/Kernels/FusedContraction.h"

#include <gmock/gmock.h>

using namespace mlir;
using namespace tandem;
using testing::ElementsAre;

namespace {

/// A library whose calls end with at most some of an epilogue.
struct Library final : LibraryModel {
  llvm::StringRef name() const override { return "test"; }
  Status check(const FusedContraction &fused) const override {
    ++asked;
    EXPECT_EQ(fused.contraction.operands[2].shape, Shape{64});
    if (fused.activation != Activation::none && !hasRelu)
      return fail("library", "has no relu");
    if (fused.hasResidual && !hasResidual)
      return fail("library", "has no residual");
    return {};
  }

  bool hasRelu = true, hasResidual = true;
  mutable int asked = 0;
};

TEST(LibraryModelTest, ACallHasAsMuchOfTheEpilogueAsTheLibraryHas) {
  MLIRContext context;
  auto module = test::parse(context, R"(
func.func @main(%x: tensor<8x64xf32>, %w: tensor<64x64xf32>,
                %b: tensor<1x64xf32>, %r: tensor<8x64xf32>)
    -> tensor<8x64xf32> {
  %0 = tandem.matmul %x, %w
      : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
  %1 = tandem.add %0, %b
      : (tensor<8x64xf32>, tensor<1x64xf32>) -> tensor<8x64xf32>
  %2 = tandem.add %1, %r : tensor<8x64xf32>
  %3 = tandem.relu %2 : tensor<8x64xf32>
  return %3 : tensor<8x64xf32>
})");
  ASSERT_TRUE(module);
  Library library;
  FusionOptions options;
  options.libraries = &library;
  Block &body = test::bodyOf(*module);
  EXPECT_THAT(test::kernelsOf(body, options),
              ElementsAre("library: matmul add add relu"));
  EXPECT_EQ(library.asked, 1); // About all of it at once.
  library.hasRelu = false;
  EXPECT_THAT(test::kernelsOf(body, options),
              ElementsAre("library: matmul add add", "loop: relu"));
  library.hasResidual = false;
  EXPECT_THAT(test::kernelsOf(body, options),
              ElementsAre("library: matmul add", "loop: add relu"));
  options.libraries = nullptr;
  EXPECT_THAT(test::kernelsOf(body, options),
              ElementsAre("loop: add add relu"));
  FusionLog log;
  options.libraries = &library;
  planFusion(body, options, &log);
  EXPECT_TRUE(llvm::any_of(log, [](const FusionLogEntry &entry) {
    return entry.decision.reason() == FusionRefusal::NotInLibraryCall &&
           StringRef(entry.decision.str()).contains("has no relu");
  }));
}

} // namespace
