//===- Simplify.cpp - tandem-simplify -------------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Dialect/Tandem/Transforms/Passes.h"

#include "SimplifyPatterns.h"

#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tandem {
#define GEN_PASS_DEF_TANDEMSIMPLIFY
#include "tandem/Dialect/Tandem/Transforms/Passes.h.inc"
} // namespace tandem

using namespace mlir;

namespace tandem {
namespace {

struct SimplifyPass : impl::TandemSimplifyBase<SimplifyPass> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    populateSimplifyPatterns(set);
    patterns = FrozenRewritePatternSet(std::move(set));
    return success();
  }

  void runOnOperation() override {
    Operation *root = getOperation();
    // The ops form a graph in order: one walk from the top sees operands
    // simplified before their users.
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal(true);
    if (failed(applyPatternsGreedily(root, patterns, config)))
      root->emitWarning("simplification did not come to an end");
    IRRewriter rewriter(root->getContext());
    DominanceInfo dominance(root);
    eliminateCommonSubExpressions(rewriter, dominance, root);
  }

private:
  FrozenRewritePatternSet patterns;
};

} // namespace

void populateSimplifyPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  populateBatchNormPatterns(patterns);
  populateTransposePatterns(patterns);
  populatePoolPatterns(patterns);
  auto *dialect = context->getLoadedDialect<ir::TandemDialect>();
  dialect->getCanonicalizationPatterns(patterns);
  for (RegisteredOperationName op : context->getRegisteredOperations())
    if (&op.getDialect() == dialect)
      op.getCanonicalizationPatterns(patterns, context);
}

} // namespace tandem
