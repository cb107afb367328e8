//===- DropStopGradients.cpp - Without stop_gradient ops ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/Transforms/Passes.h"

namespace tandem {
#define GEN_PASS_DEF_TANDEMDROPSTOPGRADIENTS
#include "tandem/Dialect/Tandem/Transforms/Passes.h.inc"

namespace {

struct DropStopGradientsPass
    : impl::TandemDropStopGradientsBase<DropStopGradientsPass> {
  void runOnOperation() override {
    getOperation()->walk([](ir::StopGradientOp op) {
      op.replaceAllUsesWith(op.getInput());
      op.erase();
    });
  }
};

} // namespace
} // namespace tandem
