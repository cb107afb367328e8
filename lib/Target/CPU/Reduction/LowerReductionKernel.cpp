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
#include "Loop/Schedule.h"
#include "Reduction/ReductionLowering.h"
#include "Reduction/VectorReduction.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tandem {

//===----------------------------------------------------------------------===//
// What phase `linalg` promises
//===----------------------------------------------------------------------===//

LogicalResult ReductionLowering::verifyStage(linalg::GenericOp stage) {
  auto hasMemory = [&](Value value) { return pointers.contains(value); };
  if (failed(verifyReductionStage(stage, stages, hasMemory)))
    return failure();
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

ReductionLowering::Carried ReductionLowering::emitLoop(Value from, Value to,
                                                       int64_t step,
                                                       ValueRange carried,
                                                       EmitIteration emit) {
  auto loop = scf::ForOp::create(builder, loc, from, to, index(step), carried);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Carried yielded = emit(loop.getInductionVar(), loop.getRegionIterArgs());
  if (!carried.empty())
    scf::YieldOp::create(builder, loc, yielded);
  return Carried(loop.getResults());
}

ReductionLowering::Carried ReductionLowering::forEach(int64_t from, int64_t to,
                                                      int64_t step,
                                                      ValueRange carried,
                                                      EmitIteration emit) {
  if (from >= to)
    return Carried(carried);
  if (from + step >= to)
    return emit(index(from), carried);
  return emitLoop(index(from), index(to), step, carried, emit);
}

/// The roundings of a sum of n equal terms, one after the other, do not cancel:
/// its error grows with n. In parts of about the root of n, it grows with that
/// (Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed., 4.2).
void ReductionLowering::planParts(linalg::GenericOp stage) {
  constexpr int64_t kLeastPart = 64;
  parts.assign(schedule.sizes.size(), 0);
  if (!addsFloats(stage))
    return;
  // From the innermost loop; by rows, that along the lanes.
  SmallVector<std::pair<unsigned, int64_t>> trips;
  for (unsigned loop = schedule.numKept; loop < schedule.sizes.size(); ++loop)
    if (loop != schedule.laneLoop)
      trips.insert(trips.begin(), {loop, schedule.sizes[loop]});
  if (!schedule.isByColumns())
    trips.insert(trips.begin(),
                 {schedule.laneLoop,
                  llvm::divideCeilSigned(schedule.sizes[schedule.laneLoop],
                                         schedule.getRowLanes(stage))});
  double all = 1;
  for (auto [loop, count] : trips)
    all *= double(count);
  auto most = std::max(kLeastPart, int64_t(std::ceil(std::sqrt(all))));
  int64_t chain = 1; // Combined one after the other, within one iteration.
  for (auto [loop, count] : trips) {
    if (chain * count <= most) {
      chain *= count;
      continue;
    }
    parts[loop] = std::max<int64_t>(1, most / chain);
    chain = llvm::divideCeilSigned(count, parts[loop]);
  }
}

ReductionLowering::Carried
ReductionLowering::forEachPart(linalg::GenericOp stage, unsigned loop,
                               int64_t from, int64_t to, int64_t step,
                               ValueRange carried, EmitIteration emit) {
  int64_t part = carried.empty() ? 0 : parts[loop] * step;
  if (part == 0 || to - from <= part)
    return forEach(from, to, step, carried, emit);
  unsigned numCombined = llvm::count_if(stage.getDpsInitsMutable(), combines);
  auto emitPart = [&](Value first, ValueRange sums) {
    Value last = arith::AddIOp::create(builder, loc, first, index(part),
                                       arith::IntegerOverflowFlags::nsw);
    last = arith::MinSIOp::create(builder, loc, last, index(to));
    Carried own;
    for (auto [i, sum] : llvm::enumerate(sums))
      own.push_back(
          createNeutral(builder, stage, i % numCombined,
                        cast<VectorType>(sum.getType()).getNumElements()));
    own = emitLoop(first, last, step, own, emit);
    for (auto [i, sum] : llvm::enumerate(sums))
      own[i] = combine(builder, stage, i % numCombined, sum, own[i]);
    return own;
  };
  return emitLoop(index(from), index(to), part, carried, emitPart);
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
  return forEachPart(stage, loop, 0, schedule.sizes[loop], 1, carried,
                     emitInner);
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
    return forEachPart(
        stage, schedule.laneLoop, from, to, step, accumulators,
        [&](Value iteration, ValueRange inner) {
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
  // The fence makes non-temporal stores visible before other threads are told
  // that the task is done.
  close(schedule.extent, schedule.grain,
        schedule.isByColumns() ? "columns" : "rows");
  return success();
}

LogicalResult lowerReductionKernel(ModuleOp module, func::FuncOp kernel,
                                   unsigned vectorBits, int64_t streamedBytes) {
  return ReductionLowering(module, kernel, vectorBits, streamedBytes).run();
}

} // namespace tandem
