//===- KernelFrame.cpp - What every kernel for the CPU is made of ---------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelFrame.h"

#include "Loop/WidenElements.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Target/CPU/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace tandem {

void KernelFrame::createBody(ArrayRef<InPlacePair> inPlace) {
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Type i64 = builder.getI64Type();
  unsigned numBuffers = kernel.getNumArguments() + kernel.getNumResults();
  SmallVector<Type> types(numBuffers, pointer);
  types.append({i64, i64});
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(builder.getContext()), types);
  body =
      LLVM::LLVMFuncOp::create(builder, loc, (kernel.getName() + ".body").str(),
                               type, LLVM::Linkage::Internal);
  llvm::SmallBitVector isShared(numBuffers);
  for (InPlacePair pair : inPlace) {
    isShared.set(pair.operand);
    isShared.set(kernel.getNumArguments() + pair.result);
  }
  for (unsigned i = 0; i < numBuffers; ++i) {
    if (i < kernel.getNumArguments())
      allowEarlyLoad(i);
    if (!isShared[i])
      body.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                      builder.getUnitAttr());
    body.setArgAttr(i,
                    i < kernel.getNumArguments()
                        ? LLVM::LLVMDialect::getReadonlyAttrName()
                        : LLVM::LLVMDialect::getWriteOnlyAttrName(),
                    builder.getUnitAttr());
  }
  scratch.setBody(body);
  // Its arguments' noalias would be lost by inlining.
  body.setNoInline(true);
  builder.setInsertionPointToStart(body.addEntryBlock(builder));
  begin = arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                     body.getArgument(numBuffers));
  end = arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                   body.getArgument(numBuffers + 1));
}

/// Marks an argument of one element as dereferenceable, so that LLVM may load
/// it ahead of the loops, which may have no iterations. Loads from larger
/// arguments are not hoisted, because their values would take registers from
/// the tiles.
void KernelFrame::allowEarlyLoad(unsigned argument) {
  auto type = cast<RankedTensorType>(kernel.getArgumentTypes()[argument]);
  if (type.getNumElements() != 1)
    return;
  auto bytes = builder.getI64IntegerAttr(
      llvm::divideCeil(type.getElementTypeBitWidth(), 8));
  for (StringRef attribute : {LLVM::LLVMDialect::getDereferenceableAttrName(),
                              LLVM::LLVMDialect::getAlignAttrName()})
    body.setArgAttr(argument, attribute, bytes);
}

/// The function that the runtime calls, with the arguments of KernelFn: loads
/// the pointers and calls the body.
void KernelFrame::createEntry() {
  enum { kArgs, kSizes, kWorkspace, kBegin, kEnd };
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Type i64 = builder.getI64Type();
  auto type =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()),
                                  {pointer, pointer, pointer, i64, i64});
  builder.setInsertionPointToEnd(module.getBody());
  auto entry = LLVM::LLVMFuncOp::create(builder, loc, kernel.getName(), type);
  builder.setInsertionPointToStart(entry.addEntryBlock(builder));
  SmallVector<Value> arguments;
  unsigned numBuffers = kernel.getNumArguments() + kernel.getNumResults();
  for (unsigned i = 0; i < numBuffers; ++i) {
    Value slot = LLVM::GEPOp::create(builder, loc, pointer, pointer,
                                     entry.getArgument(kArgs),
                                     ArrayRef<LLVM::GEPArg>(i));
    arguments.push_back(LLVM::LoadOp::create(builder, loc, pointer, slot));
  }
  arguments.append({entry.getArgument(kBegin), entry.getArgument(kEnd)});
  for (int64_t offset : scratch.getWorkspaceOffsets())
    arguments.push_back(
        LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(),
                            entry.getArgument(kWorkspace),
                            ArrayRef<LLVM::GEPArg>(int32_t(offset))));
  LLVM::CallOp::create(builder, loc, body, arguments);
  LLVM::ReturnOp::create(builder, loc, ValueRange());
}

Value KernelFrame::createGlobal(arith::ConstantOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  auto elements = cast<DenseElementsAttr>(op.getValue());
  Type elementType = type.getElementType();
  if (elementType.isInteger(1)) {
    // Truth values are bytes in memory.
    SmallVector<int8_t> bytes;
    for (bool value : elements.getValues<bool>())
      bytes.push_back(value);
    elementType = builder.getI8Type();
    elements = DenseElementsAttr::get(
        RankedTensorType::get(type.getShape(), elementType), ArrayRef(bytes));
  }
  auto flat = elements.reshape(
      RankedTensorType::get({type.getNumElements()}, elementType));
  OpBuilder atStart = OpBuilder::atBlockBegin(module.getBody());
  auto global = LLVM::GlobalOp::create(
      atStart, loc,
      LLVM::LLVMArrayType::get(elementType, type.getNumElements()),
      /*isConstant=*/true, LLVM::Linkage::Private,
      (kernel.getName() + ".constant" + Twine(numGlobals++)).str(), flat,
      /*alignment=*/64);
  return LLVM::AddressOfOp::create(builder, loc, global);
}

/// Follows a result to the op that computes it: a linalg.generic, or a tandem
/// op that is lowered whole.
LogicalResult KernelFrame::bindResult(Value result, Value pointer) {
  while (Operation *op = result.getDefiningOp()) {
    if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op)) {
      result = op->getOperand(0);
      continue;
    }
    if (!isa<linalg::GenericOp, ir::TandemOpInterface>(op))
      break;
    if (!pointers.try_emplace(result, pointer).second)
      return kernel.emitOpError("returns one result twice");
    return success();
  }
  return kernel.emitOpError("returns what no op of it computes");
}

LogicalResult KernelFrame::bindBuffers() {
  unsigned numArguments = kernel.getNumArguments();
  for (unsigned i = 0; i < numArguments; ++i)
    pointers[kernel.getArgument(i)] = body.getArgument(i);
  Operation *terminator = kernel.getBody().front().getTerminator();
  for (auto [i, result] : llvm::enumerate(terminator->getOperands()))
    if (failed(bindResult(result, body.getArgument(numArguments + i))))
      return failure();
  for (Operation &op : kernel.getBody().front()) {
    if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op)) {
      if (Value source = pointers.lookup(op.getOperand(0)))
        pointers[op.getResult(0)] = source;
    } else if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      if (isa<DenseElementsAttr>(constant.getValue()))
        pointers[constant] = createGlobal(constant);
    }
  }
  return success();
}

LogicalResult KernelFrame::open(ArrayRef<InPlacePair> inPlace) {
  if (!kernel.getBody().hasOneBlock())
    return kernel.emitOpError("is not one block");
  builder.setInsertionPointToEnd(module.getBody());
  createBody(inPlace);
  setInPlacePairs(module, inPlace);
  return bindBuffers();
}

LogicalResult KernelFrame::verifyBody(linalg::GenericOp op) const {
  auto isKnown = [&](Operation *inner) {
    if (auto extract = dyn_cast<tensor::ExtractOp>(inner))
      return pointers.contains(extract.getTensor());
    if (isa<arith::ArithDialect, math::MathDialect>(inner->getDialect()))
      return llvm::all_of(inner->getResultTypes(),
                          [](Type type) { return type.isIntOrIndexOrFloat(); });
    return isa<affine::AffineApplyOp, linalg::IndexOp, linalg::YieldOp,
               scf::IfOp, scf::YieldOp>(inner);
  };
  auto isInside = [&](Value value) {
    return op.getRegion().isAncestor(value.getParentRegion()) ||
           value.getDefiningOp<arith::ConstantOp>() ||
           isa<RankedTensorType>(value.getType());
  };
  WalkResult result = op.getBody()->walk([&](Operation *inner) {
    if (isKnown(inner) && llvm::all_of(inner->getOperands(), isInside))
      return WalkResult::advance();
    inner->emitOpError("has no place in the body of a kernel");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

linalg::GenericOp KernelFrame::widen(linalg::GenericOp op) {
  linalg::GenericOp wide = widenElements(op);
  if (!wide)
    return op;
  pointers[wide.getInputs().front()] = pointers.lookup(op.getInputs().front());
  pointers[wide.getResult(0)] = pointers.lookup(op.getResult(0));
  return wide;
}

/// Whether the caches would hold the operands and results of a kernel.
/// `streamedBytes` is the limit for one result; it was measured with two
/// operands as large as the result.
static bool fitsCaches(func::FuncOp kernel, int64_t streamedBytes) {
  int64_t bytes = 0;
  FunctionType type = kernel.getFunctionType();
  for (Type of : llvm::concat<const Type>(type.getInputs(), type.getResults()))
    bytes += ir::toTandemType(cast<RankedTensorType>(of)).bytes();
  return bytes / 3 < streamedBytes;
}

bool KernelFrame::streamResult(RankedTensorType type, int64_t lanes,
                               int64_t rowSize) {
  int64_t bytes = (type.getElementTypeBitWidth() + 7) / 8;
  bool isStreamed = type.getNumElements() * bytes >= streamedBytes &&
                    !fitsCaches(kernel, streamedBytes) &&
                    lanes * bytes % kStreamAlignment == 0 &&
                    rowSize * bytes % kStreamAlignment == 0;
  streams |= isStreamed;
  return isStreamed;
}

void KernelFrame::close(int64_t extent, int64_t grain, StringRef form) {
  if (streams)
    LLVM::FenceOp::create(builder, loc, LLVM::AtomicOrdering::seq_cst,
                          StringRef());
  LLVM::ReturnOp::create(builder, loc, ValueRange());
  createEntry();
  module->setAttr(kExtentAttrName, builder.getI64IntegerAttr(extent));
  module->setAttr(kGrainAttrName, builder.getI64IntegerAttr(grain));
  if (int64_t bytes = scratch.getWorkspaceBytes())
    module->setAttr(kWorkspaceAttrName, builder.getI64IntegerAttr(bytes));
  module->setAttr(kFormAttrName, builder.getStringAttr(form));
  if (kernel.getNumResults() > 0) {
    std::string dtype;
    llvm::raw_string_ostream(dtype)
        << getElementTypeOrSelf(kernel.getResultTypes()[0]);
    module->setAttr(kDTypeAttrName, builder.getStringAttr(dtype));
  }
  kernel.erase();
}

} // namespace tandem
