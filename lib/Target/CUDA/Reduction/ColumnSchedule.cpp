//===- ColumnSchedule.cpp - Reductions of columns -------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reduction/ReductionEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tandem::codegen;

/// Columns side by side in a block, one a lane of a warp: an access of a warp
/// is of consecutive bytes.
static constexpr int64_t kTileColumns = 32;
static constexpr int64_t kThreads = 256;
/// The number of blocks that gives each SM of a large GPU several.
static constexpr int64_t kBusyBlocks = 512;

namespace {

/// A block has `width` columns and several groups of threads. Each group takes
/// every so many-th row of the columns; then groups are combined.
class ColumnEmitter final : ReductionEmitter {
public:
  ColumnEmitter(MappedKernel &kernel, ArrayRef<linalg::GenericOp> stages)
      : ReductionEmitter(kernel, stages) {}
  LogicalResult emit();

private:
  void computeSchedule();
  LogicalResult emitStage(linalg::GenericOp stage);
  LogicalResult emitRows(linalg::GenericOp stage);
  LogicalResult emitAt(linalg::GenericOp stage, Run run);

  int64_t outer = 1, columns = 1, length = 1;
  int64_t width = 1, groups = 1;
  /// The thread's place in the block, and the index of its column in each kept
  /// loop.
  Value x, group;
  SmallVector<Value> kept;
  /// Whether the column exists; null for always.
  Value isInside;
};

} // namespace

void ColumnEmitter::computeSchedule() {
  for (auto [loop, size] : llvm::enumerate(sizes))
    (loop + 1 < numKept    ? outer
     : loop + 1 == numKept ? columns
                           : length) *= size;
  width = std::min<int64_t>(llvm::PowerOf2Ceil(columns), kTileColumns);
  int64_t blocks = outer * llvm::divideCeil(columns, width);
  int64_t threads = blocks < kBusyBlocks ? kMaxThreads : kThreads;
  groups = std::min<int64_t>(threads / width, llvm::PowerOf2Ceil(length));
  kernel.blocks = blocks;
  kernel.threads = width * groups;
}

/// The body of `stage` at the one point of `run`.
LogicalResult ColumnEmitter::emitAt(linalg::GenericOp stage, Run run) {
  for (linalg::GenericOp other : stagesWith(stage))
    pointsOf(other).begin(run);
  return emitPoint(stage, {}, [&](OpOperand &init, Value value) {
    // What is kept for later stages is computed again by them.
    if (!kernel.memory.buffersOf(stage.getTiedOpResult(&init)).empty())
      pointsOf(stage).store(init, value);
  });
}

/// The rows of the thread's group.
LogicalResult ColumnEmitter::emitRows(linalg::GenericOp stage) {
  OpBuilder::InsertionGuard guard(builder);
  scf::ForOp loop = createLoop("row", group, length, groups, /*unroll=*/4);
  builder.setInsertionPointToStart(loop.getBody());
  Run run;
  run.dims = kept;
  AffineExpr all = builder.getAffineDimExpr(0);
  int64_t stride = length;
  for (int64_t size : ArrayRef(sizes).drop_front(numKept)) {
    stride /= size;
    run.dims.push_back(index.apply(loc, all.floorDiv(stride) % size, 1,
                                   loop.getInductionVar()));
  }
  return emitAt(stage, std::move(run));
}

LogicalResult ColumnEmitter::emitStage(linalg::GenericOp stage) {
  if (!hasAllLoops(stage)) {
    Value isFirst = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::eq, group, index.constant(loc, 0));
    if (isInside)
      isFirst = arith::AndIOp::create(builder, loc, isInside, isFirst);
    Run run;
    run.dims = kept;
    return emitIf(isFirst, [&] { return emitAt(stage, run); });
  }
  if (isReduction(stage))
    createAccumulators(stage);
  if (failed(emitIf(isInside, [&] { return emitRows(stage); })))
    return failure();
  if (!isReduction(stage))
    return success();
  if (groups > 1) {
    Value place =
        index.add(loc, index.mul(loc, group, index.constant(loc, width)), x);
    combineGroups(stage, {}, place, x, width, groups);
  }
  finish(stage);
  return success();
}

LogicalResult ColumnEmitter::emit() {
  computeSchedule();
  AffineExpr all = builder.getAffineDimExpr(0);
  Value thread = threadNumber(), block = blockNumber(kernel.blocks);
  x = index.apply(named("x"), all % width, 1, thread);
  group = index.apply(named("group"), all.floorDiv(width), 1, thread);
  int64_t tiles = llvm::divideCeil(columns, width);
  Value tile = index.apply(named("tile"), all % tiles, 1, block);
  Value column = index.add(named("column"),
                           index.mul(loc, tile, index.constant(loc, width)), x);
  if (columns % width != 0)
    isInside = isBelow(column, columns);
  index.setBounds(column, 0, columns - 1);
  int64_t stride = outer * tiles;
  for (unsigned loop = 0; loop + 1 < numKept; ++loop) {
    stride /= sizes[loop];
    kept.push_back(
        index.apply(loc, all.floorDiv(stride) % sizes[loop], 1, block));
  }
  kept.push_back(column);
  for (linalg::GenericOp stage : stages)
    if (failed(emitStage(stage)))
      return failure();
  kernel.wideIndex |= index.needsWideIndex();
  return success();
}

LogicalResult
tandem::codegen::emitColumnReductions(MappedKernel &kernel,
                                      ArrayRef<linalg::GenericOp> stages) {
  return ColumnEmitter(kernel, stages).emit();
}
