//===- KernelSchedule.cpp - The schedule of a kernel ----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelSchedule.h"

#include "tandem/Conversion/TandemToLinalg/ReductionStage.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tandem::codegen;

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

LogicalResult tandem::codegen::verifyKernelOp(linalg::GenericOp op,
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

namespace {
/// One of the loops of a kernel, and how it is divided among threads.
struct Loop {
  linalg::GenericOp op;
  std::optional<TransposeSchedule> transpose;
  LoopSchedule schedule;

  int64_t blocks(int64_t threads) const {
    return transpose ? transpose->blocks
                     : llvm::divideCeilSigned(schedule.elements,
                                              schedule.pointsPerBlock(threads));
  }
};
} // namespace

/// One loop for each op; the grid is as large as the largest of them needs.
static LogicalResult emitLoops(MappedKernel &kernel,
                               ArrayRef<linalg::GenericOp> ops) {
  const MappingOptions &options = kernel.options;
  kernel.threads = options.threads;
  SmallVector<Loop> loops;
  for (linalg::GenericOp op : ops) {
    loops.push_back({op, scheduleTranspose(op, kernel.memory, options),
                     scheduleLoop(op, kernel.memory, options)});
    kernel.blocks =
        std::max(kernel.blocks, loops.back().blocks(kernel.threads));
  }
  for (const Loop &loop : loops)
    if (failed(loop.transpose ? emitTranspose(kernel, loop.op, *loop.transpose)
                              : emitLoop(kernel, loop.op, loop.schedule)))
      return failure();
  return success();
}

static LogicalResult emitReductions(MappedKernel &kernel,
                                    ArrayRef<linalg::GenericOp> stages) {
  const KernelMemory &memory = kernel.memory;
  auto hasMemory = [&](Value value) {
    return memory.operands.contains(value) || memory.splats.contains(value) ||
           memory.results.contains(value);
  };
  for (auto [number, stage] : llvm::enumerate(stages))
    if (failed(tandem::verifyReductionStage(stage, stages.take_front(number),
                                            hasMemory)))
      return failure();
  linalg::GenericOp first = stages.front();
  unsigned numKept = first.getNumParallelLoops();
  unsigned contiguous =
      tandem::chooseContiguousLoop(stages, first.getNumLoops(), numKept);
  return contiguous < numKept ? emitColumnReductions(kernel, stages)
                              : emitRowReductions(kernel, stages, contiguous);
}

LogicalResult tandem::codegen::emitKernel(MappedKernel &kernel,
                                          Operation *contraction,
                                          ArrayRef<linalg::GenericOp> ops) {
  if (contraction)
    return emitContraction(kernel, contraction, ops);
  if (llvm::any_of(ops, [](linalg::GenericOp op) {
        return op.getNumReductionLoops() > 0;
      }))
    return emitReductions(kernel, ops);
  for (linalg::GenericOp op : ops)
    if (failed(verifyKernelOp(op, kernel.memory)))
      return failure();
  return emitLoops(kernel, ops);
}
