//===- TandemToLinalg.cpp - Kernels of tandem ops to linalg ---------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Conversion/TandemToLinalg/TandemToLinalg.h"

#include "KernelKinds.h"

#include "tandem/Analysis/PassDevice.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/ValueTypes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace tandem {
#define GEN_PASS_DEF_CONVERTTANDEMTOLINALG
#include "tandem/Conversion/TandemToLinalg/Passes.h.inc"

/// The same tensor type with elements that have no sign, as linalg, arith and
/// what follows want them.
static RankedTensorType getSignless(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  Type element = tensor.getElementType();
  return element.isUnsignedInteger()
             ? cast<RankedTensorType>(tensor.clone(getComputeType(element)))
             : tensor;
}

/// The elements as those of `type`, which has the same bits.
static TypedAttr getSignless(ElementsAttr elements, RankedTensorType type) {
  if (auto dense = dyn_cast<DenseElementsAttr>(elements))
    return dense.bitcast(type.getElementType());
  auto resource = cast<DenseResourceElementsAttr>(elements);
  return DenseResourceElementsAttr::get(type, resource.getRawHandle());
}

/// `value` with elements of another type of their size.
static Value bitcast(OpBuilder &builder, Value value, Type element) {
  return ir::BitcastOp::create(builder, value.getLoc(), value, element);
}

/// Takes and gives unsigned integers as signless ones: the kernel's arguments
/// and results change type, the ops between them keep theirs and know the sign.
static void convertSignature(func::FuncOp kernel) {
  Block &body = kernel.getBody().front();
  OpBuilder builder(kernel.getContext());
  builder.setInsertionPointToStart(&body);
  for (BlockArgument argument : body.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || getSignless(type) == type)
      continue;
    argument.setType(getSignless(type));
    Value cast = bitcast(builder, argument, type.getElementType());
    argument.replaceAllUsesExcept(cast, cast.getDefiningOp());
  }
  Operation *terminator = body.getTerminator();
  builder.setInsertionPoint(terminator);
  for (OpOperand &result : terminator->getOpOperands())
    if (RankedTensorType type = getSignless(result.get().getType());
        type != result.get().getType())
      result.set(bitcast(builder, result.get(), type.getElementType()));
  kernel.setFunctionType(builder.getFunctionType(
      body.getArgumentTypes(), terminator->getOperandTypes()));
}

/// Constants that are not one value repeated stay tensors, to be read.
static void convertConstants(func::FuncOp kernel) {
  OpBuilder builder(kernel.getContext());
  for (auto op : llvm::make_early_inc_range(
           kernel.getBody().front().getOps<ir::ConstantOp>())) {
    if (op.getValue().isSplat())
      continue;
    builder.setInsertionPoint(op);
    auto type = cast<RankedTensorType>(op.getType());
    Value constant = arith::ConstantOp::create(
        builder, op.getLoc(),
        getSignless(cast<ElementsAttr>(op.getValue()), getSignless(type)));
    if (constant.getType() != type)
      constant = bitcast(builder, constant, type.getElementType());
    op.getResult().replaceAllUsesWith(constant);
    op.erase();
  }
}

/// The kind of the module that holds the kernel.
static ir::FusionKind getKernelKind(func::FuncOp kernel) {
  auto kind = kernel->getParentOp()->getAttrOfType<ir::FusionKindAttr>(
      ir::TandemDialect::kKindAttrName);
  return kind ? kind.getValue() : ir::FusionKind::loop;
}

static LogicalResult verifyStatic(func::FuncOp kernel) {
  WalkResult result = kernel.walk([](Operation *op) {
    auto isStatic = [](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return !tensor || tensor.hasStaticShape();
    };
    if (llvm::all_of(op->getOperandTypes(), isStatic) &&
        llvm::all_of(op->getResultTypes(), isStatic))
      return WalkResult::advance();
    op->emitOpError("has a type that is not static");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

static LogicalResult emitKernel(func::FuncOp kernel,
                                const DeviceModel &device) {
  switch (getKernelKind(kernel)) {
  case ir::FusionKind::loop:
    return emitLoopKernel(kernel);
  case ir::FusionKind::reduction:
    return emitReductionKernel(kernel, device.keptBytes());
  case ir::FusionKind::contraction:
    return emitContractionKernel(kernel);
  case ir::FusionKind::library:
    return kernel.emitError("no kernel is generated for a library's call");
  }
}

LogicalResult convertKernelToLinalg(func::FuncOp kernel,
                                    const DeviceModel &device) {
  if (!kernel.getBody().hasOneBlock())
    return kernel.emitOpError("is not one block");
  if (failed(verifyStatic(kernel)))
    return failure();
  convertSignature(kernel);
  convertConstants(kernel);
  if (failed(emitKernel(kernel, device)))
    return failure();
  SmallVector<Operation *> ops;
  for (Operation &op : kernel.getBody().front().without_terminator())
    ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op))
      op->erase();
  return success();
}

namespace {
struct ConvertTandemToLinalgPass
    : impl::ConvertTandemToLinalgBase<ConvertTandemToLinalgPass> {
  using ConvertTandemToLinalgBase::ConvertTandemToLinalgBase;

  LogicalResult initialize(MLIRContext *context) override {
    return readDevice(context, deviceSpec.getValue(), device);
  }
  void runOnOperation() override {
    if (failed(convertKernelToLinalg(getOperation(), device)))
      signalPassFailure();
  }

private:
  DeviceModel device;
};
} // namespace

LogicalResult lowerKernelToLinalg(ModuleOp kernel,
                                  const std::string &deviceSpec) {
  PassManager passes(kernel.getContext(), ModuleOp::getOperationName());
  passes.enableVerifier(false); // The target verifies what it makes of it.
  ConvertTandemToLinalgOptions options;
  options.deviceSpec = deviceSpec;
  passes.addNestedPass<func::FuncOp>(createConvertTandemToLinalg(options));
  return passes.run(kernel);
}

} // namespace tandem
