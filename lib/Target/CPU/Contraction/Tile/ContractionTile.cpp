//===- ContractionTile.cpp - One register tile of a contraction -----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction/Tile/ContractionTile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tandem {

Type getStoredType(const ElementFormat &format) {
  if (!format.isWidened())
    return format.memory;
  return IntegerType::get(format.memory.getContext(), 8 * format.bytes);
}

ContractionTileEmitter::ContractionTileEmitter(
    OpBuilder &builder, Location loc, const Contraction &contraction,
    const ContractionStrategy &strategy, Value data, Value weights, Value bias,
    bool hasBF16)
    : IndexBuilder(builder, loc), contraction(contraction),
      lanes(strategy.lanes), width(strategy.width),
      prefetchBytes(strategy.prefetchBytes), hasBF16(hasBF16),
      format(contraction.getFormat()), elementType(getStoredType(format)),
      vectorType(VectorType::get({width}, format.compute)),
      sumType(VectorType::get({areDots() ? strategy.sumWidth : width},
                              format.compute)),
      data(data), weights(weights), bias(bias) {}

SmallVector<Value> ContractionTileEmitter::emit(const ContractionTile &tile) {
  this->tile = &tile;
  if (!areDots())
    return emitSums(createInitial());
  computeColumns();
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(sumType));
  Accumulators zeros(tile.rows * width, zero);
  return emitLaneSums(emitSums(zeros));
}

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
  Value first =
      addScaled(tile->output, tile->group, contraction.outputChannels);
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

/// Of step `number`: its digits end in [taps][inputs].
Value ContractionTileEmitter::getInnerTap(Value number) {
  Value taps = arith::DivUIOp::create(builder, loc, number,
                                      index(contraction.inputChannels));
  return arith::RemUIOp::create(builder, loc, taps, index(getInner().taps));
}

/// One product for each element: vectors times broadcast scalars, or two
/// vectors where groups run along the lanes and have many taps.
SmallVector<Value>
ContractionTileEmitter::emitProducts(const TapRange &range, Value number,
                                     Offsets offsets,
                                     const Accumulators &sums) {
  bool isPositions = lanes == ContractionLanes::Positions;
  const Contraction::SpatialDim &dim = getInner();
  // What all rows share.
  SmallVector<Value> shared;
  for (int64_t v = 0; v < tile->vectors; ++v) {
    bool isLast = v + 1 == tile->vectors;
    bool isPacked = contraction.outputBlock != contraction.outputChannels;
    if (isPositions)
      shared.push_back(loadPositions(v, offsets.data));
    else
      shared.push_back(loadVector(weights, offsets.weights, v * width,
                                  isLast && !isPacked ? tile->mask : Value()));
  }
  Value tap;
  if (!tile->guardedRows.empty())
    tap = getInnerTap(number);
  Accumulators result = sums;
  for (int64_t row = range.firstRow; row < range.lastRow; ++row) {
    Value broadcast;
    int64_t distance = row * dim.stride * dim.dataStride;
    if (isPositions)
      broadcast =
          loadSplat(weights, offsets.weights, row * contraction.outputStride);
    else if (llvm::is_contained(tile->guardedRows, row))
      broadcast = loadGuarded(row, tap, offsets);
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
