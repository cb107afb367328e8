//===- ChannelTileEmitter.cpp - Tiles of channels along vectors -----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction/Tile/ChannelTileEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <algorithm>

using namespace mlir;

namespace tandem {

SmallVector<Value> ChannelTileEmitter::emitTile() {
  if (scales)
    scalesOffset = getScalesOffset(*tile);
  auto emitRange = [&](const TapRange &range, Levels levels, Offsets offsets,
                       const Accumulators &sums) {
    Level inputs = getInputs();
    appendTaps(levels, getTaps(range), inputs);
    levels.push_back(inputs);
    return emitLevels(
        levels, offsets, sums,
        [&](Value number, Offsets at, const Accumulators &before) {
          return scales && tile->rows < tile->vectors
                     ? emitVectorByVector(number, at, before)
                     : emitProducts(range, number, at, before);
        });
  };
  return addBias(*tile, emitRanges(createZeros(*tile), emitRange));
}

Value ChannelTileEmitter::getScalesOfStep(Value number) const {
  if (!scales || contraction.inputsPerScale >= contraction.inputChannels)
    return scalesOffset;
  Value block = arith::DivUIOp::create(builder, loc, number,
                                       index(contraction.inputsPerScale));
  return addScaled(scalesOffset, block, contraction.scaleStride);
}

Value ChannelTileEmitter::loadWeights(int64_t v, Offsets offsets,
                                      Value ofStep) {
  Value mask = getWeightsMask(*tile, v);
  return scales ? loadScaled(offsets.weights, ofStep, v, mask)
                : loadVector(weights, offsets.weights, v * width, mask);
}

/// If the tile has a single row, weights in f32 become memory operands of the
/// multiply-adds. Weights with scales need a register while they are converted,
/// and a tile has registers for few of them.
SmallVector<Value>
ChannelTileEmitter::emitVectorByVector(Value number, Offsets offsets,
                                       const Accumulators &sums) {
  const int64_t step = getInner().stride * getInner().dataStride;
  SmallVector<Value> ofRow;
  for (int64_t row = 0; row < tile->rows; ++row)
    ofRow.push_back(loadSplat(data, offsets.data, row * step));
  Value ofStep = getScalesOfStep(number);
  Accumulators result = sums;
  const auto emitVector = [&](int64_t v) {
    if (v >= tile->vectors)
      return;
    Value ofVector = loadWeights(v, offsets, ofStep);
    for (int64_t row = 0; row < tile->rows; ++row) {
      Value &sum = result[row * tile->vectors + v];
      sum = multiplyAdd(ofRow[row], ofVector, sum);
    }
  };
  // Vectors v and v + distance of paired integers share the same bytes.
  const int64_t together = contraction.areIntegersPaired() ? 2 : 1,
                distance = strategy.vectors / together;
  for (int64_t v = 0; v < std::min(distance, tile->vectors); ++v) {
    if (v > 0)
      separateLoads();
    for (int64_t i = 0; i < together; ++i)
      emitVector(v + i * distance);
  }
  return result;
}

SmallVector<Value> ChannelTileEmitter::emitProducts(const TapRange &range,
                                                    Value number,
                                                    Offsets offsets,
                                                    const Accumulators &sums) {
  const Contraction::SpatialDim &dim = getInner();
  bool areGroups = strategy.vectorizedDim == VectorizedDim::Group;
  SmallVector<Value> ofVector;
  Value ofStep = getScalesOfStep(number);
  for (int64_t v = 0; v < tile->vectors; ++v)
    ofVector.push_back(loadWeights(v, offsets, ofStep));
  Value tap;
  if (!tile->guardedRows.empty())
    tap = getInnerTap(number);
  Accumulators result = sums;
  for (int64_t row = range.firstRow; row < range.lastRow; ++row) {
    int64_t distance = row * dim.stride * dim.dataStride;
    Value inputs;
    if (llvm::is_contained(tile->guardedRows, row))
      inputs = loadGuarded(row, tap, offsets);
    else if (!areGroups)
      inputs = loadSplat(data, offsets.data, distance);
    for (int64_t v = 0; v < tile->vectors; ++v) {
      if (areGroups)
        inputs = loadVector(data, offsets.data, distance + v * width,
                            tile->getMask(v));
      Value &sum = result[row * tile->vectors + v];
      sum = multiplyAdd(inputs, ofVector[v], sum);
    }
  }
  return result;
}

/// Prefetches the data that only the last tap of a later tile reads; tiles
/// before it have read the data of the other taps. At the end of a row, that is
/// data of the next row, and at the end of the last row, the last bytes of the
/// data.
void ChannelTileEmitter::prefetchAhead(const ContractionTile &which) {
  if (strategy.tilesAhead == 0 || isDataStaged)
    return;
  const Contraction::SpatialDim &dim = getInner();
  const int64_t bytes = contraction.inputChannels * format.bytes;
  auto getDistance = [&](int64_t row) {
    int64_t ahead = strategy.tilesAhead * which.rows + row;
    return (ahead * dim.stride + (dim.taps - 1) * dim.dilation) *
           dim.dataStride;
  };
  Value first =
      keepInData(getFirstOffsets(which).data,
                 getDistance(which.rows - 1) + contraction.inputChannels);
  for (int64_t row = 0; row < which.rows; ++row) {
    Value pointer = getPointer(data, first, getDistance(row));
    for (int64_t byte = 0; byte < bytes; byte += strategy.prefetchBytes)
      prefetch(builder, loc, pointer, byte, /*isWritten=*/false,
               PrefetchLevel::First);
  }
}

void ChannelTileEmitter::prepareGuards(KernelScratch &scratch) {
  Type type = builder.getF32Type();
  zero = scratch.allocate(type, 1);
  LLVM::StoreOp::create(
      builder, loc,
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type)), zero);
}

/// Returns the innermost tap of step `number`. Steps are numbered in an order
/// whose last dims are [taps][inputs].
Value ChannelTileEmitter::getInnerTap(Value number) {
  Value taps = arith::DivUIOp::create(builder, loc, number,
                                      index(contraction.inputChannels));
  return arith::RemUIOp::create(builder, loc, taps, index(getInner().taps));
}

Value ChannelTileEmitter::loadGuarded(int64_t row, Value tap, Offsets offsets) {
  const Contraction::SpatialDim &dim = getInner();
  Value at = addScaled(index(row * dim.stride - dim.padLow), tile->position,
                       dim.stride);
  at = addScaled(at, tap, dim.dilation);
  // The index of a position before the data is negative. As an unsigned number,
  // it is larger than the size of the data.
  Value isData = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                       at, index(dim.dataSize));
  Value pointer =
      getPointer(data, offsets.data, row * dim.stride * dim.dataStride);
  pointer = arith::SelectOp::create(builder, loc, isData, pointer, zero);
  Value scalar = LLVM::LoadOp::create(builder, loc, builder.getF32Type(),
                                      pointer, /*alignment=*/4);
  return splat(vectorType, scalar);
}

} // namespace tandem
