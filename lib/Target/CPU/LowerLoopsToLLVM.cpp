//===- LowerLoopsToLLVM.cpp - Vector loops to the LLVM dialect ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Target/CPU/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tandem {
#define GEN_PASS_DEF_LOWERLOOPSTOLLVM
#include "tandem/Target/CPU/Passes.h.inc"

/// Converts math ops to calls of libm for which MLIR's expansions lose digits,
/// or for which there is none (erf).
static LogicalResult lowerToLibm(ModuleOp module) {
  bool isNeeded = false;
  module.walk([&](Operation *op) {
    isNeeded |= isa<math::ExpM1Op, math::Log1pOp, math::ErfOp>(op);
  });
  if (!isNeeded)
    return success();
  ConversionTarget target(*module.getContext());
  target.addIllegalOp<math::ExpM1Op, math::Log1pOp, math::ErfOp>();
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  RewritePatternSet patterns(module.getContext());
  populateMathToLibmConversionPatterns(patterns);
  return applyPartialConversion(module, target, std::move(patterns));
}

namespace {
struct LowerLoopsToLLVMPass : impl::LowerLoopsToLLVMBase<LowerLoopsToLLVMPass> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    if (failed(lowerToLibm(getOperation())))
      return signalPassFailure();
    LLVMTypeConverter converter(context);
    RewritePatternSet patterns(context);
    populateSCFToControlFlowConversionPatterns(patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    populateMathToLLVMConversionPatterns(converter, patterns);
    populateMathToLibmConversionPatterns(patterns, /*benefit=*/0);
    populateVectorToLLVMConversionPatterns(converter, patterns);
    populateFuncToLLVMConversionPatterns(converter, patterns);
    LLVMConversionTarget target(*context);
    target.addLegalOp<ModuleOp>();
    if (failed(
            applyFullConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace

} // namespace tandem
