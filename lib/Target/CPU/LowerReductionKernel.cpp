//===- LowerReductionKernel.cpp - Reductions to vector loops --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Target/CPU/Passes.h"

#include "InPlace.h"
#include "KernelFrame.h"
#include "KernelLowerings.h"
#include "ReductionSchedule.h"
#include "ReductionStage.h"
#include "Schedule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace tandem {
namespace {

class ReductionLowering : KernelFrame {
public:
  ReductionLowering(ModuleOp module, func::FuncOp kernel, unsigned vectorBits)
      : KernelFrame(module, kernel), vectorBits(vectorBits) {}

  LogicalResult run();

private:
  /// The lanes of an iteration of the lane loop; `mask` may be null.
  struct Lanes {
    int64_t count = 1;
    Value mask;
  };
  using Carried = SmallVector<Value>;

  LogicalResult collectStages();
  LogicalResult verifyStage(linalg::GenericOp stage);
  bool isReduction(linalg::GenericOp stage) {
    return stage.getNumReductionLoops() > 0;
  }
  bool hasAllLoops(linalg::GenericOp stage) {
    return stage.getNumLoops() == schedule.sizes.size();
  }
  void allocateRows();

  void emitIteration(Value iteration);
  void emitColumns(SmallVector<Value> loops, Value begin, Value end);
  void emitStages(ArrayRef<Value> kept, Lanes lanes);
  void emitReduction(linalg::GenericOp stage, ArrayRef<Value> kept,
                     Lanes lanes);
  Carried emitReducedLoops(linalg::GenericOp stage, SmallVector<Value> &loops,
                           Lanes lanes, ValueRange carried);
  Carried emitRow(linalg::GenericOp stage, SmallVector<Value> &loops,
                  ValueRange carried);
  Carried emitBody(linalg::GenericOp stage, ArrayRef<Value> loops, Lanes lanes,
                   ValueRange accumulators);
  void storeElement(LaneEmitter &emitter, linalg::GenericOp stage,
                    unsigned number, ArrayRef<Value> loops, Lanes lanes,
                    LaneValue element);
  bool isStreamed(OpResult result, Lanes lanes);

  Value getRowPointer(Value row, ArrayRef<Value> loops, int64_t lanes);
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  /// A loop, unless it has one iteration or none.
  Carried
  forEach(int64_t from, int64_t to, int64_t step, ValueRange carried,
          function_ref<Carried(Value iteration, ValueRange carried)> emit);

  unsigned vectorBits;
  ReductionSchedule schedule;
  SmallVector<linalg::GenericOp> stages;
  /// What the reductions of this row or these columns are, as a scalar or a
  /// vector.
  DenseMap<Value, Value> reduced;
  /// Where one row of a value, or these columns of it, are stored for later
  /// stages, on the stack.
  DenseMap<Value, Value> rows;
};

} // namespace

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

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

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
  for (OpOperand *input : stage.getDpsInputOperands()) {
    BlockArgument argument = stage.getMatchingBlockArgument(input);
    if (Value value = reduced.lookup(input->get()))
      emitter.bindValue(argument, value);
    else if (Value row = rows.lookup(input->get()))
      emitter.bindInput(argument, getRowPointer(row, loops, lanes.count));
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
    // Columns that are masked are not stored; elements of a row are left out.
    if (lanes.mask && !schedule.isByColumns())
      next = arith::SelectOp::create(builder, loc, lanes.mask, next,
                                     accumulators[number]);
    result.push_back(next);
  }
  return result;
}

void ReductionLowering::storeElement(LaneEmitter &emitter,
                                     linalg::GenericOp stage, unsigned number,
                                     ArrayRef<Value> loops, Lanes lanes,
                                     LaneValue element) {
  OpResult result = stage->getResult(number);
  if (Value row = rows.lookup(result)) {
    // There is room for whole vectors.
    LLVM::StoreOp::create(
        builder, loc, emitter.toVector(element),
        getRowPointer(row, loops, lanes.count),
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
// Rows on the stack
//===----------------------------------------------------------------------===//

void ReductionLowering::allocateRows() {
  int64_t elements = schedule.isByColumns() ? schedule.lanes : 1;
  for (int64_t size : ArrayRef(schedule.sizes).drop_front(schedule.numKept))
    elements *= size;
  // The last vector of a row may be partly behind it.
  elements += 4 * schedule.width;
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  for (linalg::GenericOp stage : stages)
    for (OpResult result : stage->getResults()) {
      auto type = cast<RankedTensorType>(result.getType());
      if (!isReduction(stage) ||
          type.getRank() < static_cast<int64_t>(stage.getNumLoops()))
        continue;
      Value count =
          LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                   builder.getI64IntegerAttr(elements));
      rows[result] =
          LLVM::AllocaOp::create(builder, loc, pointer, type.getElementType(),
                                 count, kStreamAlignment);
    }
}

/// Where the lanes at `loops` are: row-major in the reduced loops, the one
/// along the lanes last, or the columns.
Value ReductionLowering::getRowPointer(Value row, ArrayRef<Value> loops,
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
  auto alloca = row.getDefiningOp<LLVM::AllocaOp>();
  return LLVM::GEPOp::create(builder, loc, row.getType(), alloca.getElemType(),
                             row, ArrayRef<LLVM::GEPArg>{offset},
                             LLVM::GEPNoWrapFlags::inbounds);
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
  close(schedule.extent, schedule.grain);
  return success();
}

LogicalResult lowerReductionKernel(ModuleOp module, func::FuncOp kernel,
                                   unsigned vectorBits) {
  return ReductionLowering(module, kernel, vectorBits).run();
}

} // namespace tandem
