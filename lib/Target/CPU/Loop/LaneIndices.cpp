//===- LaneIndices.cpp - Indices that step from lane to lane --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loop/LaneEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <limits>

using namespace mlir;

namespace tandem {

/// Emits sums and multiples of indices that differ from lane to lane by
/// constants. The results differ by constants, too.
bool LaneEmitter::emitSteppedIndex(Operation &op) {
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
  values[op.getResult(0)] = {LaneValue::Varying, vector};
  return true;
}

/// What each lane adds to `a + factor * b`.
static SmallVector<int64_t, 0> addSteps(const LaneValue &a, const LaneValue &b,
                                        int64_t factor) {
  SmallVector<int64_t, 0> sum(a.steps);
  sum.resize(std::max(a.steps.size(), b.steps.size()));
  for (auto [to, step] : llvm::zip(sum, b.steps))
    to += factor * step;
  return sum;
}

static bool areZeros(ArrayRef<int64_t> steps) {
  return llvm::all_of(steps, [](int64_t step) { return step == 0; });
}

static bool getConstant(Value value, int64_t &constant) {
  auto op = value.getDefiningOp<arith::ConstantIndexOp>();
  if (op)
    constant = op.value();
  return static_cast<bool>(op);
}

/// a + s < b + t in a lane is s - t < b - a: one comparison with constants, in
/// 32 bits, or a constant where a and b are.
bool LaneEmitter::emitIndexCompare(Operation &op) {
  auto compare = dyn_cast<arith::CmpIOp>(op);
  if (!compare || !compare.getLhs().getType().isIndex())
    return false;
  LaneValue lhs = lookUp(compare.getLhs()), rhs = lookUp(compare.getRhs());
  if (lhs.kind == LaneValue::Varying || rhs.kind == LaneValue::Varying)
    return false;
  SmallVector<int64_t, 0> steps = addSteps(lhs, rhs, -1);
  int64_t bound = std::numeric_limits<int32_t>::max();
  if (areZeros(steps) || llvm::any_of(steps, [&](int64_t step) {
        return std::abs(step) >= bound;
      }))
    return false;
  int64_t from = 0, to = 0;
  if (getConstant(lhs.value, from) && getConstant(rhs.value, to)) {
    values[compare] =
        getConstantLanes(llvm::map_to_vector(steps, [&](int64_t step) {
          return arith::applyCmpPredicate(
              compare.getPredicate(), APInt(64, from + step, /*isSigned=*/true),
              APInt(64, to, /*isSigned=*/true));
        }));
    return true;
  }
  Value distance = arith::SubIOp::create(builder, loc, rhs.value, lhs.value);
  distance = arith::MaxSIOp::create(builder, loc, distance, index(-bound));
  distance = arith::MinSIOp::create(builder, loc, distance, index(bound));
  distance =
      arith::IndexCastOp::create(builder, loc, builder.getI32Type(), distance);
  Value differences =
      createSteps(builder, loc, vectorOf(builder.getI32Type()), steps);
  values[compare] = {LaneValue::Varying,
                     arith::CmpIOp::create(builder, loc, compare.getPredicate(),
                                           differences, splat(distance))};
  return true;
}

/// A scalar where all lanes are equal.
LaneValue LaneEmitter::getConstantLanes(ArrayRef<bool> bits) {
  if (llvm::all_equal(bits))
    return {LaneValue::Uniform,
            arith::ConstantOp::create(builder, loc,
                                      builder.getBoolAttr(bits.front()))};
  return {LaneValue::Varying,
          arith::ConstantOp::create(
              builder, loc,
              DenseElementsAttr::get(vectorOf(builder.getI1Type()), bits))};
}

/// Dims come first among `operands`, then symbols.
LaneValue LaneEmitter::emitAffine(AffineExpr expr, unsigned numDims,
                                  ArrayRef<LaneValue> operands) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return {LaneValue::Uniform, index(constant.getValue())};
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return operands[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return operands[numDims + symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  return emitBinary(expr.getKind(),
                    emitAffine(binary.getLHS(), numDims, operands),
                    emitAffine(binary.getRHS(), numDims, operands));
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

/// Adds constants to sums and multiples last. Neighboring indices, which differ
/// by a constant, then share all other terms, and an instruction adds the
/// constant.
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

/// The quotients or remainders of constant indices.
LaneValue LaneEmitter::divideLanes(AffineExprKind kind, int64_t first,
                                   ArrayRef<int64_t> steps, int64_t divisor) {
  auto divide = [&](int64_t dividend) {
    return kind == AffineExprKind::Mod
               ? llvm::mod(dividend, divisor)
               : llvm::divideFloorSigned(dividend, divisor);
  };
  LaneValue result{LaneValue::Stepped, index(divide(first))};
  for (int64_t step : steps)
    result.steps.push_back(divide(first + step) - divide(first));
  if (areZeros(result.steps))
    result = {LaneValue::Uniform, result.value};
  return result;
}

LaneValue LaneEmitter::emitBinary(AffineExprKind kind, LaneValue lhs,
                                  LaneValue rhs) {
  int64_t factor = 0;
  bool isConstant =
      rhs.kind == LaneValue::Uniform && getConstant(rhs.value, factor);
  if (lhs.kind == LaneValue::Uniform && rhs.kind == LaneValue::Uniform)
    return {LaneValue::Uniform,
            createIndexOp(builder, loc, kind, lhs.value, rhs.value)};
  bool isEven =
      lhs.kind != LaneValue::Varying && rhs.kind != LaneValue::Varying;
  if (isEven && (kind == AffineExprKind::Add ||
                 (kind == AffineExprKind::Mul && isConstant))) {
    SmallVector<int64_t, 0> steps = kind == AffineExprKind::Add
                                        ? addSteps(lhs, rhs, 1)
                                        : addSteps({}, lhs, factor);
    Value first = createIndexOp(builder, loc, kind, lhs.value, rhs.value);
    if (areZeros(steps))
      return {LaneValue::Uniform, first};
    return {LaneValue::Stepped, first, std::move(steps)};
  }
  int64_t first = 0;
  if (isEven && isConstant && factor > 0 && getConstant(lhs.value, first))
    return divideLanes(kind, first, lhs.steps, factor);
  return {LaneValue::Varying,
          createIndexOp(builder, loc, kind, toVector(lhs), toVector(rhs))};
}

} // namespace tandem
