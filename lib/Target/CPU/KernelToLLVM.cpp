//===- KernelToLLVM.cpp - Kernels in the LLVM dialect ---------------------===//
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
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace tandem {
#define GEN_PASS_DEF_CPUKERNELTOLLVM
#include "tandem/Target/CPU/Passes.h.inc"
} // namespace tandem

namespace {

LogicalResult convertToLLVM(ModuleOp module) {
  MLIRContext *context = module.getContext();
  LowerToLLVMOptions options(context);
  options.useBarePtrCallConv = true;
  LLVMTypeConverter converter(context, options);
  RewritePatternSet patterns(context);
  populateSCFToControlFlowConversionPatterns(patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  index::populateIndexToLLVMConversionPatterns(converter, patterns);
  // What LLVM has an intrinsic for is better than a call of libm.
  populateMathToLLVMConversionPatterns(converter, patterns,
                                       /*approximateLog1p=*/false,
                                       /*benefit=*/2);
  populateMathToLibmConversionPatterns(patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
  populateFuncToLLVMConversionPatterns(converter, patterns);
  ub::populateUBToLLVMConversionPatterns(converter, patterns);
  LLVMConversionTarget target(*context);
  target.addLegalOp<ModuleOp>();
  return applyFullConversion(module, target, std::move(patterns));
}

/// Makes `body` internal, its pointers noalias, and adds the function of the
/// kernel ABI, which has its name and calls it.
void addEntryPoint(LLVM::LLVMFuncOp body, ArrayRef<int64_t> slots) {
  MLIRContext *context = body.getContext();
  OpBuilder builder(body);
  Location loc = body.getLoc();
  std::string name = body.getSymName().str();
  body.setSymName(name + ".body");
  body.setLinkage(LLVM::Linkage::Internal);
  for (size_t i = 0; i < slots.size(); ++i)
    body.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                    builder.getUnitAttr());

  Type pointer = LLVM::LLVMPointerType::get(context);
  Type i64 = builder.getI64Type();
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context),
                                          {pointer, i64, i64});
  auto entry = LLVM::LLVMFuncOp::create(builder, loc, name, type);
  Block *block = entry.addEntryBlock(builder);
  builder.setInsertionPointToStart(block);
  SmallVector<Value> operands;
  for (int64_t slot : slots) {
    Value address = LLVM::GEPOp::create(
        builder, loc, pointer, pointer, block->getArgument(0),
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(slot)});
    operands.push_back(LLVM::LoadOp::create(builder, loc, pointer, address));
  }
  operands.push_back(block->getArgument(1));
  operands.push_back(block->getArgument(2));
  LLVM::CallOp::create(builder, loc, body, operands);
  LLVM::ReturnOp::create(builder, loc, ValueRange());
}

struct KernelToLLVM : tandem::impl::CPUKernelToLLVMBase<KernelToLLVM> {
  void runOnOperation() override {
    SmallVector<std::pair<std::string, SmallVector<int64_t>>> kernels;
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (auto slots =
              func->getAttrOfType<DenseI64ArrayAttr>(tandem::kAbiSlotsAttr))
        kernels.emplace_back(func.getSymName().str(), slots.asArrayRef());
    if (failed(convertToLLVM(getOperation())))
      return signalPassFailure();
    for (auto &[name, slots] : kernels)
      addEntryPoint(getOperation().lookupSymbol<LLVM::LLVMFuncOp>(name), slots);
  }
};

} // namespace
