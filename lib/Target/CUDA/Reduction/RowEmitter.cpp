//===- RowEmitter.cpp - Reductions of rows --------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reduction/ReductionEmitter.h"
#include "Reduction/RowSchedule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tandem::codegen;

namespace {

class RowEmitter final : ReductionEmitter {
public:
  RowEmitter(MappedKernel &kernel, ArrayRef<linalg::GenericOp> stages,
             unsigned contiguous)
      : ReductionEmitter(kernel, stages) {
    SmallVector<PointEmitter *> points;
    for (linalg::GenericOp stage : stages)
      points.push_back(&pointsOf(stage));
    schedule = computeRowSchedule(points, numKept, contiguous,
                                  kernel.options.vectorize);
    kernel.threads = schedule.threads * schedule.rowsPerBlock;
    kernel.blocks = llvm::divideCeil(schedule.rows, schedule.rowsPerBlock);
  }

  LogicalResult emit();

private:
  LogicalResult emitRow();
  LogicalResult emitStage(linalg::GenericOp stage);
  LogicalResult emitRowResults(linalg::GenericOp stage);
  LogicalResult forEachRun(function_ref<LogicalResult(Value step, Run)> emit);
  LogicalResult emitRun(linalg::GenericOp stage, Value step, Run run);
  Run runAt(Value element);
  void holdInputs();
  Value heldElement(Value step, Value lane);
  Value readKept(OpResult result, Value lane) override;
  void createKept(linalg::GenericOp stage);
  SmallVector<int64_t> heldShape(int64_t elements) const;

  RowSchedule schedule;
  /// The number of the thread in its row, and the index of the row in each
  /// loop.
  Value thread;
  SmallVector<Value> kept;
  /// Present step; null where a row does not stay in registers.
  Value step;
  /// What is held of inputs, by step, and of results, by step and lane.
  llvm::MapVector<PointEmitter::Access, Value> heldInputs;
  DenseMap<Value, Value> heldResults;
};

} // namespace

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// The run of the row that begins at `element`.
Run RowEmitter::runAt(Value element) {
  Run run;
  run.width = schedule.width;
  run.loop = schedule.reduced.back();
  run.dims = kept;
  run.dims.resize(sizes.size());
  index.setBounds(element, 0, schedule.length - schedule.width);
  AffineExpr all = builder.getAffineDimExpr(0);
  int64_t stride = schedule.length;
  for (unsigned loop : schedule.reduced) {
    stride /= sizes[loop];
    run.dims[loop] =
        index.apply(loc, all.floorDiv(stride) % sizes[loop], 1, element);
  }
  return run;
}

LogicalResult
RowEmitter::forEachRun(function_ref<LogicalResult(Value step, Run)> emit) {
  OpBuilder::InsertionGuard guard(builder);
  Location at = named("element");
  int64_t stride = schedule.threads * schedule.width;
  Value first = index.mul(at, thread, index.constant(loc, schedule.width));
  if (!schedule.isHeld) {
    scf::ForOp loop =
        createLoop("element", first, schedule.length, stride, /*unroll=*/4);
    builder.setInsertionPointToStart(loop.getBody());
    return emit({}, runAt(loop.getInductionVar()));
  }
  Value number = index.constant(loc, 0), element = first;
  if (schedule.steps > 1) {
    scf::ForOp loop =
        createLoop("step", number, schedule.steps, 1, /*unroll=*/-1);
    builder.setInsertionPointToStart(loop.getBody());
    number = loop.getInductionVar();
    element = index.add(at, first,
                        index.mul(at, number, index.constant(loc, stride)));
  }
  Value isInside =
      schedule.isExact() ? Value() : isBelow(element, schedule.length);
  return emitIf(isInside, [&] { return emit(number, runAt(element)); });
}

//===----------------------------------------------------------------------===//
// What stays in registers
//===----------------------------------------------------------------------===//

/// One variable, or an array, of what is held of a thread's part of a row.
SmallVector<int64_t> RowEmitter::heldShape(int64_t elements) const {
  return elements == 1 ? SmallVector<int64_t>() : SmallVector{elements};
}

/// Returns the indices of element `at` in `memory`, which has an element for
/// each step, or for each step and lane.
static SmallVector<Value> positionIn(Value memory, Value at) {
  bool isVariable = cast<MemRefType>(memory.getType()).getRank() == 0;
  return isVariable ? SmallVector<Value>() : SmallVector{at};
}

/// Loads what is read along the row by several stages, all of it before any of
/// it is used.
void RowEmitter::holdInputs() {
  llvm::MapVector<PointEmitter::Access, int> readers;
  unsigned contiguous = schedule.reduced.back();
  for (linalg::GenericOp stage : stages) {
    llvm::SmallDenseSet<PointEmitter::Access> own;
    for (OpOperand *operand : stage.getDpsInputOperands()) {
      PointEmitter::Access access = pointsOf(stage).accessOf(*operand);
      if (hasAllLoops(stage) && access.first &&
          access.second.isFunctionOfDim(contiguous) &&
          !stage.getMatchingBlockArgument(operand).use_empty() &&
          own.insert(access).second)
        ++readers[access];
    }
  }
  Run any;
  any.width = schedule.width;
  any.loop = contiguous;
  PointEmitter &points = pointsOf(stages.front());
  for (auto [access, count] : readers) {
    if (count < 2 || !points.isVector(access, any))
      continue;
    Type type = cast<MemRefType>(access.first.getType()).getElementType();
    if (schedule.width > 1)
      type = VectorType::get(schedule.width, type);
    std::string name = "row";
    if (auto named = dyn_cast<NameLoc>(access.first.getLoc()))
      name = (named.getName().getValue() + "_row").str();
    heldInputs[access] = allocate(name, heldShape(schedule.steps), type);
  }
  if (heldInputs.empty())
    return;
  (void)forEachRun([&](Value number, Run run) {
    points.begin(run);
    for (auto [access, memory] : heldInputs)
      store(points.read(access), memory, positionIn(memory, number));
    return success();
  });
}

void RowEmitter::createKept(linalg::GenericOp stage) {
  for (OpResult result : stage->getResults()) {
    auto type = cast<RankedTensorType>(result.getType());
    if (isReduction(stage) && schedule.isHeld &&
        type.getRank() == int64_t(sizes.size()))
      heldResults[result] =
          allocate("kept", heldShape(schedule.steps * schedule.width),
                   type.getElementType());
  }
}

/// The number of a held element, by step and lane.
Value RowEmitter::heldElement(Value number, Value lane) {
  Value width = index.constant(loc, schedule.width);
  Value at = index.mul(loc, number, width);
  return lane ? index.add(loc, at, lane) : at;
}

Value RowEmitter::readKept(OpResult result, Value lane) {
  Value memory = heldResults.lookup(result);
  if (!memory)
    return {};
  return load(memory, positionIn(memory, heldElement(step, lane)));
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

/// One run of a stage: what it reads is loaded, its lanes are computed, and
/// results that are contiguous are stored as vectors.
LogicalResult RowEmitter::emitRun(linalg::GenericOp stage, Value number,
                                  Run run) {
  step = number;
  for (linalg::GenericOp other : stagesWith(stage)) {
    PointEmitter &points = pointsOf(other);
    points.begin(run);
    for (auto [access, memory] : heldInputs)
      points.give(access, load(memory, positionIn(memory, number)));
    points.loadOperands();
  }
  PointEmitter &points = pointsOf(stage);
  SmallVector<std::pair<OpOperand *, Value>> vectors;
  if (schedule.width > 1)
    for (OpOperand &init : stage.getDpsInitsMutable())
      if (points.isVector(points.accessOf(init), run))
        vectors.push_back(
            {&init, allocate("out_v", run.width,
                             getElementTypeOrSelf(init.get().getType()))});
  auto emitLane = [&](Value lane) {
    return emitPoint(stage, lane, [&](OpOperand &init, Value value) {
      if (Value memory = heldResults.lookup(stage.getTiedOpResult(&init)))
        return store(value, memory,
                     positionIn(memory, heldElement(number, lane)));
      auto *found = llvm::find_if(
          vectors, [&](auto &entry) { return entry.first == &init; });
      if (found != vectors.end())
        return store(value, found->second, lane);
      points.store(init, value);
    });
  };
  if (schedule.width == 1)
    return emitLane({});
  OpBuilder::InsertionGuard guard(builder);
  scf::ForOp lanes = createLoop("lane", index.constant(loc, 0), run.width, 1,
                                /*unroll=*/-1);
  builder.setInsertionPointToStart(lanes.getBody());
  if (failed(emitLane(lanes.getInductionVar())))
    return failure();
  builder.setInsertionPointAfter(lanes);
  points.begin(run);
  for (auto [init, memory] : vectors)
    points.storeVector(*init, memory);
  return success();
}

/// What one value a row is: one of the row's threads stores it.
LogicalResult RowEmitter::emitRowResults(linalg::GenericOp stage) {
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        thread, index.constant(loc, 0));
  if (schedule.threads == 1)
    isFirst = {};
  return emitIf(isFirst, [&] {
    Run run;
    run.dims = kept;
    pointsOf(stage).begin(run);
    return emitPoint(stage, {}, [&](OpOperand &init, Value value) {
      pointsOf(stage).store(init, value);
    });
  });
}

LogicalResult RowEmitter::emitStage(linalg::GenericOp stage) {
  if (!hasAllLoops(stage) || sizes.size() == numKept)
    return emitRowResults(stage);
  if (isReduction(stage)) {
    createAccumulators(stage);
    createKept(stage);
  }
  if (failed(forEachRun([&](Value number, Run run) {
        return emitRun(stage, number, std::move(run));
      })))
    return failure();
  if (!isReduction(stage))
    return success();
  combineLanes(stage, std::min(schedule.threads, kWarp));
  if (int64_t warps = schedule.threads / kWarp; warps > 1) {
    AffineExpr number = builder.getAffineDimExpr(0);
    Value lane = index.apply(loc, number % kWarp, 1, thread);
    Value warp = index.apply(named("warp"), number.floorDiv(kWarp), 1, thread);
    Value zero = index.constant(loc, 0);
    Value isFirst = arith::CmpIOp::create(builder, named("is_first_lane"),
                                          arith::CmpIPredicate::eq, lane, zero);
    combineGroups(stage, isFirst, warp, zero, 1, warps);
  }
  finish(stage);
  return success();
}

LogicalResult RowEmitter::emitRow() {
  if (schedule.isHeld)
    holdInputs();
  for (linalg::GenericOp stage : stages)
    if (failed(emitStage(stage)))
      return failure();
  return success();
}

LogicalResult RowEmitter::emit() {
  Value number = threadNumber();
  Value row = blockNumber(kernel.blocks);
  thread = number;
  if (schedule.rowsPerBlock > 1) {
    AffineExpr all = builder.getAffineDimExpr(0);
    thread = index.apply(loc, all % schedule.threads, 1, number);
    Value inBlock = index.apply(loc, all.floorDiv(schedule.threads), 1, number);
    row = index.add(
        named("row"),
        index.mul(loc, row, index.constant(loc, schedule.rowsPerBlock)),
        inBlock);
  }
  index.setBounds(row, 0, schedule.rows - 1);
  Value isInside = schedule.rows % schedule.rowsPerBlock == 0
                       ? Value()
                       : isBelow(row, schedule.rows);
  LogicalResult result = emitIf(isInside, [&] {
    AffineExpr all = builder.getAffineDimExpr(0);
    int64_t stride = schedule.rows;
    for (unsigned loop = 0; loop < numKept; ++loop) {
      stride /= sizes[loop];
      kept.push_back(
          index.apply(loc, all.floorDiv(stride) % sizes[loop], 1, row));
    }
    return emitRow();
  });
  kernel.wideIndex |= index.needsWideIndex();
  return result;
}

LogicalResult
tandem::codegen::emitRowReductions(MappedKernel &kernel,
                                   ArrayRef<linalg::GenericOp> stages,
                                   unsigned contiguousLoop) {
  return RowEmitter(kernel, stages, contiguousLoop).emit();
}
