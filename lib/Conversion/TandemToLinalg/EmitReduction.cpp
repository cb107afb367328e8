//===- EmitReduction.cpp - Small reductions, unrolled ---------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementalEmitter.h"

#include "tandem/Conversion/TandemToLinalg/TandemToLinalg.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/ValueTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <limits>

using namespace mlir;

namespace tandem {

TypedAttr getExtreme(Type computeType, bool isUnsigned, bool isMax) {
  Builder builder(computeType.getContext());
  if (auto type = dyn_cast<FloatType>(computeType))
    return builder.getFloatAttr(
        type, APFloat::getInf(type.getFloatSemantics(), !isMax));
  APSInt extreme =
      isMax
          ? APSInt::getMaxValue(computeType.getIntOrFloatBitWidth(), isUnsigned)
          : APSInt::getMinValue(computeType.getIntOrFloatBitWidth(),
                                isUnsigned);
  return builder.getIntegerAttr(computeType, extreme);
}

Value emitLowest(ElementalEmitter &emitter, Type elementType) {
  TypedAttr attr = getExtreme(getComputeType(elementType),
                              elementType.isUnsignedInteger(), /*isMax=*/false);
  return arith::ConstantOp::create(emitter.getBuilder(), emitter.getLoc(),
                                   attr);
}

/// Floats, signed and unsigned integers each have an op of their own.
template <typename FloatOp, typename SignedOp, typename UnsignedOp>
static Value emitExtremum(OpBuilder &builder, Location loc, bool isUnsigned,
                          Value a, Value b) {
  if (isa<FloatType>(a.getType()))
    return FloatOp::create(builder, loc, a, b);
  if (isUnsigned)
    return UnsignedOp::create(builder, loc, a, b);
  return SignedOp::create(builder, loc, a, b);
}

Value emitCombination(OpBuilder &builder, Location loc, ir::ReduceKind kind,
                      bool isUnsigned, Value a, Value b) {
  bool isFloat = isa<FloatType>(a.getType());
  switch (kind) {
  case ir::ReduceKind::sum:
  case ir::ReduceKind::mean:
    if (isFloat)
      return arith::AddFOp::create(builder, loc, a, b);
    return arith::AddIOp::create(builder, loc, a, b);
  case ir::ReduceKind::prod:
    if (isFloat)
      return arith::MulFOp::create(builder, loc, a, b);
    return arith::MulIOp::create(builder, loc, a, b);
  case ir::ReduceKind::max:
    return emitExtremum<arith::MaximumFOp, arith::MaxSIOp, arith::MaxUIOp>(
        builder, loc, isUnsigned, a, b);
  case ir::ReduceKind::min:
    return emitExtremum<arith::MinimumFOp, arith::MinSIOp, arith::MinUIOp>(
        builder, loc, isUnsigned, a, b);
  case ir::ReduceKind::argmax:
    break;
  }
  llvm_unreachable("argmax combines pairs");
}

/// The index in the operand with `flat`, the number of the reduced element in
/// row-major order of the reduced dims.
static ElementIndex getOperandIndex(ir::ReduceOp op, ArrayRef<AffineExpr> index,
                                    int64_t flat) {
  ArrayRef<int64_t> shape = op.getInput().getType().getShape();
  ElementIndex result(shape.size());
  SmallVector<bool> isReduced(shape.size(), false);
  for (int64_t dim : op.getDims())
    isReduced[dim] = true;
  size_t next = 0;
  for (size_t i = 0; i < shape.size(); ++i)
    if (!isReduced[i] || op.getKeepDims()) {
      if (!isReduced[i])
        result[i] = index[next];
      ++next;
    }
  for (size_t i = shape.size(); i-- > 0;)
    if (isReduced[i]) {
      result[i] = getAffineConstantExpr(flat % shape[i], op.getContext());
      flat /= shape[i];
    }
  return result;
}

/// The number of the first largest element, or of the first NaN.
static Value emitArgmax(ElementalEmitter &emitter, ir::ReduceOp op,
                        ArrayRef<AffineExpr> index) {
  OpBuilder &builder = emitter.getBuilder();
  Location loc = emitter.getLoc();
  Type i64 = builder.getI64Type();
  Value best, position;
  for (int64_t k = 0, e = getUnrolledElements(op); k < e; ++k) {
    Value element = emitter.emit(op.getInput(), getOperandIndex(op, index, k));
    if (!element)
      return {};
    Value number = emitter.constant(i64, k);
    if (!best) {
      best = element, position = number;
      continue;
    }
    Value isBetter;
    if (isa<FloatType>(element.getType())) {
      // Not (element <= best), and best is not NaN.
      Value greater = arith::CmpFOp::create(
          builder, loc, arith::CmpFPredicate::UGT, element, best);
      Value isNumber = arith::CmpFOp::create(
          builder, loc, arith::CmpFPredicate::ORD, best, best);
      isBetter = arith::AndIOp::create(builder, loc, greater, isNumber);
    } else {
      auto greater = isUnsigned(op.getInput()) ? arith::CmpIPredicate::ugt
                                               : arith::CmpIPredicate::sgt;
      isBetter = arith::CmpIOp::create(builder, loc, greater, element, best);
    }
    best = arith::SelectOp::create(builder, loc, isBetter, element, best);
    position =
        arith::SelectOp::create(builder, loc, isBetter, number, position);
  }
  return position;
}

Value emitReduction(ElementalEmitter &emitter, Operation *operation,
                    const ElementIndex &index) {
  auto op = cast<ir::ReduceOp>(operation);
  if (Status can = checkElemental(op); !can) {
    op.emitOpError(can.error().message);
    return {};
  }
  if (op.getKind() == ir::ReduceKind::argmax)
    return emitArgmax(emitter, op, index);
  OpBuilder &builder = emitter.getBuilder();
  Location loc = emitter.getLoc();
  int64_t count = getUnrolledElements(op);
  Type type = getComputeType(op.getInput().getType().getElementType());
  // Sums of floats begin at 0, so that those of -0.0 are 0.
  bool isSum = op.getKind() == ir::ReduceKind::sum ||
               op.getKind() == ir::ReduceKind::mean;
  Value result =
      isSum && isa<FloatType>(type) ? emitter.constant(type, 0) : Value();
  for (int64_t k = 0; k < count; ++k) {
    Value element = emitter.emit(op.getInput(), getOperandIndex(op, index, k));
    if (!element)
      return {};
    result = result
                 ? emitCombination(builder, loc, op.getKind(),
                                   isUnsigned(op.getInput()), result, element)
                 : element;
  }
  if (!result)
    result =
        emitter.constant(type, op.getKind() == ir::ReduceKind::prod ? 1 : 0);
  if (op.getKind() == ir::ReduceKind::mean)
    result = arith::DivFOp::create(builder, loc, result,
                                   emitter.constant(type, count));
  return result;
}

} // namespace tandem
