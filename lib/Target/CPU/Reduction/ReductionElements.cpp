//===- ReductionElements.cpp - What reductions compute in their loops -----===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loop/Schedule.h"
#include "Reduction/ReductionLowering.h"
#include "Reduction/VectorReduction.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tandem {

/// One row, or some columns, from the first stage to the last.
void ReductionLowering::emitStages(ArrayRef<Value> kept, Lanes lanes) {
  for (linalg::GenericOp stage : stages) {
    SmallVector<Value> loops(kept);
    if (isReduction(stage))
      emitReduction(stage, kept, lanes);
    else if (hasAllLoops(stage))
      emitReducedLoops(stage, loops, lanes, {});
    else
      emitBody(stage, loops, lanes, {});
  }
}

void ReductionLowering::emitReduction(linalg::GenericOp stage,
                                      ArrayRef<Value> kept, Lanes lanes) {
  unsigned numCombined = llvm::count_if(stage.getDpsInitsMutable(), combines);
  SmallVector<Value> loops(kept);
  auto createNeutrals = [&](int64_t count) {
    Carried neutrals;
    for (unsigned i = 0; i < numCombined; ++i)
      neutrals.push_back(createNeutral(builder, stage, i, count));
    return neutrals;
  };
  planParts(stage);
  if (schedule.isByColumns()) {
    Carried result =
        emitReducedLoops(stage, loops, lanes, createNeutrals(lanes.count));
    for (unsigned i = 0; i < numCombined; ++i)
      reduced[stage->getResult(i)] = result[i];
    return;
  }
  int64_t wide = schedule.getRowLanes(stage);
  int64_t size = schedule.sizes[schedule.laneLoop];
  Carried neutrals = createNeutrals(wide);
  llvm::append_range(neutrals, createNeutrals(schedule.width));
  Carried result = emitReducedLoops(stage, loops, lanes, neutrals);
  for (unsigned i = 0; i < numCombined; ++i) {
    Value main = result[i], tail = result[numCombined + i];
    if (size < wide)
      main = tail;
    else
      main = fold(builder, stage, i, main, schedule.width);
    if (size >= wide && size % wide != 0)
      main = combine(builder, stage, i, main, tail);
    reduced[stage->getResult(i)] = fold(builder, stage, i, main, 1);
  }
}

/// The body for some lanes: gives the new accumulators, stores what is not one.
ReductionLowering::Carried
ReductionLowering::emitBody(linalg::GenericOp stage, ArrayRef<Value> loops,
                            Lanes lanes, ValueRange accumulators) {
  auto getBuffer = [&](Value tensor) { return KernelFrame::getBuffer(tensor); };
  LaneEmitter emitter(builder, loc, lanes.count, loops, lanes.mask, getBuffer,
                      schedule.laneLoop);
  if (schedule.isByColumns() && !accumulators.empty() && !lanes.mask)
    prefetchAhead(stage, loops, lanes);
  for (OpOperand *input : stage.getDpsInputOperands()) {
    BlockArgument argument = stage.getMatchingBlockArgument(input);
    if (Value value = reduced.lookup(input->get()))
      emitter.bindValue(argument, value);
    else if (auto row = rows.find(input->get()); row != rows.end())
      emitter.bindInput(argument,
                        getRowPointer(row->second, loops, lanes.count));
  }
  for (auto [argument, value] :
       llvm::zip(stage.getRegionOutputArgs(), accumulators))
    emitter.bindValue(argument, value);
  SmallVector<LaneValue> elements = emitter.emitElements(stage);
  Carried result;
  for (auto [number, element] : llvm::enumerate(elements)) {
    if (number >= accumulators.size()) {
      storeElement(emitter, stage, number, loops, lanes, element);
      continue;
    }
    Value next = emitter.toVector(element);
    // Masked columns are not stored, so only the elements of a row must be
    // masked here.
    if (lanes.mask && !schedule.isByColumns())
      next = arith::SelectOp::create(builder, loc, lanes.mask, next,
                                     accumulators[number]);
    result.push_back(next);
  }
  return result;
}

/// How far ahead columns are prefetched, in bytes of an operand: the memory's
/// bandwidth for a core, some tens of bytes per ns, times its latency of about
/// 100 ns (Little's law).
static constexpr int64_t kBytesAhead = 4096;

/// Prefetches if the kernel runs by columns: the hardware prefetcher does not
/// detect the steps from row to row. Operands are prefetched in the order in
/// which they are read: the rest of the current columns, and then the next
/// ones.
void ReductionLowering::prefetchAhead(linalg::GenericOp stage,
                                      ArrayRef<Value> loops, Lanes lanes) {
  if (schedule.sizes.size() != schedule.numKept + 1)
    return;
  const int64_t numRows = schedule.sizes.back(),
                lastColumn = schedule.sizes[schedule.laneLoop] - lanes.count;
  auto getBuffer = [&](Value tensor) { return KernelFrame::getBuffer(tensor); };
  for (OpOperand *input : stage.getDpsInputOperands()) {
    AffineMap map = stage.getMatchingIndexingMap(input);
    auto type = dyn_cast<RankedTensorType>(input->get().getType());
    if (!type || map.getNumResults() < loops.size() ||
        rows.contains(input->get()) || llvm::any_of(stages, [&](auto other) {
          return other->isBeforeInBlock(stage) &&
                 llvm::is_contained(other->getOperands(), input->get());
        }))
      continue;
    const int64_t bytes =
        lanes.count * llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    const int64_t ahead = llvm::divideCeil(kBytesAhead, bytes);
    IndexBuilder indices(builder, loc);
    Value row = indices.add(loops.back(), ahead);
    Value later = row;
    row = indices.delinearizeInnermost(later, numRows);
    Value column = indices.add(loops[schedule.laneLoop],
                               indices.scale(later, lanes.count));
    SmallVector<Value> next(loops);
    next.back() = row;
    next[schedule.laneLoop] = indices.atMost(column, lastColumn);
    LaneEmitter(builder, loc, lanes.count, next, /*tailMask=*/{}, getBuffer,
                schedule.laneLoop)
        .prefetchInput(stage, input);
  }
}

void ReductionLowering::storeElement(LaneEmitter &emitter,
                                     linalg::GenericOp stage, unsigned number,
                                     ArrayRef<Value> loops, Lanes lanes,
                                     LaneValue element) {
  OpResult result = stage->getResult(number);
  if (auto row = rows.find(result); row != rows.end()) {
    // There is room for whole vectors.
    LLVM::StoreOp::create(
        builder, loc, emitter.toVector(element),
        getRowPointer(row->second, loops, lanes.count),
        cast<RankedTensorType>(result.getType()).getElementTypeBitWidth() / 8);
    return;
  }
  AffineMap map = stage.getMatchingIndexingMap(stage.getDpsInitOperand(number));
  emitter.store(getBuffer(result), map, element, isStreamed(result, lanes));
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

bool ReductionLowering::isStreamed(OpResult result, Lanes lanes) {
  return !lanes.mask &&
         hasAllLoops(cast<linalg::GenericOp>(result.getOwner())) &&
         streamResult(cast<RankedTensorType>(result.getType()), lanes.count,
                      schedule.sizes[schedule.laneLoop]);
}

//===----------------------------------------------------------------------===//
// Rows between stages
//===----------------------------------------------------------------------===//

void ReductionLowering::allocateRows() {
  int64_t elements = schedule.isByColumns() ? schedule.lanes : 1;
  for (int64_t size : ArrayRef(schedule.sizes).drop_front(schedule.numKept))
    elements *= size;
  // The last vector of a row may be partly behind it.
  elements += 4 * schedule.width;
  for (linalg::GenericOp stage : stages)
    for (OpResult result : stage->getResults()) {
      auto type = cast<RankedTensorType>(result.getType());
      if (!isReduction(stage) ||
          type.getRank() < static_cast<int64_t>(stage.getNumLoops()))
        continue;
      Type elementType = type.getElementType();
      rows[result] = {scratch.allocate(elementType, elements), elementType};
    }
}

/// Returns the address of the lanes at `loops`. The order is row-major in the
/// reduced loops, with the one along the lanes, or the columns, last.
Value ReductionLowering::getRowPointer(RowBuffer row, ArrayRef<Value> loops,
                                       int64_t lanes) {
  int64_t stride =
      schedule.isByColumns() ? lanes : schedule.sizes[schedule.laneLoop];
  Value offset = schedule.isByColumns() ? index(0) : loops[schedule.laneLoop];
  for (unsigned loop = loops.size(); loop-- > schedule.numKept;) {
    if (loop == schedule.laneLoop)
      continue;
    Value term = arith::MulIOp::create(builder, loc, loops[loop], index(stride),
                                       arith::IntegerOverflowFlags::nsw);
    offset = arith::AddIOp::create(builder, loc, offset, term,
                                   arith::IntegerOverflowFlags::nsw);
    stride *= schedule.sizes[loop];
  }
  offset =
      arith::IndexCastOp::create(builder, loc, builder.getI64Type(), offset);
  return LLVM::GEPOp::create(
      builder, loc, row.pointer.getType(), row.elementType, row.pointer,
      ArrayRef<LLVM::GEPArg>{offset}, LLVM::GEPNoWrapFlags::inbounds);
}

} // namespace tandem
