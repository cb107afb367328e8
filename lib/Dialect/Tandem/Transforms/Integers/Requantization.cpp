//===- Requantization.cpp - Quantizing scaled sums ------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Dialect/Tandem/Transforms/Requantization.h"

#include "QuantizedValues.h"

#include "tandem/Dialect/Tandem/IR/Relayout.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/ValueTypes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;

namespace tandem {
namespace {

/// The least magnitude other than 0 and the largest one of some numbers.
struct Magnitudes {
  double least = std::numeric_limits<double>::infinity(), largest = 0;
};

template <typename Number> Magnitudes getMagnitudesOf(ArrayRef<char> bytes) {
  Magnitudes magnitudes;
  for (; !bytes.empty(); bytes = bytes.drop_front(sizeof(Number))) {
    Number number;
    std::memcpy(&number, bytes.data(), sizeof(Number));
    const double magnitude = std::fabs(double(number));
    magnitudes.largest = std::max(magnitudes.largest, magnitude);
    if (magnitude != 0)
      magnitudes.least = std::min(magnitudes.least, magnitude);
  }
  return magnitudes;
}

/// The magnitudes of a constant, or bounds for those of products of constants;
/// nothing for other values. A quantized bias is a product of integers and
/// scales.
std::optional<Magnitudes> getMagnitudes(Value value) {
  if (auto view = value.getDefiningOp<ir::ReshapeOp>())
    return getMagnitudes(view.getInput());
  if (auto cast = value.getDefiningOp<ir::CastOp>())
    return getMagnitudes(cast.getInput());
  if (auto product = value.getDefiningOp<ir::MulOp>()) {
    const auto lhs = getMagnitudes(product.getLhs()),
               rhs = getMagnitudes(product.getRhs());
    if (!lhs || !rhs)
      return std::nullopt;
    return Magnitudes{lhs->least * rhs->least, lhs->largest * rhs->largest};
  }
  if (auto difference = value.getDefiningOp<ir::SubOp>()) {
    const auto zeroPoint = getMagnitudes(difference.getRhs());
    return zeroPoint && zeroPoint->largest == 0
               ? getMagnitudes(difference.getLhs())
               : std::nullopt;
  }
  ElementsAttr constant;
  const Type type = getElementTypeOrSelf(value);
  if (!matchPattern(value, m_Constant(&constant)) ||
      ir::getRawData(constant).empty())
    return std::nullopt;
  if (type.isF32())
    return getMagnitudesOf<float>(ir::getRawData(constant));
  return type.isInteger(32)
             ? std::optional(getMagnitudesOf<int32_t>(ir::getRawData(constant)))
             : std::nullopt;
}

/// Whether quotients are normal numbers of f32, whose products with sums of i32
/// are finite.
bool areNormal(const Magnitudes &numbers, double divisor) {
  constexpr double kMostSum = 0x1p31;
  return numbers.least / divisor >= std::numeric_limits<float>::min() &&
         numbers.largest / divisor * kMostSum <
             std::numeric_limits<float>::max();
}

/// What is rounded: the ops of (sum * scale + bias) / divisor.
struct Requantization {
  ir::DivOp div;
  ir::MulOp mul;
  ir::AddOp add;
};

/// What is rounded: the ops of (a * scale + b * scale) / divisor, with integers
/// a and b of 8 bits from which zero points may have been subtracted.
struct QuantizedAddition {
  ir::DivOp div;
  ir::AddOp add;
  std::array<ir::MulOp, 2> products;
};

/// The op that gives `value`, if it is an `Op` with one use.
template <typename Op> Op onlyFor(Value value) {
  return value.hasOneUse() ? value.getDefiningOp<Op>() : Op();
}

/// The product of converted sums of i32 and a scale; null for others.
ir::MulOp matchScaledSums(Value value) {
  auto mul = onlyFor<ir::MulOp>(value);
  auto cast = mul ? mul.getLhs().getDefiningOp<ir::CastOp>() : ir::CastOp();
  return cast && getElementTypeOrSelf(cast.getInput()).isInteger(32) &&
                 shapeOf(mul.getLhs()) == shapeOf(mul.getResult())
             ? mul
             : ir::MulOp();
}

/// A division by one positive constant.
struct Division {
  ir::DivOp op;
  double divisor;
};

/// The division whose quotients `round` rounds; nothing for others.
std::optional<Division> matchDivision(ir::RoundOp round) {
  auto div = onlyFor<ir::DivOp>(round.getOperand());
  DenseElementsAttr constant;
  if (!div || !getElementTypeOrSelf(round.getResult()).isF32() ||
      typeOf(div.getRhs()).getRank() != 0 ||
      !matchPattern(div.getRhs(), m_Constant(&constant)))
    return std::nullopt;
  const double divisor = constant.getSplatValue<APFloat>().convertToDouble();
  return divisor > 0 ? std::optional(Division{div, divisor}) : std::nullopt;
}

/// What is divided. A relu is left out, as the divisor is positive.
Value getDividend(ir::DivOp div) {
  auto relu = onlyFor<ir::ReluOp>(div.getLhs());
  return relu ? relu.getOperand() : div.getLhs();
}

std::optional<Requantization> matchRequantization(Division division) {
  Value real = getDividend(division.op);
  auto add = onlyFor<ir::AddOp>(real);
  auto mul = matchScaledSums(add ? add.getLhs() : real);
  if (!mul)
    return std::nullopt;
  const auto scales = getMagnitudes(mul.getRhs());
  const auto bias =
      add ? getMagnitudes(add.getRhs()) : std::optional(Magnitudes());
  if (!scales || !areNormal(*scales, division.divisor) || !bias ||
      !areNormal(*bias, division.divisor))
    return std::nullopt;
  return Requantization{division.op, mul, add};
}

std::optional<QuantizedAddition> matchAddition(Division division) {
  QuantizedAddition found{
      division.op, onlyFor<ir::AddOp>(getDividend(division.op)), {}};
  if (!found.add)
    return std::nullopt;
  for (auto [mul, operand] :
       llvm::zip_equal(found.products, found.add.getOperands())) {
    mul = operand.getDefiningOp<ir::MulOp>();
    const std::optional<Quantized> numbers = matchQuantized(operand);
    const auto scales = numbers && numbers->scale
                            ? getMagnitudes(numbers->scale)
                            : std::nullopt;
    if (!scales || !areNormal(*scales, division.divisor))
      return std::nullopt;
  }
  return found;
}

/// Divides the right operand of `op` by `divisor`.
void divide(Operation *op, Value divisor) {
  OpBuilder builder(op);
  op->setOperand(
      1, ir::DivOp::create(builder, op->getLoc(), op->getOperand(1), divisor));
}

} // namespace

static void divideScales(Requantization found) {
  Value divisor = found.div.getRhs();
  OpBuilder builder(found.mul);
  divisor = builder.clone(*divisor.getDefiningOp())->getResult(0);
  divide(found.mul, divisor);
  if (found.add)
    divide(found.add, divisor);
}

/// Other ops may use the products.
static void divideScales(QuantizedAddition found) {
  OpBuilder builder(found.add);
  const Location loc = found.div.getLoc();
  Value divisor =
      builder.clone(*found.div.getRhs().getDefiningOp())->getResult(0);
  for (auto [i, mul] : llvm::enumerate(found.products)) {
    Value scale = ir::DivOp::create(builder, loc, mul.getRhs(), divisor);
    Value product = ir::MulOp::create(builder, loc, mul.getLhs(), scale);
    found.add->setOperand(unsigned(i), product);
  }
}

void divideScales(Operation *root) {
  SmallVector<Division> divisions;
  root->walk([&](ir::RoundOp round) {
    if (const std::optional<Division> division = matchDivision(round))
      divisions.push_back(*division);
  });
  for (Division division : divisions) {
    if (auto sums = matchRequantization(division))
      divideScales(*sums);
    else if (auto addition = matchAddition(division))
      divideScales(*addition);
    else
      continue;
    division.op.replaceAllUsesWith(division.op.getLhs());
    division.op.erase();
  }
}

} // namespace tandem
