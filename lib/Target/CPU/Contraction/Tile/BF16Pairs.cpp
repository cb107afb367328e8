//===- BF16Pairs.cpp - Products of pairs of bf16 --------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction/Tile/BF16Pairs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tandem {

Value widenBF16(OpBuilder &builder, Location loc, Value bits, bool isUpper) {
  auto type = cast<VectorType>(bits.getType());
  auto constant = [&](int32_t value) -> Value {
    return arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(type, builder.getI32IntegerAttr(value)));
  };
  Value upper =
      isUpper
          ? arith::AndIOp::create(builder, loc, bits, constant(-0x10000))
                .getResult()
          : arith::ShLIOp::create(builder, loc, bits, constant(16)).getResult();
  return arith::BitcastOp::create(builder, loc,
                                  type.clone(builder.getF32Type()), upper);
}

SmallVector<Value, 2> splitPairs(OpBuilder &builder, Location loc, Value pairs,
                                 bool hasInstruction) {
  int64_t count = cast<VectorType>(pairs.getType()).getNumElements();
  // The instruction requires a whole vector register, of at least 128 bits.
  if (!hasInstruction || count < 4)
    return {widenBF16(builder, loc, pairs, /*isUpper=*/false),
            widenBF16(builder, loc, pairs, /*isUpper=*/true)};
  auto type = VectorType::get({2 * count}, builder.getBF16Type());
  return {LLVM::BitcastOp::create(builder, loc, type, pairs)};
}

Value addProducts(OpBuilder &builder, Location loc, ArrayRef<Value> a,
                  ArrayRef<Value> b, Value sum) {
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

Value roundToBF16(OpBuilder &builder, Location loc, Value value) {
  auto type = cast<VectorType>(value.getType());
  if (type.getNumElements() < 8)
    return {};
  std::string name = "llvm.x86.avx512bf16.cvtneps2bf16." +
                     std::to_string(32 * type.getNumElements());
  return LLVM::CallIntrinsicOp::create(
             builder, loc, type.clone(builder.getBF16Type()),
             builder.getStringAttr(name), ValueRange{value})
      .getResult(0);
}

} // namespace tandem
