//===- Requantization.cpp - Quantizing scaled sums ------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Dialect/Tandem/Transforms/Requantization.h"

#include "tandem/Dialect/Tandem/IR/Relayout.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/ValueTypes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

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

std::optional<Requantization> match(ir::RoundOp round) {
  Requantization found{onlyFor<ir::DivOp>(round.getOperand()), {}, {}};
  if (!found.div || !getElementTypeOrSelf(round.getResult()).isF32() ||
      typeOf(found.div.getRhs()).getRank() != 0)
    return std::nullopt;
  Value real = found.div.getLhs();
  if (auto relu = onlyFor<ir::ReluOp>(real))
    real = relu.getOperand();
  found.add = onlyFor<ir::AddOp>(real);
  found.mul = matchScaledSums(found.add ? found.add.getLhs() : real);
  if (!found.mul)
    return std::nullopt;
  DenseElementsAttr constant;
  if (!matchPattern(found.div.getRhs(), m_Constant(&constant)))
    return std::nullopt;
  const double divisor = constant.getSplatValue<APFloat>().convertToDouble();
  const auto scales = getMagnitudes(found.mul.getRhs());
  if (!(divisor > 0) || !scales || !areNormal(*scales, divisor))
    return std::nullopt;
  const auto bias = found.add ? getMagnitudes(found.add.getRhs())
                              : std::optional(Magnitudes());
  if (!bias || !areNormal(*bias, divisor))
    return std::nullopt;
  return found;
}

/// Divides the right operand of `op` by `divisor`.
void divide(Operation *op, Value divisor) {
  OpBuilder builder(op);
  op->setOperand(
      1, ir::DivOp::create(builder, op->getLoc(), op->getOperand(1), divisor));
}

} // namespace

void divideScales(Operation *root) {
  SmallVector<ir::RoundOp> rounds;
  root->walk([&](ir::RoundOp round) { rounds.push_back(round); });
  for (ir::RoundOp round : rounds) {
    std::optional<Requantization> found = match(round);
    if (!found)
      continue;
    Value divisor = found->div.getRhs();
    OpBuilder builder(found->mul);
    divisor = builder.clone(*divisor.getDefiningOp())->getResult(0);
    divide(found->mul, divisor);
    if (found->add)
      divide(found->add, divisor);
    found->div.replaceAllUsesWith(found->div.getLhs());
    found->div.erase();
  }
}

} // namespace tandem
