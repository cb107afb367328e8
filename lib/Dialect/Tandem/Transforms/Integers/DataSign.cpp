//===- DataSign.cpp - The sign of 8-bit data of contractions --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Dialect/Tandem/Transforms/DataSign.h"

#include "tandem/Dialect/Tandem/IR/Relayout.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/ValueTypes.h"
#include "tandem/Dialect/Tandem/Transforms/ConvPadding.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace tandem {

int64_t getOutputDimOfWeights(Operation *op) {
  if (auto conv = dyn_cast<ir::ConvOp>(op))
    return int64_t(conv.getLayout().getKernel().find('O'));
  return cast<ir::MatmulOp>(op).getTransposeRhs() ? 0 : 1;
}

int64_t getOutputDimOfResult(Operation *op) {
  if (auto conv = dyn_cast<ir::ConvOp>(op))
    return int64_t(conv.getLayout().getOutput().find('C'));
  return int64_t(shapeOf(op->getResult(0)).size()) - 1;
}

/// 128 times the sum of the weights of each output, as an operand that
/// broadcasts with the result.
static Value createSums(OpBuilder &builder, Operation *op,
                        ElementsAttr weights) {
  const ArrayRef<int64_t> shape = weights.getShapedType().getShape();
  const ArrayRef<char> bytes = ir::getRawData(weights);
  const int64_t dim = getOutputDimOfWeights(op), outputs = shape[dim];
  const int64_t stride = ir::getStrides(shape)[dim];
  std::vector<int32_t> sums(outputs);
  const int64_t count = weights.getShapedType().getNumElements();
  for (int64_t i = 0; i < count; ++i)
    sums[i / stride % outputs] +=
        128 * int32_t(int8_t(bytes[weights.isSplat() ? 0 : i]));
  SmallVector<int64_t> ofResult(shapeOf(op->getResult(0)).size(), 1);
  ofResult[getOutputDimOfResult(op)] = outputs;
  auto type = RankedTensorType::get(ofResult, builder.getI32Type());
  return ir::ConstantOp::create(
      builder, op->getLoc(),
      DenseElementsAttr::get(type, ArrayRef<int32_t>(sums)));
}

Value flipUppermostBit(OpBuilder &builder, Location loc, Value bytes) {
  Type element = getElementTypeOrSelf(bytes);
  auto upper =
      DenseElementsAttr::get(RankedTensorType::get({}, element), APInt(8, 128));
  Value flipped = ir::BitwiseXorOp::create(
      builder, loc, bytes, ir::ConstantOp::create(builder, loc, upper));
  const auto sign =
      isUnsigned(bytes) ? IntegerType::Signless : IntegerType::Unsigned;
  return ir::BitcastOp::create(builder, loc, flipped,
                               IntegerType::get(builder.getContext(), 8, sign));
}

void changeDataSign(Operation *op, ElementsAttr weights) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  const bool becomesUnsigned = !isUnsigned(op->getOperand(0));
  if (auto conv = dyn_cast<ir::ConvOp>(op); conv && isPadded(conv))
    padExplicitly(builder, conv);
  op->setOperand(0, flipUppermostBit(builder, loc, op->getOperand(0)));
  Value result = op->getResult(0), sums = createSums(builder, op, weights);
  builder.setInsertionPointAfter(op);
  Operation *corrected =
      becomesUnsigned
          ? ir::SubOp::create(builder, loc, result, sums).getOperation()
          : ir::AddOp::create(builder, loc, result, sums).getOperation();
  result.replaceAllUsesExcept(corrected->getResult(0), corrected);
}

} // namespace tandem
