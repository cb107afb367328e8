//===- LowerLoopKernel.cpp - Loops over what is elementwise ---------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelFrame.h"
#include "KernelLowerings.h"
#include "Loop/InterleavedReads.h"
#include "Loop/LaneEmitter.h"
#include "Loop/RowCopies.h"
#include "Loop/Schedule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tandem {

namespace {

/// Lowers the one function of a kernel module of elementwise ops.
class LoopLowering : KernelFrame {
public:
  LoopLowering(ModuleOp module, func::FuncOp kernel, unsigned vectorBits,
               int64_t streamedBytes)
      : KernelFrame(module, kernel, streamedBytes), vectorBits(vectorBits) {}

  LogicalResult run();

private:
  LogicalResult verifyGeneric(linalg::GenericOp op);
  void lowerGeneric(linalg::GenericOp op, const Schedule &schedule,
                    int64_t first);
  void emitInnerLoops(linalg::GenericOp op, const Schedule &schedule,
                      SmallVector<Value> loops, Value innerBegin,
                      Value innerEnd);

  /// The innermost loop of an op, from `begin` to `end`.
  struct Row {
    linalg::GenericOp op;
    const Schedule &schedule;
    const IndexConditions &conditions;
    Value begin, end;
    /// The inputs that all of its elements share.
    BoundInputs inputs = {};
  };
  /// A part of it that is at most `size` long. `isAligned`: it begins with a
  /// whole vector of the row.
  struct Segment {
    Value begin, end;
    int64_t size;
    bool isAligned;
  };
  BoundInputs loadRowInputs(const Row &row, ArrayRef<Value> loops);
  void emitRow(const Row &row, ArrayRef<Value> loops,
               const KnownConditions &known, int64_t copies);
  void emitSegments(const Row &row, ArrayRef<Value> loops,
                    const KnownConditions &known, int64_t copies);
  void emitVectors(const Row &row, ArrayRef<Value> loops,
                   const Segment &segment, const KnownConditions &known);
  bool emitCopies(const Row &row, ArrayRef<Value> loops, const Segment &segment,
                  const KnownConditions &known);
  void emitLanes(const Row &row, int64_t step, ArrayRef<Value> loops,
                 Value tailMask, bool isAligned, const KnownConditions &known);

  /// Emits a loop unless it has exactly one iteration.
  void forEach(int64_t size, function_ref<void(Value)> emit);

  unsigned vectorBits;
  int64_t totalExtent = 0;
};

} // namespace

/// The most ops of a body that is emitted several times, once for each way that
/// its branches can go. Compiling more code would take too long.
static constexpr int64_t kMaxOps = 512;

static int64_t countOps(linalg::GenericOp op) {
  int64_t count = 1;
  op.getBody()->walk([&](Operation *) { ++count; });
  return count;
}

void LoopLowering::forEach(int64_t size, function_ref<void(Value)> emit) {
  if (size == 1)
    return emit(index(0));
  IndexBuilder::forEach(index(size), emit);
}

void LoopLowering::lowerGeneric(linalg::GenericOp op, const Schedule &schedule,
                                int64_t first) {
  Value from = begin, to = end;
  if (first != 0 || schedule.extent != totalExtent) {
    // One of several: its share of [begin, end).
    from = arith::MaxSIOp::create(builder, loc, begin, index(first));
    to = arith::MinSIOp::create(builder, loc, end,
                                index(first + schedule.extent));
  }
  auto loop = scf::ForOp::create(builder, loc, from, to, index(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value iteration = loop.getInductionVar();
  if (first != 0)
    iteration = arith::SubIOp::create(builder, loc, iteration, index(first));
  if (schedule.tiles)
    return emitTransposeBlock(
        builder, op, *schedule.tiles, iteration, scratch,
        [&](Value tensor) { return getBuffer(tensor); },
        [&](RankedTensorType type, int64_t lanes, int64_t rowSize) {
          return streamResult(type, lanes, rowSize);
        });
  SmallVector<Value> loops =
      delinearizeShared(builder, loc, schedule, iteration);
  Value innerBegin = index(0), innerEnd = index(schedule.sizes.back());
  if (schedule.isInnermostShared()) {
    Value block = index(schedule.block);
    innerBegin = arith::MulIOp::create(builder, loc, loops.pop_back_val(),
                                       block, arith::IntegerOverflowFlags::nsw);
    innerEnd = schedule.getBlocks() * schedule.block == schedule.sizes.back()
                   ? add(innerBegin, block)
                   : arith::MinSIOp::create(builder, loc,
                                            add(innerBegin, block), innerEnd)
                         .getResult();
  }
  emitInnerLoops(op, schedule, loops, innerBegin, innerEnd);
}

/// The loops between the shared ones and the innermost.
void LoopLowering::emitInnerLoops(linalg::GenericOp op,
                                  const Schedule &schedule,
                                  SmallVector<Value> loops, Value innerBegin,
                                  Value innerEnd) {
  if (loops.size() + 1 == schedule.sizes.size()) {
    IndexConditions conditions(op, loops.size());
    Row row{op, schedule, conditions, innerBegin, innerEnd};
    row.inputs = loadRowInputs(row, loops);
    return emitRow(row, loops, KnownConditions(), kMaxOps / countOps(op));
  }
  forEach(schedule.sizes[loops.size()], [&](Value loop) {
    SmallVector<Value> deeper(loops);
    deeper.push_back(loop);
    emitInnerLoops(op, schedule, deeper, innerBegin, innerEnd);
  });
}

/// Loads the inputs that all elements of a row share. They do not depend on the
/// indices of the last loops, and are loaded even for an empty row.
BoundInputs LoopLowering::loadRowInputs(const Row &row, ArrayRef<Value> outer) {
  SmallVector<Value> loops(outer);
  loops.append(1 + row.schedule.folded.size(), index(0));
  auto bufferOf = [&](Value tensor) { return getBuffer(tensor); };
  LaneEmitter emitter(builder, loc, /*lanes=*/1, loops, /*tailMask=*/{},
                      bufferOf);
  return emitter.loadOuterInputs(row.op, outer.size());
}

/// The innermost loop, without the branches that its row decides.
void LoopLowering::emitRow(const Row &row, ArrayRef<Value> loops,
                           const KnownConditions &known, int64_t copies) {
  // If a row has only one vector, a branch per row would save nothing.
  const Schedule &schedule = row.schedule;
  bool hasVectors =
      schedule.lanes > 1 && schedule.sizes.back() > schedule.getStep();
  // Prefer splitting the row, because conditions that are the same in all lanes
  // cost little in the loop.
  auto segments = static_cast<int64_t>(row.conditions.getBorders().size()) - 1;
  arith::CmpIOp uniform;
  if (hasVectors && copies >= 2 * std::max<int64_t>(segments, 1))
    uniform = row.conditions.findUniform(known);
  if (!uniform)
    return emitSegments(row, loops, known, copies);
  SmallVector<Value> all(loops);
  all.push_back(row.begin);
  all.append(schedule.folded.size(), index(0));
  LaneEmitter emitter(builder, loc, /*lanes=*/1, all, /*tailMask=*/{}, {});
  auto branch = scf::IfOp::create(builder, loc,
                                  emitter.emitIndexValue(uniform.getResult()),
                                  /*withElseRegion=*/true);
  for (bool side : {true, false}) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(side ? branch.thenBlock()
                                          : branch.elseBlock());
    KnownConditions more(known);
    more[uniform.getResult()] = side;
    emitRow(row, loops, more, copies / 2);
  }
}

/// Cuts it where its own index decides branches.
void LoopLowering::emitSegments(const Row &row, ArrayRef<Value> loops,
                                const KnownConditions &known, int64_t copies) {
  SmallVector<int64_t> borders = row.conditions.getBorders();
  int64_t size = row.schedule.sizes.back();
  bool isCut = row.schedule.lanes > 1 &&
               static_cast<int64_t>(borders.size()) - 1 <= copies;
  if (!isCut || borders.size() <= 2) {
    KnownConditions all(known);
    if (isCut)
      row.conditions.learn(0, all);
    return emitVectors(row, loops, {row.begin, row.end, size, true}, all);
  }
  bool isAligned = llvm::all_of(borders, [&](int64_t border) {
    return border % row.schedule.getStep() == 0 || border == size;
  });
  for (size_t i = 0; i + 1 < borders.size(); ++i) {
    KnownConditions all(known);
    row.conditions.learn(borders[i], all);
    Segment segment{index(borders[i]), index(borders[i + 1]),
                    borders[i + 1] - borders[i], isAligned};
    if (row.schedule.isInnermostShared()) {
      segment.begin =
          arith::MaxSIOp::create(builder, loc, segment.begin, row.begin);
      segment.end = arith::MinSIOp::create(builder, loc, segment.end, row.end);
    }
    emitVectors(row, loops, segment, all);
  }
}

/// A long row that is only moved, as a whole. False where it is not.
bool LoopLowering::emitCopies(const Row &row, ArrayRef<Value> outer,
                              const Segment &segment,
                              const KnownConditions &known) {
  int64_t inner = row.schedule.getFoldedSize();
  if (!copiesRows(row.op, outer.size(), segment.size * inner, known))
    return false;
  SmallVector<Value> loops(outer);
  loops.push_back(segment.begin);
  loops.append(row.schedule.folded.size(), index(0));
  auto bufferOf = [&](Value tensor) { return getBuffer(tensor); };
  LaneEmitter emitter(builder, loc, /*lanes=*/1, loops, /*tailMask=*/{},
                      bufferOf);
  emitter.setKnown(known);
  // A part that threads share out may be empty.
  Value length = arith::MaxSIOp::create(
      builder, loc, index(0),
      arith::SubIOp::create(builder, loc, segment.end, segment.begin));
  emitRowCopies(builder, emitter, row.op, length, inner, bufferOf);
  return true;
}

/// Whole vectors, then what is left.
void LoopLowering::emitVectors(const Row &row, ArrayRef<Value> outer,
                               const Segment &segment,
                               const KnownConditions &known) {
  if (emitCopies(row, outer, segment, known))
    return;
  SmallVector<Value> loops(outer);
  int64_t step = row.schedule.getStep();
  bool isShared = row.schedule.isInnermostShared();
  loops.push_back(segment.begin);
  linalg::GenericOp op = row.op;
  if (op.getNumLoops() == 0 || (segment.size <= step && !isShared))
    return emitLanes(row, segment.size, loops, {}, segment.isAligned, known);
  // A part of a row that threads share out begins and ends anywhere.
  bool isPart =
      isShared && segment.size != row.schedule.sizes.back() && step > 1;
  int64_t rest = segment.size % step;
  Value middle = segment.end;
  if (isPart || rest != 0) {
    Value length =
        arith::SubIOp::create(builder, loc, segment.end, segment.begin);
    if (isPart)
      length = arith::MaxSIOp::create(builder, loc, length, index(0));
    middle = arith::SubIOp::create(
        builder, loc, segment.end,
        arith::RemUIOp::create(builder, loc, length, index(step)));
  }
  auto emitLoop = [&](Value from, Value to, int64_t by, bool isMasked) {
    auto loop = scf::ForOp::create(builder, loc, from, to, index(by));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    loops.back() = loop.getInductionVar();
    Value mask;
    if (isMasked)
      mask = LaneEmitter::createTailMask(
          builder, loc, by,
          arith::SubIOp::create(builder, loc, to, loops.back()));
    emitLanes(row, by, loops, mask, segment.isAligned, known);
  };
  if (segment.size >= step)
    emitLoop(segment.begin, middle, step, false);
  if (!isPart && rest == 0)
    return;
  if (segment.size < step)
    middle = segment.begin;
  // If each row ends with a remainder, the remainder is one vector with a
  // constant mask, so that its reads may be shuffled. If only the kernel ends
  // with one, its code should be short.
  if (isShared && row.schedule.folded.empty())
    emitLoop(middle, segment.end, row.schedule.tailLanes, true);
  else
    emitLoop(middle, segment.end, isPart ? 1 : rest, false);
}

/// Elements of one vector: `step` iterations of the last loop.
void LoopLowering::emitLanes(const Row &row, int64_t step,
                             ArrayRef<Value> loops, Value tailMask,
                             bool isAligned, const KnownConditions &known) {
  linalg::GenericOp op = row.op;
  const Schedule &schedule = row.schedule;
  ArrayRef<Value> used = op.getNumLoops() == 0 ? ArrayRef<Value>() : loops;
  auto bufferOf = [&](Value tensor) { return getBuffer(tensor); };
  int64_t elements = step * schedule.getFoldedSize();
  int64_t lanes = schedule.folded.empty()
                      ? static_cast<int64_t>(llvm::PowerOf2Ceil(elements))
                      : getFoldedLanes(elements);
  if (elements < lanes)
    tailMask = LaneEmitter::createConstantMask(builder, loc, lanes, elements);
  LaneEmitter emitter(builder, loc, lanes, used, tailMask, bufferOf);
  if (!schedule.folded.empty())
    emitter.foldLoops(schedule.folded);
  else if (!tailMask && lanes > 1)
    bindInterleavedReads(emitter, builder, op, used, lanes, bufferOf);
  for (auto [argument, value] : row.inputs)
    emitter.bindValue(argument, value);
  emitter.setKnown(known);
  // A vector of the only row begins at a multiple of its lanes.
  int64_t rowSize = used.size() > 1
                        ? schedule.sizes.back() * schedule.getFoldedSize()
                        : lanes;
  for (auto [result, element] :
       llvm::zip_equal(op.getResults(), emitter.emitElements(op))) {
    auto type = cast<RankedTensorType>(result.getType());
    bool isStreamed =
        !tailMask && isAligned && streamResult(type, lanes, rowSize);
    emitter.store(getBuffer(result),
                  builder.getMultiDimIdentityMap(op.getNumLoops()), element,
                  isStreamed);
  }
}

/// What phase `linalg` promises of the op as a whole.
LogicalResult LoopLowering::verifyGeneric(linalg::GenericOp op) {
  if (op.getNumParallelLoops() != op.getNumLoops())
    return op.emitOpError("has a loop that is not parallel");
  if (llvm::is_contained(op.getStaticLoopRanges(), ShapedType::kDynamic))
    return op.emitOpError("has a loop of unknown size");
  for (Value input : op.getDpsInputs())
    if (!pointers.contains(input))
      return op.emitOpError("reads a tensor that is not an argument");
  for (Value result : op.getResults())
    if (!pointers.contains(result))
      return op.emitOpError("has a result that the kernel does not return");
  for (OpOperand &output : op.getDpsInitsMutable()) {
    if (!op.getMatchingBlockArgument(&output).use_empty())
      return op.emitOpError("reads what it writes");
    if (!op.getMatchingIndexingMap(&output).isIdentity())
      return op.emitOpError("writes other than row by row");
  }
  return success();
}

LogicalResult LoopLowering::run() {
  if (failed(open(findInPlacePairs(kernel))))
    return failure();
  std::vector<std::pair<linalg::GenericOp, Schedule>> generics;
  int64_t grain = std::numeric_limits<int64_t>::max();
  for (auto op : llvm::to_vector(kernel.getOps<linalg::GenericOp>())) {
    if (failed(verifyGeneric(op)) || failed(verifyBody(op)))
      return failure();
    op = widen(op);
    generics.push_back({op, computeSchedule(op, vectorBits)});
    totalExtent += generics.back().second.extent;
    grain = std::min(grain, generics.back().second.grain);
  }
  int64_t first = 0;
  for (auto &[op, schedule] : generics) {
    if (schedule.extent > 0)
      lowerGeneric(op, schedule, first);
    first += schedule.extent;
  }
  bool hasTiles = llvm::any_of(
      generics, [](const auto &pair) { return pair.second.tiles.has_value(); });
  close(totalExtent, generics.empty() ? 1 : grain,
        hasTiles ? "transpose" : "loop");
  return success();
}

LogicalResult lowerLoopKernel(ModuleOp module, func::FuncOp kernel,
                              unsigned vectorBits, int64_t streamedBytes) {
  return LoopLowering(module, kernel, vectorBits, streamedBytes).run();
}

} // namespace tandem
