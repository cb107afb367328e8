//===- OutlineLoops.cpp - tandem-outline-loops ----------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Dialect/Tandem/Transforms/Passes.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

namespace tandem {
#define GEN_PASS_DEF_TANDEMOUTLINELOOPS
#include "tandem/Dialect/Tandem/Transforms/Passes.h.inc"
} // namespace tandem

using namespace mlir;

namespace tandem {
namespace {

/// Makes a function of the body of `loop`, which moves there.
func::FuncOp outline(ir::LoopOp loop, SymbolTable &symbols, StringRef caller) {
  OpBuilder builder(loop.getContext());
  ir::YieldOp yield = loop.getYield();
  auto function = func::FuncOp::create(
      loop.getLoc(), (caller + "_loop_0").str(),
      builder.getFunctionType(loop.getBody().getArgumentTypes(),
                              yield->getOperandTypes()));
  function.setPrivate();
  builder.setInsertionPoint(yield);
  func::ReturnOp::create(builder, yield.getLoc(), yield.getValues());
  yield.erase();
  function.getBody().takeBody(loop.getBody());
  symbols.insert(function);
  return function;
}

struct OutlineLoopsPass : impl::TandemOutlineLoopsBase<OutlineLoopsPass> {
  void runOnOperation() override {
    // Inner loops first: what is left of them then moves with the outer body.
    SmallVector<ir::LoopOp> loops;
    getOperation().walk<WalkOrder::PostOrder>(
        [&](ir::LoopOp loop) { loops.push_back(loop); });
    if (loops.empty())
      return markAllAnalysesPreserved();
    SymbolTable symbols(getOperation());
    for (ir::LoopOp loop : loops) {
      auto caller = loop->getParentOfType<func::FuncOp>();
      func::FuncOp body = outline(loop, symbols, caller.getName());
      OpBuilder builder(loop);
      auto run = ir::RunLoopOp::create(
          builder, loop.getLoc(), loop->getResultTypes(),
          FlatSymbolRefAttr::get(body.getSymNameAttr()), loop.getCarried(),
          loop.getScanned(), loop.getFixed(), loop.getTripsAttr(),
          loop.getReversedAttr());
      loop->replaceAllUsesWith(run);
      loop->erase();
    }
  }
};

} // namespace
} // namespace tandem
