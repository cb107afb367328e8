//===- PositionTileEmitter.cpp - Tiles of positions along vectors ---------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction/Tile/PositionTileEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tandem {

SmallVector<Value> PositionTileEmitter::emitTile() {
  Accumulators sums = createZeros(*tile);
  Levels levels = getOuterTaps();
  Offsets offsets = getFirstOffsets(*tile);
  Level taps = getTaps(getAllTaps()), inputs = getInputs();
  if (!isMasked())
    appendTaps(levels, taps, inputs);
  levels.push_back(inputs);
  auto emitStep = [&](Value, Offsets at, const Accumulators &before) {
    return emitProducts(at, before);
  };
  return addSplatBias(
      isMasked() ? emitMaskedTaps(levels, taps, offsets, sums, emitStep)
                 : emitLevels(levels, offsets, sums, emitStep));
}

/// Adds the bias of each row's output to all lanes of the row; see addBias.
SmallVector<Value> PositionTileEmitter::addSplatBias(Accumulators sums) {
  if (!bias)
    return sums;
  Value first = getBiasOffset(*tile);
  for (int64_t row = 0; row < tile->rows; ++row) {
    Value ofRow = loadSplat(bias, first, row);
    for (Value &sum :
         MutableArrayRef(sums).slice(row * tile->vectors, tile->vectors))
      sum = arith::AddFOp::create(builder, loc, sum, ofRow);
  }
  return sums;
}

/// Makes the loop over taps the outermost one, so that masks are computed only
/// once for each tap.
SmallVector<Value> PositionTileEmitter::emitMaskedTaps(ArrayRef<Level> levels,
                                                       Level taps,
                                                       Offsets offsets,
                                                       const Accumulators &sums,
                                                       EmitStep emitStep) {
  auto emitTap = [&](Value tap, Offsets at, const Accumulators &before) {
    computeMasks(tap);
    return emitLevels(levels, at, before, emitStep);
  };
  return taps.count == 1 ? emitTap(index(0), offsets, sums)
                         : emitLoop(taps, offsets, sums, emitTap);
}

SmallVector<Value> PositionTileEmitter::emitProducts(Offsets offsets,
                                                     const Accumulators &sums) {
  SmallVector<Value> ofVector(tile->vectors);
  auto load = [&](Value offset) {
    for (int64_t v = 0; v < tile->vectors; ++v)
      ofVector[v] = loadPositions(v, offset);
  };
  Accumulators result = sums;
  for (int64_t row = 0; row < tile->rows; ++row) {
    if (row == 0 || contraction.outputDataStride != 0)
      load(add(offsets.data, row * contraction.outputDataStride));
    Value weight =
        loadSplat(weights, offsets.weights, row * contraction.outputStride);
    for (int64_t v = 0; v < tile->vectors; ++v) {
      Value &sum = result[row * tile->vectors + v];
      sum = multiplyAdd(weight, ofVector[v], sum);
    }
  }
  return result;
}

/// The lanes of a vector of the tile are picked from several loaded vectors
/// (parts), as many as the stride. The last part ends at the element of the
/// last lane, because memory behind that element may not be mapped.
SmallVector<int64_t> PositionTileEmitter::getPartOffsets(int64_t v) const {
  int64_t stride = getInner().stride, first = v * width * stride;
  SmallVector<int64_t> offsets;
  for (int64_t part = 0; part + 1 < stride; ++part)
    offsets.push_back(first + part * width);
  offsets.push_back(first + (stride - 1) * (width - 1));
  return offsets;
}

/// Returns the lanes of vector `v`, picked from its parts one after the other.
Value PositionTileEmitter::loadPositions(int64_t v, Value offset) {
  int64_t stride = getInner().stride;
  SmallVector<int64_t> parts = getPartOffsets(v);
  Value result;
  for (auto [part, at] : llvm::enumerate(parts)) {
    Value loaded = loadVector(data, offset, at,
                              isMasked() ? masks[v * stride + part] : Value());
    SmallVector<int32_t> picked;
    for (int64_t lane = 0; lane < width; ++lane) {
      int64_t element = (v * width + lane) * stride - at;
      bool isHere = element >= 0 && element < width;
      picked.push_back(isHere ? (result ? width : 0) + element : lane);
    }
    if (stride == 1)
      return loaded;
    result = LLVM::ShuffleVectorOp::create(
        builder, loc, result ? result : loaded, loaded, picked);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// Masks of parts that lie inside the data are null, because there are few mask
/// registers.
void PositionTileEmitter::computeMasks(Value tap) {
  const Contraction::SpatialDim &dim = getInner();
  Type i32 = builder.getI32Type();
  auto splatIndex = [&](Value value) {
    return splat(VectorType::get({width}, i32),
                 arith::IndexCastOp::create(builder, loc, i32, value));
  };
  Value first = addScaled(index(-dim.padLow), tile->position, dim.stride);
  first = splatIndex(addScaled(first, tap, dim.dilation));
  Value size = splatIndex(index(dim.dataSize));
  masks.clear();
  for (int64_t v = 0; v < tile->vectors; ++v)
    for (int64_t offset : getPartOffsets(v))
      masks.push_back(isPartInside(offset) ? Value()
                                           : computeMask(first, size, offset));
}

/// Lane l of the part at offset o reads position first + o + l of the data. The
/// position exists if it is, as an unsigned number, less than the size of the
/// data.
Value PositionTileEmitter::computeMask(Value first, Value size,
                                       int64_t offset) {
  auto lanes = llvm::to_vector(llvm::seq<int32_t>(offset, offset + width));
  Value numbers = arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(cast<VectorType>(first.getType()),
                             ArrayRef<int32_t>(lanes)));
  Value at = arith::AddIOp::create(builder, loc, first, numbers);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, at,
                               size);
}

/// Whether no lane of the part at `offset` reads padding through any tap. False
/// if the position of the tile is not known.
bool PositionTileEmitter::isPartInside(int64_t offset) const {
  const Contraction::SpatialDim &dim = getInner();
  if (!tile->knownPosition)
    return false;
  int64_t first = *tile->knownPosition * dim.stride - dim.padLow + offset;
  return first >= 0 &&
         first + width - 1 + (dim.taps - 1) * dim.dilation < dim.dataSize;
}

} // namespace tandem
