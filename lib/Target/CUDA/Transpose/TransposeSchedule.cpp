//===- TransposeSchedule.cpp - Loops that transpose -----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelSchedule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tandem::codegen;

/// Rows and columns of a tile: as many as a warp has lanes.
static constexpr int64_t kTile = 32;
/// Elements from one row of a tile to the next in shared memory. One more than
/// a row has, so that a column's elements are in different banks.
static constexpr int64_t kPitch = kTile + 1;
/// Fewer rows or columns would leave most of a tile empty.
static constexpr int64_t kMinSize = 16;

//===----------------------------------------------------------------------===//
// The schedule
//===----------------------------------------------------------------------===//

/// Whether elements that differ by one in `loop` are next to each other.
static bool isContiguous(AffineExpr position, unsigned loop,
                         unsigned numLoops) {
  MLIRContext *context = position.getContext();
  AffineExpr dim = getAffineDimExpr(loop, context);
  AffineExpr start = position.replace(dim, getAffineConstantExpr(0, context));
  return simplifyAffineExpr(position - start - dim, numLoops, 0) == 0;
}

/// The loop other than the innermost one along which `access` is contiguous,
/// where that is worth a tile.
static std::optional<unsigned> acrossLoop(PointEmitter::Access access,
                                          ArrayRef<int64_t> sizes) {
  unsigned inner = sizes.size() - 1;
  auto [buffer, position] = access;
  if (!buffer || !position.isFunctionOfDim(inner) ||
      isContiguous(position, inner, sizes.size()))
    return std::nullopt;
  for (unsigned loop = 0; loop < inner; ++loop)
    if (sizes[loop] >= kMinSize && isContiguous(position, loop, sizes.size()))
      return loop;
  return std::nullopt;
}

std::optional<TransposeSchedule>
tandem::codegen::scheduleTranspose(linalg::GenericOp op,
                                   const KernelMemory &memory,
                                   const MappingOptions &options) {
  OpBuilder builder(op);
  IndexArithmetic index(builder);
  PointEmitter points(builder, index, memory, op);
  ArrayRef<int64_t> sizes = points.getSizes();
  bool inOrder = llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
    return op.getMatchingIndexingMap(&init).isIdentity();
  });
  if (!inOrder || sizes.size() < 2 || sizes.back() < kMinSize ||
      options.threads % kTile != 0 || options.threads > kTile * kTile)
    return std::nullopt;
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (op.getMatchingBlockArgument(input).use_empty())
      continue;
    if (std::optional<unsigned> across =
            acrossLoop(points.accessOf(*input), sizes)) {
      int64_t area = sizes[*across] * sizes.back();
      int64_t tiles = llvm::divideCeil(sizes[*across], kTile) *
                      llvm::divideCeil(sizes.back(), kTile);
      return TransposeSchedule{*across, ShapedType::getNumElements(sizes) /
                                            area * tiles};
    }
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// The code of a thread
//===----------------------------------------------------------------------===//

namespace {

/// A block reads a tile of each transposed input along the rows of that input,
/// and computes its points along the rows of the results.
class TransposeEmitter {
public:
  TransposeEmitter(MappedKernel &kernel, linalg::GenericOp op,
                   const TransposeSchedule &schedule)
      : kernel(kernel), builder(kernel.builder), index(builder),
        points(builder, index, kernel.memory, op), op(op), loc(op.getLoc()),
        across(schedule.across), inner(points.getSizes().size() - 1) {}

  LogicalResult emit();

private:
  void findTile();
  void allocateTiles();
  LogicalResult emitLoads();
  LogicalResult emitPoints();
  /// Calls `emit` for each of the thread's rows in the tile, in a branch that
  /// is taken if the point exists that has the row as its index of `rowLoop`
  /// and `lane` as its index of `laneLoop`.
  LogicalResult
  forEachRow(unsigned rowLoop, unsigned laneLoop,
             function_ref<LogicalResult(Value row, Run run)> emit);
  Value placeOf(Value row, Value column);
  Value multiple(Value value, int64_t factor) {
    return index.mul(loc, value, index.constant(loc, factor));
  }

  MappedKernel &kernel;
  OpBuilder &builder;
  IndexArithmetic index;
  PointEmitter points;
  linalg::GenericOp op;
  Location loc;
  unsigned across, inner;
  /// The thread's place in the tile.
  Value lane, group;
  /// The index in each loop of the tile's first point.
  SmallVector<Value> corner;
  llvm::MapVector<PointEmitter::Access, Value> tiles;
};

} // namespace

void TransposeEmitter::findTile() {
  ArrayRef<int64_t> sizes = points.getSizes();
  SmallVector<int64_t> counts(sizes);
  counts[across] = llvm::divideCeil(sizes[across], kTile);
  counts[inner] = llvm::divideCeil(sizes[inner], kTile);
  constexpr auto x = gpu::Dimension::x;
  Value thread = gpu::ThreadIdOp::create(builder, points.named("thread"), x);
  Value block = gpu::BlockIdOp::create(builder, points.named("block"), x);
  int64_t stride = ShapedType::getNumElements(counts);
  index.setBounds(thread, 0, kernel.threads - 1);
  index.setBounds(block, 0, stride - 1);
  AffineExpr all = builder.getAffineDimExpr(0);
  lane = index.apply(points.named("lane"), all % kTile, 1, thread);
  group = index.apply(points.named("group"), all.floorDiv(kTile), 1, thread);
  for (auto [loop, count] : llvm::enumerate(counts)) {
    stride /= count;
    bool isTiled = loop == across || loop == inner;
    Value tile = index.apply(points.named("tile"), all.floorDiv(stride) % count,
                             1, block);
    Location first = points.named("first_d" + Twine(loop));
    corner.push_back(
        isTiled ? index.mul(first, tile, index.constant(loc, kTile)) : tile);
  }
}

void TransposeEmitter::allocateTiles() {
  auto space = gpu::AddressSpaceAttr::get(builder.getContext(),
                                          gpu::AddressSpace::Workgroup);
  for (OpOperand *input : op.getDpsInputOperands()) {
    PointEmitter::Access access = points.accessOf(*input);
    if (acrossLoop(access, points.getSizes()) != across ||
        op.getMatchingBlockArgument(input).use_empty() ||
        tiles.contains(access))
      continue;
    Type element = cast<MemRefType>(access.first.getType()).getElementType();
    auto type = MemRefType::get(kTile * kPitch, element, AffineMap(), space);
    tiles[access] = memref::AllocaOp::create(
        builder, suffixed(access.first.getLoc(), "_tile"), type);
  }
}

Value TransposeEmitter::placeOf(Value row, Value column) {
  return index.add(loc, multiple(row, kPitch), column);
}

LogicalResult
TransposeEmitter::forEachRow(unsigned rowLoop, unsigned laneLoop,
                             function_ref<LogicalResult(Value, Run)> emit) {
  ArrayRef<int64_t> sizes = points.getSizes();
  int64_t groups = kernel.threads / kTile;
  OpBuilder::InsertionGuard guard(builder);
  Location step = points.named("step");
  auto loop = scf::ForOp::create(builder, step, index.constant(loc, 0),
                                 index.constant(loc, kTile / groups),
                                 index.constant(loc, 1));
  loop.getInductionVar().setLoc(step);
  builder.setInsertionPointToStart(loop.getBody());
  Value row = index.add(points.named("row"), group,
                        multiple(loop.getInductionVar(), groups));
  Run run;
  run.dims = corner;
  run.dims[rowLoop] = index.add(loc, corner[rowLoop], row);
  run.dims[laneLoop] = index.add(loc, corner[laneLoop], lane);
  for (unsigned tiled : {rowLoop, laneLoop}) {
    Value dim = run.dims[tiled];
    index.setBounds(dim, 0, sizes[tiled] - 1);
    if (sizes[tiled] % kTile == 0)
      continue;
    Value isInside =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, dim,
                              index.constant(loc, sizes[tiled]));
    auto guarded = scf::IfOp::create(builder, loc, isInside);
    builder.setInsertionPointToStart(guarded.thenBlock());
  }
  return emit(row, std::move(run));
}

LogicalResult TransposeEmitter::emitLoads() {
  return forEachRow(inner, across, [&](Value row, Run run) {
    points.begin(std::move(run));
    for (auto [access, tile] : tiles)
      memref::StoreOp::create(builder, loc, points.read(access), tile,
                              placeOf(row, lane));
    return success();
  });
}

LogicalResult TransposeEmitter::emitPoints() {
  return forEachRow(across, inner, [&](Value row, Run run) -> LogicalResult {
    points.begin(std::move(run));
    for (auto [access, tile] : tiles)
      points.give(access, memref::LoadOp::create(builder, tile.getLoc(), tile,
                                                 placeOf(lane, row)));
    FailureOr<SmallVector<Value>> yielded = points.emit({});
    if (failed(yielded))
      return failure();
    for (auto [init, value] :
         llvm::zip_equal(op.getDpsInitsMutable(), *yielded))
      points.store(init, value);
    return success();
  });
}

LogicalResult TransposeEmitter::emit() {
  findTile();
  allocateTiles();
  if (failed(emitLoads()))
    return failure();
  gpu::BarrierOp::create(builder, loc);
  LogicalResult result = emitPoints();
  kernel.wideIndex |= index.needsWideIndex();
  return result;
}

LogicalResult
tandem::codegen::emitTranspose(MappedKernel &kernel, linalg::GenericOp op,
                               const TransposeSchedule &schedule) {
  OpBuilder::InsertionGuard guard(kernel.builder);
  if (schedule.blocks < kernel.blocks) {
    Location loc = op.getLoc();
    Value block =
        gpu::BlockIdOp::create(kernel.builder, loc, gpu::Dimension::x);
    Value end =
        arith::ConstantIndexOp::create(kernel.builder, loc, schedule.blocks);
    Value isInside = arith::CmpIOp::create(
        kernel.builder, loc, arith::CmpIPredicate::slt, block, end);
    auto guarded = scf::IfOp::create(kernel.builder, loc, isInside);
    kernel.builder.setInsertionPointToStart(guarded.thenBlock());
  }
  return TransposeEmitter(kernel, op, schedule).emit();
}
