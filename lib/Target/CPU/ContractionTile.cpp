//===- ContractionTile.cpp - One register tile of a contraction -----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionTile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tandem {

/// Shorter loops over inputs are unrolled.
static constexpr int64_t kMaxUnrolledInputs = 4;

ContractionTileEmitter::ContractionTileEmitter(
    OpBuilder &builder, Location loc, const Contraction &contraction,
    const ContractionStrategy &strategy, Value data, Value weights, Value bias)
    : builder(builder), loc(loc), contraction(contraction),
      lanes(strategy.lanes), width(strategy.width),
      vectorType(VectorType::get({width}, builder.getF32Type())),
      sumType(VectorType::get({areDots() ? strategy.sumWidth : width},
                              builder.getF32Type())),
      data(data), weights(weights), bias(bias) {}

SmallVector<Value> ContractionTileEmitter::emit(const ContractionTile &tile) {
  this->tile = &tile;
  if (!areDots())
    return emitOuterTaps(0, getFirstOffsets(), createInitial());
  computeColumns();
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(sumType));
  Accumulators zeros(tile.rows * width, zero);
  return emitLaneSums(emitOuterTaps(0, getFirstOffsets(), zeros));
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

Value ContractionTileEmitter::index(int64_t value) const {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value ContractionTileEmitter::add(Value a, Value b) const {
  return arith::AddIOp::create(builder, loc, a, b,
                               arith::IntegerOverflowFlags::nsw);
}

Value ContractionTileEmitter::add(Value a, int64_t b) const {
  return b == 0 ? a : add(a, index(b));
}

Value ContractionTileEmitter::addScaled(Value a, Value b,
                                        int64_t factor) const {
  if (factor == 0 || !b)
    return a;
  Value scaled = factor == 1
                     ? b
                     : arith::MulIOp::create(builder, loc, b, index(factor),
                                             arith::IntegerOverflowFlags::nsw);
  return add(a, scaled);
}

/// Of the tile's first row and lane at tap 0: maybe ahead of the data, where
/// that is padding.
ContractionTileEmitter::Offsets
ContractionTileEmitter::getFirstOffsets() const {
  Value dataOffset = index(0), weightsOffset = index(0);
  for (auto [dim, at] : llvm::zip(contraction.batch, tile->batch)) {
    dataOffset = addScaled(dataOffset, at, dim.dataStride);
    weightsOffset = addScaled(weightsOffset, at, dim.weightsStride);
  }
  int64_t padding = 0;
  for (auto [i, dim] : llvm::enumerate(contraction.spatial)) {
    Value at = i < tile->outer.size() ? tile->outer[i] : tile->position;
    dataOffset = addScaled(dataOffset, at, dim.stride * dim.dataStride);
    padding += dim.padLow * dim.dataStride;
  }
  dataOffset = add(dataOffset, -padding);
  dataOffset = addScaled(dataOffset, tile->group, contraction.groupDataStride);
  weightsOffset =
      addScaled(weightsOffset, tile->group, contraction.groupWeightsStride);
  if (contraction.outputBlock == contraction.outputs)
    return {dataOffset,
            addScaled(weightsOffset, tile->output, contraction.outputStride)};
  // A tile lies within a block.
  Value block = index(contraction.outputBlock);
  weightsOffset = addScaled(
      weightsOffset, arith::DivUIOp::create(builder, loc, tile->output, block),
      contraction.outputBlockStride);
  return {dataOffset,
          addScaled(weightsOffset,
                    arith::RemUIOp::create(builder, loc, tile->output, block),
                    contraction.outputStride)};
}

Value ContractionTileEmitter::getPointer(Value base, Value offset,
                                         int64_t distance) {
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Value at =
      arith::IndexCastOp::create(builder, loc, builder.getI64Type(), offset);
  Value first = LLVM::GEPOp::create(builder, loc, pointer, builder.getF32Type(),
                                    base, ValueRange(at));
  if (distance == 0)
    return first;
  return LLVM::GEPOp::create(
      builder, loc, pointer, builder.getF32Type(), first,
      ArrayRef<LLVM::GEPArg>(static_cast<int32_t>(distance)));
}

Value ContractionTileEmitter::loadVector(Value base, Value offset,
                                         int64_t distance, Value mask) {
  return loadVector(vectorType, getPointer(base, offset, distance), mask);
}

Value ContractionTileEmitter::loadVector(VectorType type, Value pointer,
                                         Value mask) {
  unsigned alignment = 4;
  if (!mask)
    return LLVM::LoadOp::create(builder, loc, type, pointer, alignment);
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  return LLVM::MaskedLoadOp::create(builder, loc, type, pointer, mask, zero,
                                    alignment);
}

static Value splat(OpBuilder &builder, Location loc, VectorType type,
                   Value scalar) {
  Value poison = LLVM::PoisonOp::create(builder, loc, type);
  Value zero = LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                        builder.getI64IntegerAttr(0));
  Value first =
      LLVM::InsertElementOp::create(builder, loc, poison, scalar, zero);
  SmallVector<int32_t> lanes(type.getNumElements(), 0);
  return LLVM::ShuffleVectorOp::create(builder, loc, first, poison, lanes);
}

Value ContractionTileEmitter::loadSplat(Value base, Value offset,
                                        int64_t distance) {
  Value scalar =
      LLVM::LoadOp::create(builder, loc, builder.getF32Type(),
                           getPointer(base, offset, distance), /*alignment=*/4);
  return splat(builder, loc, vectorType, scalar);
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// The bias, or zeros.
SmallVector<Value> ContractionTileEmitter::createInitial() {
  Accumulators sums;
  if (!bias) {
    sums.assign(tile->rows * tile->vectors,
                arith::ConstantOp::create(builder, loc,
                                          builder.getZeroAttr(vectorType)));
    return sums;
  }
  bool isAlongRows = lanes == ContractionLanes::Positions;
  Value first = addScaled(tile->output, tile->group, contraction.outputs);
  SmallVector<Value> ofVector;
  for (int64_t v = 0; v < tile->vectors && !isAlongRows; ++v)
    ofVector.push_back(loadVector(
        bias, first, v * width, v + 1 == tile->vectors ? tile->mask : Value()));
  for (int64_t row = 0; row < tile->rows; ++row) {
    if (isAlongRows)
      ofVector.assign(tile->vectors, loadSplat(bias, first, row));
    sums.append(ofVector);
  }
  return sums;
}

SmallVector<Value> ContractionTileEmitter::emitLoop(
    Value lower, Value upper, int64_t dataStep, int64_t weightsStep,
    Offsets offsets, const Accumulators &sums,
    function_ref<Accumulators(Value, Offsets, const Accumulators &)> emitBody) {
  auto loop = scf::ForOp::create(builder, loc, lower, upper, index(1), sums);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value iteration = loop.getInductionVar();
  Offsets at{addScaled(offsets.data, iteration, dataStep),
             addScaled(offsets.weights, iteration, weightsStep)};
  Accumulators next = emitBody(iteration, at,
                               Accumulators(loop.getRegionIterArgs().begin(),
                                            loop.getRegionIterArgs().end()));
  scf::YieldOp::create(builder, loc, next);
  return Accumulators(loop.getResults().begin(), loop.getResults().end());
}

/// Taps of a dim around the innermost: those that are padding for the tile's
/// row are not visited.
SmallVector<Value>
ContractionTileEmitter::emitOuterTaps(unsigned number, Offsets offsets,
                                      const Accumulators &sums) {
  if (number == tile->outer.size())
    return emitInnerTaps(offsets, sums);
  const Contraction::SpatialDim &dim = contraction.spatial[number];
  auto emitNext = [&](Value, Offsets at, const Accumulators &sumsBefore) {
    return emitOuterTaps(number + 1, at, sumsBefore);
  };
  if (dim.taps == 1 && !dim.isPadded())
    return emitNext({}, offsets, sums);
  Value lower = index(0), upper = index(dim.taps);
  if (dim.isPadded()) {
    // 0 <= at * stride - pad + tap * dilation < size
    Value first =
        addScaled(index(-dim.padLow), tile->outer[number], dim.stride);
    Value low = arith::SubIOp::create(builder, loc, index(0), first);
    Value high =
        arith::SubIOp::create(builder, loc, index(dim.dataSize), first);
    if (dim.dilation != 1) {
      low = arith::CeilDivSIOp::create(builder, loc, low, index(dim.dilation));
      high =
          arith::CeilDivSIOp::create(builder, loc, high, index(dim.dilation));
    }
    lower = arith::MaxSIOp::create(builder, loc, lower, low);
    upper = arith::MinSIOp::create(builder, loc, upper, high);
  }
  return emitLoop(lower, upper, dim.dilation * dim.dataStride,
                  dim.weightsStride, offsets, sums, emitNext);
}

bool ContractionTileEmitter::isInterior(int64_t position, int64_t rows) const {
  const Contraction::SpatialDim &dim = getInner();
  return position * dim.stride >= dim.padLow &&
         (position + rows - 1) * dim.stride - dim.padLow +
                 (dim.taps - 1) * dim.dilation <
             dim.dataSize;
}

/// The rows for which a tap is no padding are neighbours; taps with the same
/// rows share a loop.
SmallVector<ContractionTileEmitter::TapRange>
ContractionTileEmitter::getTapRanges() const {
  const Contraction::SpatialDim &dim = getInner();
  if (lanes == ContractionLanes::Positions || !tile->knownPosition ||
      isInterior(*tile->knownPosition, tile->rows))
    return {{0, dim.taps, 0, tile->rows}};
  SmallVector<TapRange> ranges;
  for (int64_t tap = 0; tap < dim.taps; ++tap) {
    auto isData = [&](int64_t row) {
      int64_t at = (*tile->knownPosition + row) * dim.stride - dim.padLow +
                   tap * dim.dilation;
      return at >= 0 && at < dim.dataSize;
    };
    int64_t first = 0, last = tile->rows;
    while (first < last && !isData(first))
      ++first;
    while (last > first && !isData(last - 1))
      --last;
    if (!ranges.empty() && ranges.back().lastTap == tap &&
        ranges.back().firstRow == first && ranges.back().lastRow == last)
      ++ranges.back().lastTap;
    else if (first < last)
      ranges.push_back({tap, tap + 1, first, last});
  }
  return ranges;
}

SmallVector<Value>
ContractionTileEmitter::emitInnerTaps(Offsets offsets,
                                      const Accumulators &sums) {
  Accumulators result = sums;
  for (const TapRange &range : getTapRanges())
    result = emitTaps(range, offsets, result);
  return result;
}

SmallVector<Value> ContractionTileEmitter::emitTaps(const TapRange &range,
                                                    Offsets offsets,
                                                    const Accumulators &sums) {
  const Contraction::SpatialDim &dim = getInner();
  int64_t dataStep = dim.dilation * dim.dataStride,
          taps = range.lastTap - range.firstTap;
  Offsets first{add(offsets.data, range.firstTap * dataStep),
                add(offsets.weights, range.firstTap * dim.weightsStride)};
  bool isMasked = arePositionsMasked();
  // Taps and inputs are often one run in memory.
  if (!isMasked &&
      dataStep == contraction.inputs * contraction.inputDataStride &&
      dim.weightsStride == contraction.inputs * contraction.inputWeightsStride)
    return emitInputs(taps * contraction.inputs, range, first, sums);
  auto emitTap = [&](Value tap, Offsets at, const Accumulators &before) {
    if (isMasked)
      computeLaneMasks(tap);
    return emitInputs(contraction.inputs, range, at, before);
  };
  if (taps == 1)
    return emitTap(index(range.firstTap), first, sums);
  return emitLoop(index(0), index(taps), dataStep, dim.weightsStride, first,
                  sums, emitTap);
}

bool ContractionTileEmitter::arePositionsMasked() const {
  return lanes == ContractionLanes::Positions &&
         (getInner().isPadded() || tile->mask);
}

/// Lane l of vector v reads position first + v * width + l of the data.
void ContractionTileEmitter::computeLaneMasks(Value tap) {
  const Contraction::SpatialDim &dim = getInner();
  Type i32 = builder.getI32Type();
  auto type = VectorType::get({width}, i32);
  auto numbers = llvm::to_vector(llvm::seq<int32_t>(0, width));
  Value iota = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(type, ArrayRef<int32_t>(numbers)));
  Value first = addScaled(add(tile->position, -dim.padLow), tap, dim.dilation);
  auto compare = [&](arith::CmpIPredicate predicate, Value bound) -> Value {
    Value scalar = arith::IndexCastOp::create(builder, loc, i32, bound);
    return arith::CmpIOp::create(builder, loc, predicate, iota,
                                 splat(builder, loc, type, scalar));
  };
  laneMasks.clear();
  for (int64_t v = 0; v < tile->vectors; ++v) {
    Value at = add(first, v * width);
    Value low = compare(arith::CmpIPredicate::sge,
                        arith::SubIOp::create(builder, loc, index(0), at));
    Value high =
        compare(arith::CmpIPredicate::slt,
                arith::SubIOp::create(builder, loc, index(dim.dataSize), at));
    laneMasks.push_back(arith::AndIOp::create(builder, loc, low, high));
  }
}

SmallVector<Value>
ContractionTileEmitter::emitInputs(int64_t count, const TapRange &range,
                                   Offsets offsets, const Accumulators &sums) {
  if (areDots())
    return emitDots(count, range, offsets, sums);
  int64_t dataStep = contraction.inputDataStride;
  int64_t weightsStep = contraction.inputWeightsStride;
  if (count > kMaxUnrolledInputs)
    return emitLoop(index(0), index(count), dataStep, weightsStep, offsets,
                    sums, [&](Value, Offsets at, const Accumulators &before) {
                      return emitProducts(range, at, before);
                    });
  Accumulators result = sums;
  for (int64_t i = 0; i < count; ++i)
    result = emitProducts(range,
                          {add(offsets.data, i * dataStep),
                           add(offsets.weights, i * weightsStep)},
                          result);
  return result;
}

/// One product for each element: vectors times broadcast scalars, or two
/// vectors where groups run along the lanes.
SmallVector<Value>
ContractionTileEmitter::emitProducts(const TapRange &range, Offsets offsets,
                                     const Accumulators &sums) {
  bool isPositions = lanes == ContractionLanes::Positions;
  const Contraction::SpatialDim &dim = getInner();
  // What all rows share.
  SmallVector<Value> shared;
  for (int64_t v = 0; v < tile->vectors; ++v) {
    bool isLast = v + 1 == tile->vectors;
    bool isPacked = contraction.outputBlock != contraction.outputs;
    if (isPositions)
      shared.push_back(
          loadVector(data, offsets.data, v * width,
                     arePositionsMasked() ? laneMasks[v] : Value()));
    else
      shared.push_back(loadVector(weights, offsets.weights, v * width,
                                  isLast && !isPacked ? tile->mask : Value()));
  }
  Accumulators result = sums;
  for (int64_t row = range.firstRow; row < range.lastRow; ++row) {
    Value broadcast;
    int64_t distance = row * dim.stride * dim.dataStride;
    if (isPositions)
      broadcast =
          loadSplat(weights, offsets.weights, row * contraction.outputStride);
    else if (lanes == ContractionLanes::Outputs)
      broadcast = loadSplat(data, offsets.data, distance);
    for (int64_t v = 0; v < tile->vectors; ++v) {
      Value other = broadcast;
      if (!other)
        other = loadVector(data, offsets.data, distance + v * width,
                           v + 1 == tile->vectors ? tile->mask : Value());
      Value &sum = result[row * tile->vectors + v];
      sum = LLVM::FMulAddOp::create(builder, loc, vectorType, other, shared[v],
                                    sum);
    }
  }
  return result;
}

} // namespace tandem
