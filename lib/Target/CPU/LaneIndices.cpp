//===- LaneIndices.cpp - Indices that step from lane to lane --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaneEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <limits>

using namespace mlir;

namespace tandem {

Value LaneEmitter::index(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

/// Sums and differences of evenly stepping indices step evenly.
bool LaneEmitter::emitLinearIndex(Operation &op) {
  if (op.getNumResults() != 1 || !op.getResult(0).getType().isIndex())
    return false;
  AffineExprKind kind;
  if (isa<arith::AddIOp>(op))
    kind = AffineExprKind::Add;
  else if (isa<arith::MulIOp>(op))
    kind = AffineExprKind::Mul;
  else
    return false;
  values[op.getResult(0)] =
      emitBinary(kind, lookUp(op.getOperand(0)), lookUp(op.getOperand(1)));
  return true;
}

/// Vectors of indices are of integers already.
bool LaneEmitter::emitIndexCast(Operation &op) {
  if (!isa<arith::IndexCastOp>(op))
    return false;
  LaneValue operand = lookUp(op.getOperand(0));
  if (operand.kind == LaneValue::Uniform)
    return false;
  Value vector = toVector(operand);
  auto from = cast<VectorType>(vector.getType());
  VectorType to = vectorOf(op.getResult(0).getType());
  if (from.getElementTypeBitWidth() < to.getElementTypeBitWidth())
    vector = arith::ExtSIOp::create(builder, loc, to, vector);
  else if (from.getElementTypeBitWidth() > to.getElementTypeBitWidth())
    vector = arith::TruncIOp::create(builder, loc, to, vector);
  values[op.getResult(0)] = {LaneValue::Varying, vector, 0};
  return true;
}

/// a + l * s < b + l * t in lane l is l * (s - t) < b - a: one comparison with
/// constants, in 32 bits.
bool LaneEmitter::emitIndexCompare(Operation &op) {
  auto compare = dyn_cast<arith::CmpIOp>(op);
  if (!compare || !compare.getLhs().getType().isIndex())
    return false;
  LaneValue lhs = lookUp(compare.getLhs()), rhs = lookUp(compare.getRhs());
  int64_t step = lhs.step - rhs.step;
  int64_t bound = std::numeric_limits<int32_t>::max();
  if (lhs.kind == LaneValue::Varying || rhs.kind == LaneValue::Varying ||
      step == 0 || std::abs(step) >= bound / lanes)
    return false;
  Value distance = arith::SubIOp::create(builder, loc, rhs.value, lhs.value);
  distance = arith::MaxSIOp::create(builder, loc, distance, index(-bound));
  distance = arith::MinSIOp::create(builder, loc, distance, index(bound));
  distance =
      arith::IndexCastOp::create(builder, loc, builder.getI32Type(), distance);
  Value steps = createIota(builder, loc, vectorOf(builder.getI32Type()), step);
  values[compare] = {LaneValue::Varying,
                     arith::CmpIOp::create(builder, loc, compare.getPredicate(),
                                           steps, splat(distance)),
                     0};
  return true;
}

/// Dims come first among `operands`, then symbols.
LaneValue LaneEmitter::emitAffine(AffineExpr expr, unsigned numDims,
                                  ArrayRef<LaneValue> operands) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return {LaneValue::Uniform, index(constant.getValue()), 0};
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return operands[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return operands[numDims + symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  return emitBinary(expr.getKind(),
                    emitAffine(binary.getLHS(), numDims, operands),
                    emitAffine(binary.getRHS(), numDims, operands));
}

static bool getConstant(Value value, int64_t &constant) {
  auto op = value.getDefiningOp<arith::ConstantIndexOp>();
  if (op)
    constant = op.value();
  return static_cast<bool>(op);
}

/// Takes a constant summand off a sum, which is null if there is no more to it.
static int64_t takeConstant(Value &sum) {
  int64_t constant = 0;
  if (getConstant(sum, constant)) {
    sum = {};
    return constant;
  }
  auto op = sum.getDefiningOp<arith::AddIOp>();
  if (op && getConstant(op.getRhs(), constant))
    sum = op.getLhs();
  return constant;
}

/// Sums and multiples with constants last: what differs by a constant, as
/// neighbours do, has the rest in common, and an instruction adds the constant.
static Value createSum(OpBuilder &builder, Location loc, AffineExprKind kind,
                       Value lhs, Value rhs) {
  auto flags = arith::IntegerOverflowFlags::nsw;
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  int64_t factor = 0, summand = takeConstant(lhs);
  Value result;
  if (kind == AffineExprKind::Mul) {
    getConstant(rhs, factor);
    summand *= factor;
    result =
        !lhs || factor == 1
            ? lhs
            : arith::MulIOp::create(builder, loc, lhs, rhs, flags).getResult();
  } else {
    summand += takeConstant(rhs);
    result =
        !lhs || !rhs
            ? (lhs ? lhs : rhs)
            : arith::AddIOp::create(builder, loc, lhs, rhs, flags).getResult();
  }
  if (!result)
    return constant(summand);
  if (summand == 0)
    return result;
  return arith::AddIOp::create(builder, loc, result, constant(summand), flags);
}

static Value createIndexOp(OpBuilder &builder, Location loc,
                           AffineExprKind kind, Value lhs, Value rhs) {
  int64_t factor = 0;
  if (lhs.getType().isIndex() && rhs.getType().isIndex() &&
      (kind == AffineExprKind::Add ||
       (kind == AffineExprKind::Mul && getConstant(rhs, factor))))
    return createSum(builder, loc, kind, lhs, rhs);
  // Indices do not wrap.
  auto flags = arith::IntegerOverflowFlags::nsw;
  switch (kind) {
  case AffineExprKind::Add:
    return arith::AddIOp::create(builder, loc, lhs, rhs, flags);
  case AffineExprKind::Mul:
    return arith::MulIOp::create(builder, loc, lhs, rhs, flags);
  case AffineExprKind::FloorDiv:
    return arith::FloorDivSIOp::create(builder, loc, lhs, rhs);
  default: {
    // The remainder of a floor division: it is never negative.
    Value rest = arith::RemSIOp::create(builder, loc, lhs, rhs);
    Value shifted = arith::AddIOp::create(builder, loc, rest, rhs, flags);
    return arith::RemSIOp::create(builder, loc, shifted, rhs);
  }
  }
}

LaneValue LaneEmitter::emitBinary(AffineExprKind kind, LaneValue lhs,
                                  LaneValue rhs) {
  int64_t factor = 0;
  bool isConstant =
      rhs.kind == LaneValue::Uniform && getConstant(rhs.value, factor);
  if (lhs.kind == LaneValue::Uniform && rhs.kind == LaneValue::Uniform)
    return {LaneValue::Uniform,
            createIndexOp(builder, loc, kind, lhs.value, rhs.value), 0};
  bool isEven =
      lhs.kind != LaneValue::Varying && rhs.kind != LaneValue::Varying;
  if (isEven && (kind == AffineExprKind::Add ||
                 (kind == AffineExprKind::Mul && isConstant))) {
    int64_t step =
        kind == AffineExprKind::Add ? lhs.step + rhs.step : lhs.step * factor;
    Value first = createIndexOp(builder, loc, kind, lhs.value, rhs.value);
    return {step ? LaneValue::Linear : LaneValue::Uniform, first, step};
  }
  return {LaneValue::Varying,
          createIndexOp(builder, loc, kind, toVector(lhs), toVector(rhs)), 0};
}

} // namespace tandem
