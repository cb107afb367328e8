//===- VectorReduction.cpp - Reductions in vector registers ---------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reduction/VectorReduction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tandem {

Value createNeutral(OpBuilder &builder, linalg::GenericOp stage,
                    unsigned number, int64_t lanes) {
  TypedAttr value = getNeutral(stage, number);
  auto type = VectorType::get({lanes}, value.getType());
  return arith::ConstantOp::create(builder, stage.getLoc(),
                                   SplatElementsAttr::get(type, value));
}

Value fold(OpBuilder &builder, linalg::GenericOp stage, unsigned number,
           Value vector, int64_t lanes) {
  Location loc = stage.getLoc();
  int64_t count = cast<VectorType>(vector.getType()).getNumElements();
  for (int64_t half = count / 2; half >= std::max<int64_t>(lanes, 2);
       half /= 2) {
    SmallVector<int32_t> low, high;
    for (int64_t i = 0; i < half; ++i) {
      low.push_back(i);
      high.push_back(half + i);
    }
    vector = combine(
        builder, stage, number,
        LLVM::ShuffleVectorOp::create(builder, loc, vector, vector, low),
        LLVM::ShuffleVectorOp::create(builder, loc, vector, vector, high));
  }
  if (lanes > 1)
    return vector;
  auto extract = [&](int64_t lane) -> Value {
    Value position = LLVM::ConstantOp::create(
        builder, loc, builder.getI64Type(), builder.getI64IntegerAttr(lane));
    return LLVM::ExtractElementOp::create(builder, loc, vector, position);
  };
  return combine(builder, stage, number, extract(0), extract(1));
}

} // namespace tandem
