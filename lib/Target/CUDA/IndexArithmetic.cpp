//===- IndexArithmetic.cpp - Affine expressions as index arithmetic -------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tandem::codegen;

static constexpr arith::IntegerOverflowFlags noOverflow =
    arith::IntegerOverflowFlags::nsw;

void IndexArithmetic::setBounds(Value value, int64_t lower, int64_t upper) {
  ranges[value] = {lower, upper};
}

Value IndexArithmetic::constant(Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value IndexArithmetic::add(Location loc, Value lhs, Value rhs) {
  // Reads better than adding a negative number.
  if (auto offset = getConstantIntValue(rhs); offset && *offset < 0)
    return builder.createOrFold<arith::SubIOp>(
        loc, lhs, constant(loc, -*offset), noOverflow);
  return builder.createOrFold<arith::AddIOp>(loc, lhs, rhs, noOverflow);
}

Value IndexArithmetic::mul(Location loc, Value lhs, Value rhs) {
  return builder.createOrFold<arith::MulIOp>(loc, lhs, rhs, noOverflow);
}

IndexArithmetic::Range IndexArithmetic::scaledRange(AffineExprKind kind,
                                                    Range range, int64_t by) {
  switch (kind) {
  case AffineExprKind::Mul:
    return by >= 0 ? Range{range.lower * by, range.upper * by}
                   : Range{range.upper * by, range.lower * by};
  case AffineExprKind::Mod:
    return range.lower >= 0 && range.upper < by ? range : Range{0, by - 1};
  case AffineExprKind::FloorDiv:
    return {llvm::divideFloorSigned(range.lower, by),
            llvm::divideFloorSigned(range.upper, by)};
  default:
    return {llvm::divideCeilSigned(range.lower, by),
            llvm::divideCeilSigned(range.upper, by)};
  }
}

std::optional<IndexArithmetic::Range>
IndexArithmetic::range(Value value) const {
  auto known = ranges.find(value);
  if (known == ranges.end())
    return std::nullopt;
  return known->second;
}

std::optional<IndexArithmetic::Range>
IndexArithmetic::range(AffineExpr expr, unsigned numDims,
                       ValueRange operands) const {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return range(operands[dim.getPosition()]);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return range(operands[numDims + symbol.getPosition()]);
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return Range{constant.getValue(), constant.getValue()};
  auto binary = cast<AffineBinaryOpExpr>(expr);
  std::optional<Range> lhs = range(binary.getLHS(), numDims, operands);
  std::optional<Range> rhs = range(binary.getRHS(), numDims, operands);
  if (!lhs || !rhs)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add)
    return Range{lhs->lower + rhs->lower, lhs->upper + rhs->upper};
  // A symbol may stand on the right as well; what matters is a known constant.
  if (rhs->lower != rhs->upper)
    return std::nullopt;
  return scaledRange(expr.getKind(), *lhs, rhs->lower);
}

Value IndexArithmetic::divide(Location loc, AffineBinaryOpExpr expr,
                              unsigned numDims, ValueRange operands) {
  AffineExpr numerator = expr.getLHS();
  if (expr.getKind() == AffineExprKind::CeilDiv)
    numerator = numerator + (expr.getRHS() + -1);
  Value lhs = emit(loc, numerator, numDims, operands);
  Value rhs = emit(loc, expr.getRHS(), numDims, operands);
  std::optional<Range> values = range(numerator, numDims, operands);
  bool plain = values && values->lower >= 0;
  if (auto by = dyn_cast<AffineConstantExpr>(expr.getRHS());
      by && plain && values->upper < by.getValue())
    return expr.getKind() == AffineExprKind::Mod ? lhs : constant(loc, 0);
  if (expr.getKind() != AffineExprKind::Mod)
    return plain ? builder.createOrFold<arith::DivSIOp>(loc, lhs, rhs)
                 : builder.createOrFold<arith::FloorDivSIOp>(loc, lhs, rhs);
  if (plain)
    return builder.createOrFold<arith::RemSIOp>(loc, lhs, rhs);
  Value quotient = builder.createOrFold<arith::FloorDivSIOp>(loc, lhs, rhs);
  return builder.createOrFold<arith::SubIOp>(loc, lhs, mul(loc, quotient, rhs),
                                             noOverflow);
}

Value IndexArithmetic::emit(Location loc, AffineExpr expr, unsigned numDims,
                            ValueRange operands) {
  if (std::optional<Range> values = range(expr, numDims, operands))
    wide |= !llvm::isInt<32>(values->lower) || !llvm::isInt<32>(values->upper);
  switch (expr.getKind()) {
  case AffineExprKind::Constant:
    return constant(loc, cast<AffineConstantExpr>(expr).getValue());
  case AffineExprKind::DimId:
    return operands[cast<AffineDimExpr>(expr).getPosition()];
  case AffineExprKind::SymbolId:
    return operands[numDims + cast<AffineSymbolExpr>(expr).getPosition()];
  case AffineExprKind::Add:
  case AffineExprKind::Mul: {
    auto binary = cast<AffineBinaryOpExpr>(expr);
    Value lhs = emit(loc, binary.getLHS(), numDims, operands);
    Value rhs = emit(loc, binary.getRHS(), numDims, operands);
    return expr.getKind() == AffineExprKind::Add ? add(loc, lhs, rhs)
                                                 : mul(loc, lhs, rhs);
  }
  case AffineExprKind::Mod:
  case AffineExprKind::FloorDiv:
  case AffineExprKind::CeilDiv:
    return divide(loc, cast<AffineBinaryOpExpr>(expr), numDims, operands);
  }
  llvm_unreachable("every kind of affine expression is handled");
}

Value IndexArithmetic::apply(Location loc, AffineExpr expr, unsigned numDims,
                             ValueRange operands) {
  expr = simplifyAffineExpr(expr, numDims, operands.size() - numDims);
  Value result = emit(loc, expr, numDims, operands);
  std::optional<Range> values = range(expr, numDims, operands);
  if (values && !ranges.contains(result))
    ranges[result] = *values;
  return result;
}
