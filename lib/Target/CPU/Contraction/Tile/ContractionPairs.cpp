//===- ContractionPairs.cpp - Products of pairs of bf16 -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pair of bf16 is one i32: what an instruction of AVX-512 BF16 multiplies and
// adds to an f32, and what other processors split by a shift and a mask into
// two f32. Either way a load brings two inputs of an output.
//
//===----------------------------------------------------------------------===//

#include "Contraction/Tile/ContractionTile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tandem {

/// Whole pairs, then the last input, which has none beside it.
SmallVector<Value>
ContractionTileEmitter::emitOddInputs(ArrayRef<Level> taps,
                                      const TapRange &range, Offsets offsets,
                                      const Accumulators &sums) {
  int64_t whole = contraction.inputChannels / 2;
  Level pairs{whole, 2 * contraction.inputDataStride,
              contraction.inputWeightsStride};
  return emitLevels(
      taps, offsets, sums, [&](Value, Offsets at, const Accumulators &before) {
        Accumulators sum = emitLevels(
            whole > 1 ? ArrayRef(pairs) : ArrayRef<Level>(), at, before,
            [&](Value, Offsets pair, const Accumulators &sumBefore) {
              return emitPairProducts(range, pair, /*isHalf=*/false, sumBefore);
            });
        at = {add(at.data, whole * pairs.dataStep),
              add(at.weights, whole * pairs.weightsStep)};
        return emitPairProducts(range, at, /*isHalf=*/true, sum);
      });
}

SmallVector<Value>
ContractionTileEmitter::emitPairProducts(const TapRange &range, Offsets offsets,
                                         bool isHalf,
                                         const Accumulators &sums) {
  const Contraction::SpatialDim &dim = getInner();
  VectorType pairType = vectorType.clone(builder.getI32Type());
  bool isPacked = contraction.outputBlock != contraction.outputChannels;
  SmallVector<SmallVector<Value, 2>> ofVector;
  for (int64_t v = 0; v < tile->vectors; ++v) {
    bool isMasked = v + 1 == tile->vectors && !isPacked;
    Value pairs =
        loadBits(pairType, getPointer(weights, offsets.weights, 2 * v * width),
                 isMasked ? tile->mask : Value());
    // What is beside the last input may be anything; zero times it is not.
    if (isHalf)
      pairs = arith::AndIOp::create(
          builder, loc, pairs,
          arith::ConstantOp::create(
              builder, loc,
              DenseElementsAttr::get(pairType,
                                     builder.getI32IntegerAttr(0xffff))));
    ofVector.push_back(splitPairs(pairs));
  }
  Accumulators result = sums;
  for (int64_t row = range.firstRow; row < range.lastRow; ++row) {
    SmallVector<Value, 2> inputs = splitPairs(loadPairSplat(
        data, offsets.data, row * dim.stride * dim.dataStride, isHalf));
    for (int64_t v = 0; v < tile->vectors; ++v) {
      Value &sum = result[row * tile->vectors + v];
      sum = emitPairSum(inputs, ofVector[v], sum);
    }
  }
  return result;
}

/// Two neighbouring inputs in all lanes; of half a pair, the first and zero.
Value ContractionTileEmitter::loadPairSplat(Value base, Value offset,
                                            int64_t distance, bool isHalf) {
  Type i32 = builder.getI32Type();
  auto load = [&](Type type, int64_t at) -> Value {
    return LLVM::LoadOp::create(builder, loc, type,
                                getPointer(base, offset, at), format.bytes);
  };
  auto loadHalf = [&](int64_t at) -> Value {
    return arith::ExtUIOp::create(builder, loc, i32, load(elementType, at));
  };
  VectorType type = vectorType.clone(i32);
  if (isHalf)
    return splat(type, loadHalf(distance));
  if (contraction.inputDataStride == 1)
    return splat(type, load(i32, distance));
  Value upper = arith::ShLIOp::create(
      builder, loc, loadHalf(distance + contraction.inputDataStride),
      arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(16)));
  return splat(type,
               arith::OrIOp::create(builder, loc, loadHalf(distance), upper));
}

SmallVector<Value, 2> ContractionTileEmitter::splitPairs(Value pairs) {
  int64_t count = cast<VectorType>(pairs.getType()).getNumElements();
  // The instruction comes for whole registers.
  if (!hasBF16 || count < 4)
    return {widen(pairs, /*isUpper=*/false), widen(pairs, /*isUpper=*/true)};
  auto type = VectorType::get({2 * count}, builder.getBF16Type());
  return {LLVM::BitcastOp::create(builder, loc, type, pairs)};
}

Value ContractionTileEmitter::emitPairSum(ArrayRef<Value> a, ArrayRef<Value> b,
                                          Value sum) {
  auto type = cast<VectorType>(sum.getType());
  if (cast<VectorType>(a[0].getType()).getElementType().isBF16()) {
    std::string name = "llvm.x86.avx512bf16.dpbf16ps." +
                       std::to_string(32 * type.getNumElements());
    return LLVM::CallIntrinsicOp::create(builder, loc, type,
                                         builder.getStringAttr(name),
                                         ValueRange{sum, a[0], b[0]})
        .getResult(0);
  }
  for (auto [x, y] : llvm::zip_equal(a, b))
    sum = LLVM::FMulAddOp::create(builder, loc, type, x, y, sum);
  return sum;
}

} // namespace tandem
