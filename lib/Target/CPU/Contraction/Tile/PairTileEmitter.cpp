//===- PairTileEmitter.cpp - Tiles of pairs or quads of inputs ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction/Tile/PairTileEmitter.h"

#include "Contraction/Tile/BF16Pairs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tandem {

SmallVector<Value> PairTileEmitter::emitTile() {
  return emitRanges(loadBias(*tile), [&](const TapRange &range, Levels levels,
                                         Offsets offsets,
                                         const Accumulators &sums) {
    Level taps = getTaps(range), groups = getInputs(together());
    if (contraction.inputChannels % together() != 0) {
      levels.push_back(taps);
      return emitWithRest(levels, range, offsets, sums);
    }
    appendTaps(levels, taps, groups);
    levels.push_back(groups);
    return emitGroups(levels, range, offsets, sums);
  });
}

SmallVector<Value> PairTileEmitter::emitGroups(ArrayRef<Level> levels,
                                               const TapRange &range,
                                               Offsets offsets,
                                               const Accumulators &sums) {
  return emitLevels(levels, offsets, sums,
                    [&](Value, Offsets at, const Accumulators &before) {
                      return emitProducts(range, at, together(), before);
                    });
}

SmallVector<Value> PairTileEmitter::emitWithRest(ArrayRef<Level> taps,
                                                 const TapRange &range,
                                                 Offsets offsets,
                                                 const Accumulators &sums) {
  Level groups = getInputs(together());
  const int64_t rest = contraction.inputChannels % together();
  return emitLevels(
      taps, offsets, sums, [&](Value, Offsets at, const Accumulators &before) {
        Accumulators sum =
            groups.count == 0 ? before : emitGroups(groups, range, at, before);
        at = {add(at.data, groups.count * groups.dataStep),
              add(at.weights, groups.count * groups.weightsStep)};
        return emitProducts(range, at, rest, sum);
      });
}

SmallVector<Value> PairTileEmitter::emitProducts(const TapRange &range,
                                                 Offsets offsets, int64_t count,
                                                 const Accumulators &sums) {
  if (!isWide(dataType) || !isWide(weightsType))
    return emitProducts(range, offsets, count, {0, 1}, sums);
  // Multiplying one half after the other needs fewer registers.
  Accumulators even = emitProducts(range, offsets, count, {0}, sums);
  separateLoads();
  return emitProducts(range, offsets, count, {1}, even);
}

SmallVector<Value> PairTileEmitter::emitProducts(const TapRange &range,
                                                 Offsets offsets, int64_t count,
                                                 Halves halves,
                                                 const Accumulators &sums) {
  SmallVector<SmallVector<Value, 4>> ofVector;
  for (int64_t v = 0; v < tile->vectors; ++v)
    ofVector.push_back(loadWeights(v, offsets.weights, count, halves));
  Accumulators result = sums;
  for (int64_t row = range.firstRow; row < range.lastRow; ++row) {
    SmallVector<Value, 4> inputs = loadData(row, offsets.data, count, halves);
    for (int64_t v = 0; v < tile->vectors; ++v) {
      Value &sum = result[row * tile->vectors + v];
      sum = format.isBytes()
                ? addQuadProducts(builder, loc, inputs, ofVector[v], sum)
                : addProducts(builder, loc, inputs, ofVector[v], sum);
    }
  }
  return result;
}

VectorType PairTileEmitter::getGroupType() const {
  return VectorType::get({width}, builder.getI32Type());
}

Value PairTileEmitter::toWords(Value groups) {
  return LLVM::BitcastOp::create(
      builder, loc, VectorType::get({2 * width}, builder.getIntegerType(16)),
      groups);
}

SmallVector<Value, 4> PairTileEmitter::split(Value groups, bool isSigned) {
  if (format.isBytes())
    return splitQuads(builder, loc, groups, isSigned, byteProducts);
  return SmallVector<Value, 4>(splitPairs(builder, loc, groups, usesPairs));
}

SmallVector<Value, 4> PairTileEmitter::loadWeights(int64_t v, Value offset,
                                                   int64_t count,
                                                   Halves halves) {
  VectorType type = getGroupType();
  if (isWide(weightsType)) {
    SmallVector<Value, 4> parts;
    for (int64_t half : halves)
      parts.push_back(toWords(
          loadBits(type,
                   getPointer(weights, offset,
                              2 * (half * strategy.getLanes() + v * width)),
                   /*mask=*/Value())));
    return parts;
  }
  Value groups =
      loadBits(type, getPointer(weights, offset, together() * v * width),
               getWeightsMask(*tile, v));
  // The element beside the last input is not initialized. It must be cleared
  // even if its data is zero, because zero times NaN or infinity is not zero.
  if (count != together() && !format.isBytes())
    groups = arith::AndIOp::create(
        builder, loc, groups,
        arith::ConstantOp::create(
            builder, loc,
            DenseElementsAttr::get(type, builder.getI32IntegerAttr(0xffff))));
  return split(groups, /*isSigned=*/true);
}

Value PairTileEmitter::loadGroup(Value offset, int64_t distance,
                                 int64_t count) {
  Type i32 = builder.getI32Type();
  auto load = [&](Type type, int64_t at) -> Value {
    return LLVM::LoadOp::create(builder, loc, type,
                                getPointer(data, offset, at), format.bytes);
  };
  if (count == together() && contraction.inputDataStride == 1)
    return load(i32, distance);
  Value group;
  for (int64_t i = 0; i < count; ++i) {
    Value input = arith::ExtUIOp::create(
        builder, loc, i32,
        load(elementType, distance + i * contraction.inputDataStride));
    if (i > 0)
      input = arith::ShLIOp::create(
          builder, loc, input,
          arith::ConstantOp::create(
              builder, loc, builder.getI32IntegerAttr(8 * format.bytes * i)));
    group = group ? arith::OrIOp::create(builder, loc, group, input).getResult()
                  : input;
  }
  return group;
}

SmallVector<Value, 4> PairTileEmitter::loadData(int64_t row, Value offset,
                                                int64_t count, Halves halves) {
  const Contraction::SpatialDim &dim = getInner();
  const int64_t distance = row * dim.stride * dim.dataStride;
  if (isWide(dataType)) {
    SmallVector<Value, 4> parts;
    for (int64_t half : halves)
      parts.push_back(toWords(splat(
          getGroupType(),
          LLVM::LoadOp::create(builder, loc, builder.getI32Type(),
                               getPointer(data, offset, distance + 2 * half),
                               /*alignment=*/2))));
    return parts;
  }
  Value group = loadGroup(offset, distance, count);
  return split(splat(getGroupType(), group),
               !format.isBytes() || !contraction.dataType.isUnsignedInteger());
}

} // namespace tandem
