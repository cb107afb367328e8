//===- PairTileEmitter.cpp - Tiles of pairs of bf16 -----------------------===//
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
    Level taps = getTaps(range), pairs = getInputs(/*together=*/2);
    if (contraction.inputChannels % 2 != 0) {
      levels.push_back(taps);
      return emitOddInputs(levels, range, offsets, sums);
    }
    appendTaps(levels, taps, pairs);
    levels.push_back(pairs);
    return emitPairs(levels, range, offsets, sums);
  });
}

SmallVector<Value> PairTileEmitter::emitPairs(ArrayRef<Level> levels,
                                              const TapRange &range,
                                              Offsets offsets,
                                              const Accumulators &sums) {
  return emitLevels(levels, offsets, sums,
                    [&](Value, Offsets at, const Accumulators &before) {
                      return emitProducts(range, at, /*isHalf=*/false, before);
                    });
}

/// Whole pairs, then the last input, which has none beside it.
SmallVector<Value> PairTileEmitter::emitOddInputs(ArrayRef<Level> taps,
                                                  const TapRange &range,
                                                  Offsets offsets,
                                                  const Accumulators &sums) {
  Level pairs = getInputs(/*together=*/2);
  return emitLevels(taps, offsets, sums,
                    [&](Value, Offsets at, const Accumulators &before) {
                      Accumulators sum = emitPairs(pairs, range, at, before);
                      at = {add(at.data, pairs.count * pairs.dataStep),
                            add(at.weights, pairs.count * pairs.weightsStep)};
                      return emitProducts(range, at, /*isHalf=*/true, sum);
                    });
}

SmallVector<Value> PairTileEmitter::emitProducts(const TapRange &range,
                                                 Offsets offsets, bool isHalf,
                                                 const Accumulators &sums) {
  SmallVector<SmallVector<Value, 2>> ofVector;
  for (int64_t v = 0; v < tile->vectors; ++v)
    ofVector.push_back(loadWeights(v, offsets.weights, isHalf));
  Accumulators result = sums;
  for (int64_t row = range.firstRow; row < range.lastRow; ++row) {
    SmallVector<Value, 2> inputs = loadData(row, offsets.data, isHalf);
    for (int64_t v = 0; v < tile->vectors; ++v) {
      Value &sum = result[row * tile->vectors + v];
      sum = addProducts(builder, loc, inputs, ofVector[v], sum);
    }
  }
  return result;
}

VectorType PairTileEmitter::getPairType() const {
  return VectorType::get({width}, builder.getI32Type());
}

SmallVector<Value, 2> PairTileEmitter::loadWeights(int64_t v, Value offset,
                                                   bool isHalf) {
  VectorType pairType = getPairType();
  Value pairs = loadBits(pairType, getPointer(weights, offset, 2 * v * width),
                         getWeightsMask(*tile, v));
  // What is beside the last input may be anything; zero times it is not.
  if (isHalf)
    pairs = arith::AndIOp::create(
        builder, loc, pairs,
        arith::ConstantOp::create(
            builder, loc,
            DenseElementsAttr::get(pairType,
                                   builder.getI32IntegerAttr(0xffff))));
  return splitPairs(builder, loc, pairs, usesPairs);
}

/// Two neighboring inputs in all lanes; of half a pair, the first and zero.
SmallVector<Value, 2> PairTileEmitter::loadData(int64_t row, Value offset,
                                                bool isHalf) {
  const Contraction::SpatialDim &dim = getInner();
  int64_t distance = row * dim.stride * dim.dataStride;
  Type i32 = builder.getI32Type();
  auto load = [&](Type type, int64_t at) -> Value {
    return LLVM::LoadOp::create(builder, loc, type,
                                getPointer(data, offset, at), format.bytes);
  };
  auto loadHalf = [&](int64_t at) -> Value {
    return arith::ExtUIOp::create(builder, loc, i32, load(elementType, at));
  };
  Value pair;
  if (isHalf) {
    pair = loadHalf(distance);
  } else if (contraction.inputDataStride == 1) {
    pair = load(i32, distance);
  } else {
    Value upper = arith::ShLIOp::create(
        builder, loc, loadHalf(distance + contraction.inputDataStride),
        arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(16)));
    pair = arith::OrIOp::create(builder, loc, loadHalf(distance), upper);
  }
  return splitPairs(builder, loc, splat(getPairType(), pair), usesPairs);
}

} // namespace tandem
