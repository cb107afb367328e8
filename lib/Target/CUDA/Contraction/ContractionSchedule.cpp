//===- ContractionSchedule.cpp - Tiles of small convolutions --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction/ContractionEmitter.h"

#include "Conversion/KernelToEmitC/CTypes.h"
#include "Conversion/KernelToEmitC/Patterns.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace tandem;
using namespace tandem::codegen;
using namespace tandem::conversion;

/// Half of the threads that a multiprocessor may have: 64 registers for each.
static constexpr int64_t kResidentThreads = 1024;

//===----------------------------------------------------------------------===//
// The schedule
//===----------------------------------------------------------------------===//

/// Bytes of an element of what windows read.
static int64_t partElementBytes(ContractionEmitter::Ops ops) {
  Value staged =
      ops.epilogue ? ops.epilogue.getResult(0) : ops.hero->getResult(0);
  return byteSize(getElementTypeOrSelf(staged.getType()));
}

ContractionEmitter::ContractionEmitter(MappedKernel &kernel, Ops ops,
                                       const Contraction &contraction,
                                       const ContractionWindow *window)
    : ContractionTiles(contraction, window, partElementBytes(ops)),
      kernel(kernel), builder(kernel.builder), index(builder),
      contraction(contraction), row(contraction.spatial.back()), window(window),
      hero(ops.hero), epilogue(ops.epilogue), windowOp(ops.windowOp),
      loc(hero->getLoc()) {}

static bool hasFunctions(linalg::GenericOp op) {
  return op && llvm::any_of(*op.getBody(), [](Operation &inner) {
           return isa_and_nonnull<math::MathDialect>(inner.getDialect());
         });
}

LogicalResult ContractionEmitter::computeSchedule() {
  if (!fits())
    return hero->emitOpError("reads more at a time than shared memory holds");
  width = isChannelsLast ? channels : std::gcd(positions, row.size);
  if (window && !isChannelsLast) {
    // So that the elements of a run are in the result, or none is.
    const ContractionWindow::Dim &along = window->dims[row.resultDim];
    width =
        std::gcd(width, std::gcd(blockWindows * along.stride, along.padLow));
  }
  kernel.threads = threads;
  kernel.blocks = blocks;
  // Vectors of doubles need more registers, and so may functions.
  if (computed.isF32() && threads == kThreads && !hasFunctions(epilogue))
    kernel.residentBlocks = kResidentThreads / kThreads;
  return success();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

Value ContractionEmitter::allocate(const Twine &name, int64_t count,
                                   gpu::AddressSpace space, Type element) {
  auto attr = gpu::AddressSpaceAttr::get(builder.getContext(), space);
  return memref::AllocaOp::create(
      builder, named(name), MemRefType::get(count, element, AffineMap(), attr));
}

/// Shared memory for elements that are loaded as vectors.
Value ContractionEmitter::allocateShared(const Twine &name, int64_t count,
                                         Type element) {
  Value memory = allocate(name, count, gpu::AddressSpace::Workgroup, element);
  memory.getDefiningOp<memref::AllocaOp>().setAlignment(kVectorBytes);
  return memory;
}

Value ContractionEmitter::allocateVariable(const Twine &name) {
  auto attr = gpu::AddressSpaceAttr::get(builder.getContext(),
                                         gpu::AddressSpace::Private);
  return memref::AllocaOp::create(
      builder, named(name), MemRefType::get({}, computed, AffineMap(), attr));
}

Value ContractionEmitter::createZero(const Twine &name) {
  Value zero = allocateVariable(name);
  store(arith::ConstantOp::create(builder, loc, builder.getZeroAttr(computed)),
        zero, {});
  return zero;
}

Value ContractionEmitter::widen(Value value) {
  return value.getType() == computed
             ? value
             : arith::ExtFOp::create(builder, loc, computed, value);
}

Value ContractionEmitter::narrow(Value value, Type element) {
  return value.getType() == element
             ? value
             : arith::TruncFOp::create(builder, loc, element, value);
}

Value ContractionEmitter::beginLoop(StringRef name, Value from, int64_t count,
                                    int64_t step, int64_t unroll) {
  auto loop = scf::ForOp::create(builder, named(name), from, constant(count),
                                 constant(step));
  loop->setAttr(kUnrollAttrName, builder.getI64IntegerAttr(unroll));
  loop.getInductionVar().setLoc(named(name));
  index.setBounds(loop.getInductionVar(), 0, count - 1);
  builder.setInsertionPointToStart(loop.getBody());
  return loop.getInductionVar();
}

void ContractionEmitter::beginIf(Value condition) {
  auto guarded = scf::IfOp::create(builder, loc, condition);
  builder.setInsertionPointToStart(guarded.thenBlock());
}

SmallVector<Value> ContractionEmitter::delinearize(Value number,
                                                   ArrayRef<int64_t> sizes,
                                                   StringRef name) {
  SmallVector<Value> result;
  int64_t stride = ShapedType::getNumElements(sizes);
  AffineExpr all = builder.getAffineDimExpr(0);
  for (int64_t size : sizes) {
    stride /= size;
    result.push_back(
        index.apply(named(name), all.floorDiv(stride) % size, 1, number));
  }
  return result;
}

Value ContractionEmitter::linearize(ValueRange place, ArrayRef<int64_t> sizes) {
  Value position = constant(0);
  for (auto [at, size] : llvm::zip_equal(place, sizes))
    position = scaled(position, size, at);
  return position;
}

//===----------------------------------------------------------------------===//
// The tile
//===----------------------------------------------------------------------===//

void ContractionEmitter::findPlace() {
  constexpr auto x = gpu::Dimension::x;
  thread = gpu::ThreadIdOp::create(builder, named("thread"), x);
  Value block = gpu::BlockIdOp::create(builder, named("block"), x);
  index.setBounds(thread, 0, kernel.threads - 1);
  index.setBounds(block, 0, kernel.blocks - 1);
  SmallVector<int64_t> sizes;
  for (const Contraction::BatchDim &dim : contraction.batch)
    sizes.push_back(dim.size);
  for (const Contraction::SpatialDim &dim : outerDims())
    sizes.push_back(window ? window->dims[dim.resultDim].size : dim.size);
  sizes.append({rowTiles, channelTiles});
  SmallVector<Value> place = delinearize(block, sizes, "place");
  batch.assign(place.begin(), place.begin() + contraction.batch.size());
  outer.assign(place.begin() + batch.size(), place.end() - 2);
  firstPosition = index.mul(named("first"), place.end()[-2],
                            constant(window ? blockWindows : blockPositions()));
  if (window)
    findPositions();
  Value lane = findThread();
  Value channelGroup = scaled(place.back(), channelGroups, lane);
  channel = index.mul(named("channel"), channelGroup, constant(channels));
  index.setBounds(channel, 0, contraction.outputChannels - channels);
  channelInBlock = index.mul(loc, lane, constant(channels));
  firstChannel = index.mul(loc, place.back(), constant(blockChannels()));
}

/// Replaces the position of the block's first window by the first position that
/// this window reads.
void ContractionEmitter::findPositions() {
  auto firstOf = [&](Value at, int64_t resultDim) {
    const ContractionWindow::Dim &along = window->dims[resultDim];
    return scaled(at, along.stride, constant(-along.padLow));
  };
  firstWindow = firstPosition;
  outerWindows = outer;
  firstPosition = firstOf(firstWindow, row.resultDim);
  for (auto [dim, at] : llvm::zip_equal(outerDims(), outer))
    at = firstOf(at, dim.resultDim);
}

/// Computes which rows and positions the thread has. Returns the number of the
/// thread's group of channels. Neighboring threads have adjacent elements of
/// the result.
Value ContractionEmitter::findThread() {
  AffineExpr number = builder.getAffineDimExpr(0);
  const auto [first, second] = isChannelsLast
                                   ? std::pair(channelGroups, rowGroups)
                                   : std::pair(rowGroups, channelGroups);
  AffineExpr groups[] = {number % first, number.floorDiv(first) % second};
  if (partRows > 1) {
    Value partRow =
        index.apply(loc, number.floorDiv(first * second), 1, thread);
    partAt = delinearize(partRow, partSizes, "part_row");
  }
  rowGroup = index.apply(named("group"), groups[isChannelsLast], 1, thread);
  return index.apply(loc, groups[!isChannelsLast], 1, thread);
}

/// `isInside` and whether `position` is one of `size` of the data.
Value ContractionEmitter::isInData(Value position, int64_t size,
                                   Value isInside) {
  Value isBehindStart = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::sge, position, constant(0));
  Value both = arith::AndIOp::create(builder, loc, isBehindStart,
                                     isBelow(position, size));
  return isInside
             ? arith::AndIOp::create(builder, loc, isInside, both).getResult()
             : both;
}

/// All threads load the tile, in the order of the data; what is outside is
/// zero.
void ContractionEmitter::fillTile() {
  SmallVector<int64_t> sizes = tileRows;
  sizes.append({inputTerms, tileColumns});
  int64_t elements = llvm::product_of(sizes);
  tile = allocateShared("tile", elements, computed);
  OpBuilder::InsertionGuard guard(builder);
  Value element = beginLoop("element", thread, elements, kernel.threads, 4);
  const bool hasChannelsLast = contraction.inputDataStride == 1;
  SmallVector<int64_t> order = sizes;
  if (hasChannelsLast)
    std::swap(order.end()[-1], order.end()[-2]);
  SmallVector<Value> place = delinearize(element, order, "tap");
  if (hasChannelsLast)
    std::swap(place.end()[-1], place.end()[-2]);
  Value from = constant(0), isInside;
  for (auto [dim, number] : llvm::zip_equal(contraction.batch, batch))
    from = scaled(number, dim.dataStride, from);
  for (auto [dim, at, tap, step] :
       llvm::zip(outerDims(), outer, place, tileSteps)) {
    Value position =
        scaled(at, dim.stride, scaled(tap, step, constant(-dim.padLow)));
    if (window || dim.isPadded())
      isInside = isInData(position, dim.dataSize, isInside);
    from = scaled(position, dim.dataStride, from);
  }
  Value column = index.add(loc, place.back(), constant(-row.padLow));
  Value position = scaled(firstPosition, row.stride, column);
  isInside = isInData(position, row.dataSize, isInside);
  from = scaled(position, row.dataStride, from);
  Value input = place.end()[-2];
  from = scaled(input, (areQuads ? 4 : 1) * contraction.inputDataStride, from);
  Value value = createZero("value");
  Value data = kernel.memory.operands.lookup(contraction.data);
  {
    OpBuilder::InsertionGuard inner(builder);
    beginIf(isInside);
    store(areQuads ? loadDataQuad(data, from, input)
                   : widen(load(data.getLoc(), data, from)),
          value, {});
  }
  store(load(value.getLoc(), value, {}), tile,
        hasChannelsLast ? linearize(place, sizes) : element);
}

LogicalResult ContractionEmitter::emit() {
  Type element = contraction.result.getElementType();
  computed = isHalf(element) ? builder.getF32Type() : element;
  if (failed(computeSchedule()))
    return failure();
  if (window && failed(verifyWindow()))
    return failure();
  findPlace();
  fillTile();
  if (!weightsAreVectors)
    fillWeights();
  if (window)
    createPart();
  gpu::BarrierOp::create(builder, loc);
  {
    OpBuilder::InsertionGuard guard(builder);
    if (int64_t count = channelGroups * rowGroups * partRows; count != threads)
      beginIf(isBelow(thread, count));
    createSums();
    accumulate();
    if (failed(storeResults()))
      return failure();
  }
  LogicalResult result = window ? storeWindows() : success();
  kernel.wideIndex |= index.needsWideIndex();
  return result;
}

LogicalResult
tandem::codegen::emitContraction(MappedKernel &kernel, Operation *hero,
                                 ArrayRef<linalg::GenericOp> behind) {
  Expected<Contraction> contraction = describeContraction(hero);
  if (!contraction)
    return hero->emitOpError(contraction.error().message);
  if (Status can = checkSmallContraction(hero, *contraction); !can)
    return hero->emitOpError(can.error().message);
  ContractionEmitter::Ops ops{hero, nullptr, nullptr};
  std::optional<ContractionWindow> window;
  for (linalg::GenericOp op : behind) {
    std::optional<ContractionWindow> found = getWindow(op);
    if (found ? ops.windowOp : (ops.epilogue || ops.windowOp))
      return op.emitOpError("is one too many behind the contraction");
    (found ? ops.windowOp : ops.epilogue) = op;
    if (found)
      window = std::move(found);
  }
  return ContractionEmitter(kernel, ops, *contraction,
                            window ? &*window : nullptr)
      .emit();
}

codegen::BlockPart
tandem::codegen::getBlockPart(const Contraction &contraction,
                              const ContractionWindow &window,
                              int64_t elementBytes) {
  const ContractionTiles tiles(contraction, &window, elementBytes);
  BlockPart part;
  part.bytes = tiles.partBytes();
  // What its threads compute, and what fits beside data and weights.
  part.mostBytes = std::min(ContractionTiles::kThreads * tiles.channels *
                                tiles.positions * elementBytes,
                            ContractionTiles::kMaxSharedBytes -
                                (tiles.sharedBytes - part.bytes));
  double computed = double(tiles.blocks / tiles.channelTiles) *
                    double(tiles.partRows * tiles.blockPositions());
  part.repeatedShare =
      std::max(computed / double(contraction.getPositions()) - 1, 0.0);
  return part;
}
