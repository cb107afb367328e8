//===- ByteQuads.cpp - Products of quads of 8-bit integers ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction/Tile/ByteQuads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tandem {

static Value bitcast(OpBuilder &builder, Location loc, Value value,
                     int64_t count, unsigned bits) {
  auto type = VectorType::get({count}, builder.getIntegerType(bits));
  return LLVM::BitcastOp::create(builder, loc, type, value);
}

static Value constantLike(OpBuilder &builder, Location loc, Value value,
                          int64_t number) {
  auto type = cast<VectorType>(value.getType());
  return arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(
          type, builder.getIntegerAttr(type.getElementType(), number)));
}

/// Returns byte `number` of each element of `value`, widened to the type of the
/// element.
static Value extractByte(OpBuilder &builder, Location loc, Value value,
                         int64_t number, bool isSigned) {
  const int64_t bits =
      cast<VectorType>(value.getType()).getElementTypeBitWidth();
  const auto shift = [&](auto op, Value from, int64_t by) -> Value {
    if (by == 0)
      return from;
    return decltype(op)::create(builder, loc, from,
                                constantLike(builder, loc, from, by));
  };
  Value upper = shift(arith::ShLIOp(), value, bits - 8 * (number + 1));
  if (isSigned)
    return shift(arith::ShRSIOp(), upper, bits - 8);
  return shift(arith::ShRUIOp(), upper, bits - 8);
}

SmallVector<Value, 4> splitQuads(OpBuilder &builder, Location loc, Value quads,
                                 bool isSigned, ByteProducts how) {
  const int64_t count = cast<VectorType>(quads.getType()).getNumElements();
  if (how == ByteProducts::Quads)
    return {bitcast(builder, loc, quads, 4 * count, 8)};
  const bool areWords = how == ByteProducts::Words;
  Value whole = areWords ? bitcast(builder, loc, quads, 2 * count, 16) : quads;
  SmallVector<Value, 4> parts;
  for (int64_t number = 0; number < (areWords ? 2 : 4); ++number)
    parts.push_back(extractByte(builder, loc, whole, number, isSigned));
  return parts;
}

Value widenQuads(OpBuilder &builder, Location loc, Value bytes, bool isSigned) {
  const auto count =
      int32_t(cast<VectorType>(bytes.getType()).getNumElements());
  SmallVector<int32_t> order;
  for (int32_t quad = 0; quad < count; quad += 4)
    order.append({quad, quad + 2, quad + 1, quad + 3});
  Value sorted =
      LLVM::ShuffleVectorOp::create(builder, loc, bytes, bytes, order);
  auto words = VectorType::get({count}, builder.getIntegerType(16));
  if (isSigned)
    return arith::ExtSIOp::create(builder, loc, words, sorted);
  return arith::ExtUIOp::create(builder, loc, words, sorted);
}

static Value callX86(OpBuilder &builder, Location loc, const Twine &name,
                     Type type, ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(
             builder, loc, type,
             builder.getStringAttr("llvm.x86." + name.str()), operands)
      .getResult(0);
}

/// Emits vpmaddwd, whose intrinsic has a different name for each vector size.
static Value multiplyWords(OpBuilder &builder, Location loc, Type type, Value a,
                           Value b) {
  const int64_t bits = 32 * cast<VectorType>(type).getNumElements();
  const StringRef name = bits == 512   ? "avx512.pmaddw.d.512"
                         : bits == 256 ? "avx2.pmadd.wd"
                                       : "sse2.pmadd.wd";
  return callX86(builder, loc, name, type, {a, b});
}

Value addQuadProducts(OpBuilder &builder, Location loc, ArrayRef<Value> data,
                      ArrayRef<Value> weights, Value sum) {
  auto type = cast<VectorType>(sum.getType());
  if (getElementTypeOrSelf(data[0]).isInteger(8))
    return callX86(builder, loc,
                   "avx512.vpdpbusd." + Twine(32 * type.getNumElements()), type,
                   {sum, data[0], weights[0]});
  // Add the products to each other first, so that successive sums depend on
  // each other through a single addition.
  Value products;
  for (auto [a, b] : llvm::zip_equal(data, weights)) {
    Value product = a.getType() == type
                        ? arith::MulIOp::create(builder, loc, a, b).getResult()
                        : multiplyWords(builder, loc, type, a, b);
    products =
        products
            ? arith::AddIOp::create(builder, loc, products, product).getResult()
            : product;
  }
  return arith::AddIOp::create(builder, loc, sum, products);
}

} // namespace tandem
