//===- KernelSchedule.cpp - Sharing kernels out over threads --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadBody.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace tandem::conversion;

/// Below this many elements more threads are worth more than wider accesses.
static constexpr int64_t fewElements = 1024;

static LogicalResult verifyOperand(linalg::GenericOp op, OpOperand &operand,
                                   const KernelMemory &memory) {
  Value value = operand.get();
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (type && !type.hasStaticShape())
    return op.emitOpError("of a kernel must have static shapes; got ") << type;
  if (!op.isDpsInput(&operand) || !type)
    return success();
  if (!memory.operands.contains(value) && !memory.splats.contains(value))
    return op.emitOpError("reads operand #")
           << operand.getOperandNumber()
           << ", which is neither an argument of the kernel nor a constant of "
              "one value";
  return success();
}

LogicalResult tandem::conversion::verifyKernelOp(linalg::GenericOp op,
                                                 const KernelMemory &memory) {
  if (op.getNumParallelLoops() != op.getNumLoops())
    return op.emitOpError("of a kernel must have parallel iterators alone");
  if (!op.hasPureTensorSemantics())
    return op.emitOpError("of a kernel must be on tensors");
  for (OpOperand &operand : op->getOpOperands())
    if (failed(verifyOperand(op, operand, memory)))
      return failure();
  for (OpOperand &init : op.getDpsInitsMutable())
    if (op.payloadUsesValueFromOperand(&init))
      return op.emitOpError("of a kernel must not read its outputs");
  return success();
}

Schedule tandem::conversion::scheduleFor(linalg::GenericOp op, bool vectorize) {
  Schedule schedule;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  schedule.elements = ShapedType::getNumElements(sizes);
  bool inOrder = llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
    return op.getMatchingIndexingMap(&init).isIdentity();
  });
  if (!vectorize || !inOrder || schedule.elements < fewElements ||
      schedule.elements % vectorWidth != 0)
    return schedule;
  schedule.perThread = vectorWidth;
  schedule.alongInnermost = sizes.back() % vectorWidth == 0;
  return schedule;
}
