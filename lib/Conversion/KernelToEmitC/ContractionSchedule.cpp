//===- ContractionSchedule.cpp - Tiles of small convolutions --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionEmitter.h"

#include "CTypes.h"
#include "Patterns.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tandem;
using namespace tandem::conversion;

static constexpr int64_t kThreads = 256, kWarp = 32;
/// Shared memory that every block may have, in bytes.
static constexpr int64_t kMaxTileBytes = 48 << 10;

//===----------------------------------------------------------------------===//
// The schedule
//===----------------------------------------------------------------------===//

int64_t ContractionEmitter::columnsOf(int64_t groups) const {
  return (groups * kPositions - 1) * row.stride +
         (row.taps - 1) * row.dilation + 1;
}

LogicalResult ContractionEmitter::computeSchedule() {
  int64_t groups = contraction.outputChannels / kChannels;
  for (int64_t count = 1; count <= kWarp; ++count)
    if (groups % count == 0)
      channelGroups = count;
  channelTiles = groups / channelGroups;
  for (const Contraction::SpatialDim &dim : outerDims())
    tileRows *= dim.taps;
  int64_t bytes = byteSize(computed) * tileRows * contraction.inputChannels;
  rowGroups = std::min(kThreads / channelGroups,
                       llvm::divideCeilSigned(row.size, kPositions));
  while (rowGroups > 1 && bytes * columnsOf(rowGroups) > kMaxTileBytes)
    rowGroups /= 2;
  tileColumns = columnsOf(rowGroups);
  if (bytes * tileColumns > kMaxTileBytes)
    return hero->emitOpError("reads more at a time than shared memory holds");
  rowTiles = llvm::divideCeilSigned(row.size, rowGroups * kPositions);
  kernel.threads = llvm::alignTo(channelGroups * rowGroups, kWarp);
  kernel.blocks =
      contraction.getPositions() / row.size * rowTiles * channelTiles;
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

Value ContractionEmitter::allocateVariable(const Twine &name) {
  auto attr = gpu::AddressSpaceAttr::get(builder.getContext(),
                                         gpu::AddressSpace::Private);
  return memref::AllocaOp::create(
      builder, named(name), MemRefType::get({}, computed, AffineMap(), attr));
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
    sizes.push_back(dim.size);
  sizes.append({rowTiles, channelTiles});
  SmallVector<Value> place = delinearize(block, sizes, "place");
  size_t numBatch = contraction.batch.size();
  batch.assign(place.begin(), place.begin() + numBatch);
  outer.assign(place.begin() + numBatch, place.end() - 2);
  firstPosition = index.mul(named("first"), place[place.size() - 2],
                            constant(rowGroups * kPositions));
  AffineExpr all = builder.getAffineDimExpr(0);
  rowGroup =
      index.apply(named("group"), all.floorDiv(channelGroups), 1, thread);
  Value lane = index.apply(loc, all % channelGroups, 1, thread);
  Value channelGroup = scaled(place.back(), channelGroups, lane);
  channel = index.mul(named("channel"), channelGroup, constant(kChannels));
  index.setBounds(channel, 0, contraction.outputChannels - kChannels);
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
  int64_t elements = tileRows * tileColumns * contraction.inputChannels;
  tile = allocate("tile", elements, gpu::AddressSpace::Workgroup, computed);
  OpBuilder::InsertionGuard guard(builder);
  Value element = beginLoop("element", thread, elements, kernel.threads, 4);
  SmallVector<int64_t> sizes;
  for (const Contraction::SpatialDim &dim : outerDims())
    sizes.push_back(dim.taps);
  sizes.append({tileColumns, contraction.inputChannels});
  SmallVector<Value> place = delinearize(element, sizes, "tap");
  Value from = constant(0), isInside;
  for (auto [dim, number] : llvm::zip_equal(contraction.batch, batch))
    from = scaled(number, dim.dataStride, from);
  for (auto [dim, at, tap] : llvm::zip_equal(
           outerDims(), outer, ArrayRef(place).take_front(outer.size()))) {
    Value position = scaled(at, dim.stride,
                            scaled(tap, dim.dilation, constant(-dim.padLow)));
    if (dim.isPadded())
      isInside = isInData(position, dim.dataSize, isInside);
    from = scaled(position, dim.dataStride, from);
  }
  Value column = index.add(loc, place[place.size() - 2], constant(-row.padLow));
  Value position = scaled(firstPosition, row.stride, column);
  isInside = isInData(position, row.dataSize, isInside);
  from = scaled(position, row.dataStride, from);
  from = scaled(place.back(), contraction.inputDataStride, from);
  Value value = allocateVariable("value");
  store(arith::ConstantOp::create(builder, loc, builder.getZeroAttr(computed)),
        value, {});
  Value data = kernel.memory.operands.lookup(contraction.data);
  {
    OpBuilder::InsertionGuard inner(builder);
    beginIf(isInside);
    store(widen(load(data.getLoc(), data, from)), value, {});
  }
  store(load(value.getLoc(), value, {}), tile, element);
}

LogicalResult ContractionEmitter::emit() {
  Type element = contraction.result.getElementType();
  computed = isHalf(element) ? builder.getF32Type() : element;
  if (failed(computeSchedule()))
    return failure();
  findPlace();
  fillTile();
  gpu::BarrierOp::create(builder, loc);
  OpBuilder::InsertionGuard guard(builder);
  if (kernel.threads != channelGroups * rowGroups)
    beginIf(isBelow(rowGroup, rowGroups));
  createSums();
  accumulate();
  LogicalResult result = storeResults();
  kernel.wideIndex |= index.needsWideIndex();
  return result;
}

LogicalResult
tandem::conversion::emitContraction(MappedKernel &kernel, Operation *hero,
                                    ArrayRef<linalg::GenericOp> epilogue) {
  Expected<Contraction> contraction = describeContraction(hero);
  if (!contraction)
    return hero->emitOpError(contraction.error().message);
  if (Status can = checkSmallContraction(hero, *contraction); !can)
    return hero->emitOpError(can.error().message);
  if (epilogue.size() > 1)
    return hero->emitOpError("has more than one op behind it");
  return ContractionEmitter(kernel, hero, *contraction,
                            epilogue.empty() ? nullptr : epilogue.front())
      .emit();
}

Status
tandem::conversion::checkSmallContraction(Operation *hero,
                                          const Contraction &contraction) {
  constexpr int64_t kMostProducts = 64;
  bool isRead = contraction.data == hero->getOperand(0) &&
                contraction.weights == hero->getOperand(1) &&
                (!contraction.bias || contraction.bias == hero->getOperand(2));
  bool isContiguous = contraction.outputBlock == 1
                          ? contraction.outputBlockStride == 1
                          : contraction.outputStride == 1 &&
                                contraction.outputBlock % kChannels == 0 &&
                                contraction.outputBlockStride % kChannels == 0;
  for (const Contraction::SpatialDim &dim : contraction.spatial)
    isContiguous &= dim.weightsStride % kChannels == 0;
  isContiguous &= contraction.inputWeightsStride % kChannels == 0;
  int64_t taps = contraction.getReduction() / contraction.inputChannels;
  if (!isa<ir::ConvOp>(hero) || taps == 1)
    return fail("codegen",
                "is a matrix product, which the library does better");
  if (!isRead || contraction.hasInputPairs || contraction.isTransformed)
    return fail("codegen", "reads operands that are views or packed");
  if (contraction.groups != 1 ||
      contraction.outputDim + 1 != contraction.result.getRank() ||
      contraction.outputChannels % kChannels != 0 || !isContiguous)
    return fail("codegen", "has not " + std::to_string(kChannels) +
                               " output channels or a multiple of them, the "
                               "last dim of the result and of the weights");
  if (contraction.getReduction() > kMostProducts)
    return fail("codegen", "sums more than " + std::to_string(kMostProducts) +
                               " products, which the library does better");
  Type element = contraction.result.getElementType();
  auto isOfElement = [&](Value value) {
    return !value || getElementTypeOrSelf(value.getType()) == element;
  };
  if (!(element.isF32() || isHalf(element)) || !isOfElement(contraction.data) ||
      !isOfElement(contraction.weights) || !isOfElement(contraction.bias))
    return fail("codegen",
                "is of other types than f32, f16 and bf16, or of several");
  return {};
}
