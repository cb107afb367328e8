//===- ExpandScalars.cpp - Math to polynomials ----------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Target/CPU/Passes.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/Affine/Transforms/Transforms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tandem {
#define GEN_PASS_DEF_CPUEXPANDSCALARS
#include "tandem/Target/CPU/Passes.h.inc"
} // namespace tandem

namespace {

struct ExpandScalars : tandem::impl::CPUExpandScalarsBase<ExpandScalars> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    populateMathPolynomialApproximationPatterns(set,
                                                [](StringRef) { return true; });
    math::populateExpansionPatterns(set, {"fpowi"});
    affine::populateAffineExpandIndexOpsPatterns(set);
    populateAffineToStdConversionPatterns(set);
    arith::populateCeilFloorDivExpandOpsPatterns(set);
    patterns = FrozenRewritePatternSet(std::move(set));
    return success();
  }

  void runOnOperation() override {
    if (failed(applyPatternsGreedily(getOperation(), patterns)))
      signalPassFailure();
  }

  FrozenRewritePatternSet patterns;
};

} // namespace
