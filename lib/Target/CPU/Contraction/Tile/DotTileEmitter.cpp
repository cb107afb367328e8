//===- DotTileEmitter.cpp - Tiles of dot products -------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction/Tile/DotTileEmitter.h"

#include "Contraction/Tile/BF16Pairs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tandem {

SmallVector<Value> DotTileEmitter::emitTile() {
  computeColumns();
  Accumulators zeros(tile->rows * width, createZero(sumType));
  return emitLaneSums(
      emitRanges(zeros, [&](const TapRange &range, Levels levels,
                            Offsets offsets, const Accumulators &sums) {
        Level inputs = getInputs();
        appendTaps(levels, getTaps(range), inputs);
        return emitLevels(levels, offsets, sums,
                          [&](Value, Offsets at, const Accumulators &before) {
                            return emitInputs(inputs.count, range, at, before);
                          });
      }));
}

/// Columns beyond the last output read the weights of the last output. Their
/// results are not stored.
void DotTileEmitter::computeColumns() {
  columns.clear();
  bool isCut = contraction.outputChannels % width != 0;
  for (int64_t column = 0; column < width; ++column) {
    int64_t distance = column * contraction.outputStride;
    if (!isCut || column == 0) {
      columns.push_back(getPointer(weights, index(0), distance));
      continue;
    }
    Value last = arith::SubIOp::create(
        builder, loc, index(contraction.outputChannels - 1), tile->output);
    Value at = arith::MinSIOp::create(builder, loc, index(column), last);
    columns.push_back(getPointer(
        weights, addScaled(index(0), at, contraction.outputStride), 0));
  }
}

/// Emits whole vectors of inputs, and then a masked vector of the remaining
/// inputs.
SmallVector<Value> DotTileEmitter::emitInputs(int64_t count,
                                              const TapRange &range,
                                              Offsets offsets,
                                              const Accumulators &sums) {
  int64_t step = sumType.getNumElements() * format.packedInputs;
  int64_t whole = count / step;
  Accumulators result = sums;
  if (whole == 1)
    result = emitStep(range, offsets, {}, result);
  else if (whole > 1)
    result = emitLoop(Level{whole, step, step, {}, {}}, offsets, result,
                      [&](Value, Offsets at, const Accumulators &before) {
                        return emitStep(range, at, {}, before);
                      });
  if (whole * step == count)
    return result;
  SmallVector<bool> exists;
  for (int64_t lane = 0; lane < step; ++lane)
    exists.push_back(whole * step + lane < count);
  auto type = VectorType::get({step}, builder.getI1Type());
  Value mask = arith::ConstantOp::create(builder, loc,
                                         DenseElementsAttr::get(type, exists));
  offsets = {add(offsets.data, whole * step),
             add(offsets.weights, whole * step)};
  return emitStep(range, offsets, mask, result);
}

SmallVector<Value, 2> DotTileEmitter::loadInputs(Value base, Value offset,
                                                 int64_t distance, Value mask) {
  Value pointer = getPointer(base, offset, distance);
  if (format.packedInputs == 1)
    return {loadVector(sumType, pointer, mask)};
  int64_t halves = 2 * sumType.getNumElements();
  Value bits = loadBits(VectorType::get({halves}, elementType), pointer, mask);
  Value pairs = LLVM::BitcastOp::create(
      builder, loc, sumType.clone(builder.getI32Type()), bits);
  return splitPairs(builder, loc, pairs, usesPairs);
}

/// Multiplies a vector of inputs of each row by a vector of inputs of each
/// column. If there are fewer rows than columns, all rows are kept in registers
/// while the columns are loaded one by one; otherwise the roles are exchanged.
SmallVector<Value> DotTileEmitter::emitStep(const TapRange &range,
                                            Offsets offsets, Value mask,
                                            const Accumulators &sums) {
  const Contraction::SpatialDim &dim = getInner();
  auto loadRow = [&](int64_t row) {
    int64_t distance = (range.firstRow + row) * dim.stride * dim.dataStride;
    return loadInputs(data, offsets.data, distance, mask);
  };
  auto loadColumn = [&](int64_t column) {
    return loadInputs(columns[column], offsets.weights, 0, mask);
  };
  int64_t rows = range.lastRow - range.firstRow;
  bool columnsWait = width <= rows;
  SmallVector<SmallVector<Value, 2>> waiting;
  for (int64_t i = 0; i < std::min(rows, width); ++i)
    waiting.push_back(columnsWait ? loadColumn(i) : loadRow(i));
  Accumulators result = sums;
  for (int64_t i = 0; i < std::max(rows, width); ++i) {
    SmallVector<Value, 2> other = columnsWait ? loadRow(i) : loadColumn(i);
    for (auto [j, first] : llvm::enumerate(waiting)) {
      int64_t row = range.firstRow + (columnsWait ? i : j);
      Value &sum = result[row * width + (columnsWait ? j : i)];
      sum = addProducts(builder, loc, first, other, sum);
    }
  }
  return result;
}

/// Splits `a` and `b` into segments of `length` lanes and adds the two halves
/// of each segment. The result has the sums of the segments of `a`, followed by
/// those of `b`, which may be null.
static Value addHalves(OpBuilder &builder, Location loc, Value a, Value b,
                       int64_t length) {
  int64_t lanes = cast<VectorType>(a.getType()).getNumElements();
  SmallVector<int32_t> low, high;
  for (int64_t lane = 0; lane < (b ? 2 * lanes : lanes); ++lane)
    (lane % length < length / 2 ? low : high).push_back(lane);
  Value other = b ? b : a;
  Value lower = LLVM::ShuffleVectorOp::create(builder, loc, a, other, low);
  Value upper = LLVM::ShuffleVectorOp::create(builder, loc, a, other, high);
  return arith::AddFOp::create(builder, loc, lower, upper);
}

/// Combines pairs of vectors until one vector is left, in which each column has
/// a segment of lanes. Then adds the halves of the segments until each column
/// has a single lane.
Value DotTileEmitter::emitRowSums(ArrayRef<Value> row) {
  SmallVector<Value> sums(row.begin(), row.end());
  int64_t length = sumType.getNumElements();
  for (; sums.size() > 1; length /= 2) {
    for (size_t i = 0; i < sums.size() / 2; ++i)
      sums[i] = addHalves(builder, loc, sums[2 * i], sums[2 * i + 1], length);
    sums.resize(sums.size() / 2);
  }
  for (; length > 1; length /= 2)
    sums[0] = addHalves(builder, loc, sums[0], {}, length);
  return sums[0];
}

SmallVector<Value> DotTileEmitter::emitLaneSums(ArrayRef<Value> sums) {
  Value initial;
  if (bias)
    initial = loadVector(bias, getBiasOffset(*tile), 0, tile->mask);
  Accumulators result;
  for (int64_t row = 0; row < tile->rows; ++row) {
    Value sum = emitRowSums(sums.slice(row * width, width));
    if (initial)
      sum = arith::AddFOp::create(builder, loc, sum, initial);
    result.push_back(sum);
  }
  return result;
}

} // namespace tandem
