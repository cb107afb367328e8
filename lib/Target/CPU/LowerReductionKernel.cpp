//===- LowerReductionKernel.cpp - Reductions to vector loops --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Target/CPU/Passes.h"

#include "InPlace.h"
#include "KernelLowerings.h"
#include "ReductionLowering.h"
#include "ReductionStage.h"
#include "Schedule.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tandem {

//===----------------------------------------------------------------------===//
// What phase `linalg` promises
//===----------------------------------------------------------------------===//

LogicalResult ReductionLowering::verifyStage(linalg::GenericOp stage) {
  if (llvm::is_contained(stage.getStaticLoopRanges(), ShapedType::kDynamic))
    return stage.emitOpError("has a loop of unknown size");
  linalg::GenericOp first = stages.empty() ? stage : stages.front();
  SmallVector<int64_t> all = first.getStaticLoopRanges();
  SmallVector<int64_t> own = stage.getStaticLoopRanges();
  unsigned numKept = first.getNumParallelLoops();
  bool isWhole = own == all;
  bool isOfRows = ArrayRef(own) == ArrayRef(all).take_front(numKept);
  auto iterators = stage.getIteratorTypesArray();
  bool reducesLast = llvm::all_of(llvm::enumerate(iterators), [&](auto item) {
    return (item.value() == utils::IteratorType::parallel) ==
           (item.index() < numKept);
  });
  if (!isWhole && !isOfRows)
    return stage.emitOpError("has other loops than the kernel's first op");
  if (isReduction(stage) ? !reducesLast || !isWhole : stages.empty())
    return stage.emitOpError("does not reduce the kernel's last loops");
  for (OpOperand *input : stage.getDpsInputOperands()) {
    auto producer = input->get().getDefiningOp<linalg::GenericOp>();
    if (!pointers.contains(input->get()) &&
        !llvm::is_contained(stages, producer) &&
        !stage.getMatchingBlockArgument(input).use_empty())
      return stage.emitOpError("reads a tensor that is not an argument");
  }
  bool isCombined = true;
  for (OpOperand &output : stage.getDpsInitsMutable()) {
    bool isReturned = pointers.contains(stage.getTiedOpResult(&output));
    if (failed(verifyStageOutput(output, isReturned)))
      return failure();
    bool combinesNext = combines(output);
    if (combinesNext && !isCombined)
      return stage.emitOpError("combines elements behind other results");
    isCombined = combinesNext;
  }
  return verifyBody(stage);
}

LogicalResult ReductionLowering::collectStages() {
  for (auto stage : kernel.getBody().front().getOps<linalg::GenericOp>()) {
    if (failed(verifyStage(stage)))
      return failure();
    stages.push_back(stage);
  }
  if (stages.empty())
    return kernel.emitOpError("has no op that reduces");
  return success();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

ReductionLowering::Carried ReductionLowering::forEach(
    int64_t from, int64_t to, int64_t step, ValueRange carried,
    function_ref<Carried(Value iteration, ValueRange carried)> emit) {
  if (from >= to)
    return Carried(carried);
  if (from + step >= to)
    return emit(index(from), carried);
  auto loop = scf::ForOp::create(builder, loc, index(from), index(to),
                                 index(step), carried);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Carried yielded = emit(loop.getInductionVar(), loop.getRegionIterArgs());
  if (!carried.empty())
    scf::YieldOp::create(builder, loc, yielded);
  return Carried(loop.getResults());
}

void ReductionLowering::emitIteration(Value iteration) {
  SmallVector<int64_t> sizes(
      ArrayRef(schedule.sizes).take_front(schedule.numKept));
  if (sizes.empty())
    return emitStages({}, {});
  if (!schedule.isByColumns())
    return emitStages(delinearize(builder, loc, sizes, iteration), {});
  int64_t columns = sizes.back();
  sizes.back() = schedule.getBlocks();
  SmallVector<Value> loops = delinearize(builder, loc, sizes, iteration);
  Value begin = index(0), end = index(columns);
  if (schedule.getBlocks() > 1) {
    Value block = index(schedule.block);
    begin = arith::MulIOp::create(builder, loc, loops.back(), block,
                                  arith::IntegerOverflowFlags::nsw);
    Value next = arith::AddIOp::create(builder, loc, begin, block,
                                       arith::IntegerOverflowFlags::nsw);
    end = arith::MinSIOp::create(builder, loc, next, end);
  }
  emitColumns(loops, begin, end);
}

/// Columns [begin, end): as many at once as the registers have accumulators
/// for, then masked ones.
void ReductionLowering::emitColumns(SmallVector<Value> loops, Value begin,
                                    Value end) {
  int64_t columns = schedule.sizes[schedule.laneLoop];
  bool hasTail = columns % schedule.lanes != 0;
  Value middle = end;
  if (hasTail) {
    Value length = arith::SubIOp::create(builder, loc, end, begin);
    Value rest =
        arith::RemUIOp::create(builder, loc, length, index(schedule.lanes));
    middle = arith::SubIOp::create(builder, loc, end, rest);
  }
  auto emitLoop = [&](Value from, Value to, int64_t step, bool isMasked) {
    auto loop = scf::ForOp::create(builder, loc, from, to, index(step));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    loops.back() = loop.getInductionVar();
    Lanes lanes{step, {}};
    if (isMasked)
      lanes.mask = LaneEmitter::createTailMask(
          builder, loc, step,
          arith::SubIOp::create(builder, loc, to, loops.back()));
    emitStages(loops, lanes);
  };
  if (columns >= schedule.lanes)
    emitLoop(begin, middle, schedule.lanes, false);
  if (hasTail)
    emitLoop(middle, end, schedule.width, true);
}

/// The loops over what is reduced; by rows, the one along the lanes innermost.
ReductionLowering::Carried
ReductionLowering::emitReducedLoops(linalg::GenericOp stage,
                                    SmallVector<Value> &loops, Lanes lanes,
                                    ValueRange carried) {
  unsigned loop = loops.size();
  if (loop == schedule.sizes.size())
    return schedule.isByColumns() ? emitBody(stage, loops, lanes, carried)
                                  : emitRow(stage, loops, carried);
  auto emitInner = [&](Value iteration, ValueRange inner) {
    loops.push_back(iteration);
    Carried result = emitReducedLoops(stage, loops, lanes, inner);
    loops.pop_back();
    return result;
  };
  if (loop == schedule.laneLoop)
    return emitInner({}, carried);
  return forEach(0, schedule.sizes[loop], 1, carried, emitInner);
}

/// Whole vectors of a row, then masked ones; each with their accumulators.
ReductionLowering::Carried ReductionLowering::emitRow(linalg::GenericOp stage,
                                                      SmallVector<Value> &loops,
                                                      ValueRange carried) {
  int64_t size = schedule.sizes[schedule.laneLoop];
  int64_t lanes = schedule.getRowLanes(stage);
  int64_t middle = size / lanes * lanes;
  auto emitLanes = [&](int64_t from, int64_t to, int64_t step, bool isMasked,
                       ValueRange accumulators) {
    return forEach(
        from, to, step, accumulators, [&](Value iteration, ValueRange inner) {
          loops[schedule.laneLoop] = iteration;
          Lanes here{step, {}};
          if (isMasked)
            here.mask = LaneEmitter::createTailMask(
                builder, loc, step,
                arith::SubIOp::create(builder, loc, index(to), iteration));
          return emitBody(stage, loops, here, inner);
        });
  };
  size_t half = carried.size() / 2;
  Carried result = emitLanes(0, middle, lanes, false, carried.take_front(half));
  llvm::append_range(result, emitLanes(middle, size, schedule.width,
                                       size % schedule.width != 0,
                                       carried.drop_front(half)));
  return result;
}

LogicalResult ReductionLowering::run() {
  if (failed(open(findInPlacePairs(kernel, OpOrder::PerIteration))) ||
      failed(collectStages()))
    return failure();
  schedule = computeReductionSchedule(stages, vectorBits);
  allocateRows();
  auto loop = scf::ForOp::create(builder, loc, begin, end, index(1));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    emitIteration(loop.getInductionVar());
  }
  // What went past the caches is there before others are told so.
  close(schedule.extent, schedule.grain,
        schedule.isByColumns() ? "columns" : "rows");
  return success();
}

LogicalResult lowerReductionKernel(ModuleOp module, func::FuncOp kernel,
                                   unsigned vectorBits) {
  return ReductionLowering(module, kernel, vectorBits).run();
}

} // namespace tandem
