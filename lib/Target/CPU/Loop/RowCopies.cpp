//===- RowCopies.cpp - Rows that are only moved ---------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loop/RowCopies.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace tandem {

/// The least number of bytes for which a call of memcpy is faster than vectors,
/// and than vectors that hold several short rows, which take masks.
static constexpr int64_t kLeastCopiedBytes = 1024, kLeastFoldedBytes = 512;

static int64_t getElementBytes(Value tensor) {
  return llvm::divideCeil(getElementTypeOrSelf(tensor).getIntOrFloatBitWidth(),
                          8);
}

/// The element that is yielded as it is, past the branches that are known to be
/// taken; null where there is none.
static Value findElement(Value yielded, const KnownConditions &known) {
  Value value = yielded;
  // Halves are widened and narrowed again.
  if (auto narrowed = value.getDefiningOp<arith::TruncFOp>())
    value = narrowed.getIn();
  while (auto branch = value.getDefiningOp<scf::IfOp>()) {
    std::optional<bool> taken = evaluateCondition(branch.getCondition(), known);
    if (!taken)
      return {};
    auto yield = *taken ? branch.thenYield() : branch.elseYield();
    value = yield.getOperand(cast<OpResult>(value).getResultNumber());
  }
  if (auto widened = value.getDefiningOp<arith::ExtFOp>())
    value = widened.getIn();
  return value.getType() == yielded.getType() ? value : Value();
}

/// By how many elements the address grows with a loop, where that is constant.
static std::optional<int64_t> getStep(Value element, linalg::GenericOp op,
                                      unsigned loop) {
  SmallVector<std::optional<int64_t>> steps;
  RankedTensorType type;
  if (auto extract = element.getDefiningOp<tensor::ExtractOp>()) {
    type = extract.getTensor().getType();
    for (Value index : extract.getIndices())
      steps.push_back(getStepOfIndex(index, loop, op));
  } else if (auto argument = dyn_cast<BlockArgument>(element);
             argument && argument.getOwner() == op.getBody()) {
    OpOperand &operand = op->getOpOperand(argument.getArgNumber());
    type = dyn_cast<RankedTensorType>(operand.get().getType());
    for (AffineExpr index : op.getMatchingIndexingMap(&operand).getResults())
      steps.push_back(getStepOfExpr(index, loop, op.getNumLoops()));
  }
  if (!type || llvm::is_contained(steps, std::nullopt))
    return std::nullopt;
  int64_t sum = 0, stride = 1;
  for (auto [step, size] :
       llvm::zip(llvm::reverse(steps), llvm::reverse(type.getShape()))) {
    sum += *step * stride;
    stride *= size;
  }
  return sum;
}

bool copiesRows(linalg::GenericOp op, unsigned first, int64_t size,
                const KnownConditions &known) {
  const bool isFolded = first + 1 < op.getNumLoops();
  auto isLong = [&](Value result) {
    return size * getElementBytes(result) >=
           (isFolded ? kLeastFoldedBytes : kLeastCopiedBytes);
  };
  if (op.getNumLoops() == 0 || !llvm::all_of(op.getResults(), isLong))
    return false;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  auto isCopied = [&](Value yielded) {
    Value element = findElement(yielded, known);
    int64_t step = 1;
    for (unsigned loop = sizes.size(); element && loop-- > first;) {
      if (getStep(element, op, loop) != step)
        return false;
      step *= sizes[loop];
    }
    return static_cast<bool>(element);
  };
  return llvm::all_of(op.getBody()->getTerminator()->getOperands(), isCopied);
}

/// The address from which a scalar that LaneEmitter emitted was loaded.
static Value getLoadedAddress(Value scalar) {
  // Memory holds bf16 and i1 otherwise.
  while (isa_and_nonnull<arith::TruncFOp, arith::ExtFOp, arith::BitcastOp,
                         arith::CmpIOp>(scalar.getDefiningOp()))
    scalar = scalar.getDefiningOp()->getOperand(0);
  auto load = scalar.getDefiningOp<LLVM::LoadOp>();
  return load ? load.getAddr() : Value();
}

void emitRowCopies(OpBuilder &builder, LaneEmitter &emitter,
                   linalg::GenericOp op, Value length, int64_t inner,
                   function_ref<Buffer(Value)> getBuffer) {
  Location loc = op.getLoc();
  IndexBuilder at(builder, loc);
  for (auto [result, element] :
       llvm::zip_equal(op.getResults(), emitter.emitElements(op))) {
    Value bytes = arith::IndexCastOp::create(
        builder, loc, builder.getI64Type(),
        at.scale(length, inner * getElementBytes(result)));
    LLVM::MemcpyOp::create(builder, loc, emitter.getAddress(getBuffer(result)),
                           getLoadedAddress(element.value), bytes,
                           /*isVolatile=*/false);
  }
}

} // namespace tandem
