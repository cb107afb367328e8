//===- Elementwise.cpp - Elementwise ONNX ops -----------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model/Ops.h"

#include "tandem/Dialect/Tandem/IR/TandemTypes.h"

#include <numbers>

using namespace mlir;

namespace tandem::onnx {
namespace {

/// `negative` where x is negative, and x elsewhere: 0 is not multiplied by a
/// slope, which may be infinite.
Value whereNegative(Node &node, Value x, Value negative) {
  Value isNegative =
      node.compare(ir::ComparePredicate::lt, x, node.scalar(x, 0));
  return node.select(isNegative, negative, x);
}

/// factor * (exp(x / scale) - 1) where x is negative, and x elsewhere.
Value elu(Node &node, Value x, double factor, double scale = 1) {
  Value scaled = scale == 1 ? x : node.div(x, node.scalar(x, scale));
  Value curve = node.emit<ir::Expm1Op>(scaled);
  return whereNegative(node, x, node.mul(node.scalar(x, factor), curve));
}

Value hardSigmoid(Node &node, Value x, double slope, double offset) {
  Value line =
      node.add(node.mul(x, node.scalar(x, slope)), node.scalar(x, offset));
  return clamp(node, line, 0, 1);
}

Value gelu(Node &node, Value x, bool isTanh) {
  if (isTanh)
    return node.emit<ir::GeluOp>(x, node.unit("approximate_tanh"));
  return node.emit<ir::GeluOp>(x);
}

Value half(Node &node, Value x) { return node.mul(x, node.scalar(x, 0.5)); }

/// All operands combined from the first to the last.
template <typename Op> Value fold(Node &node) {
  SmallVector<Value> operands = node.operands();
  if (!node.require(!operands.empty(), "has no operands"))
    return {};
  Value result = operands[0];
  for (Value operand : ArrayRef(operands).drop_front())
    result = node.emit<Op>({result, operand});
  return result;
}

/// The limit of Clip in operand `i` or, before operator set 11, an attribute.
Value limit(Node &node, unsigned i, StringRef attribute, Value x) {
  if (node.hasOperand(i)) {
    Value value = node.operand(i);
    return node.rank(value) == 1 ? node.reshape(value, {}) : value;
  }
  return node.hasAttribute(attribute)
             ? node.scalar(x, node.getFloat(attribute, 0))
             : Value();
}

} // namespace

Value clamp(Node &node, Value x, double low, double high) {
  return node.emit<ir::ClampOp>({x, node.scalar(x, low), node.scalar(x, high)});
}

SmallVector<Value> alignedOperands(Node &node) {
  Value lhs = node.operand(0), rhs = node.operand(1);
  if (node.opset() < 7 && node.getInt("broadcast", 0) &&
      node.hasAttribute("axis")) {
    int64_t axis = node.axis(node.getInt("axis", 0), node.rank(lhs));
    Sizes shape = node.sizesOf(rhs);
    shape.resize(std::max<int64_t>(node.rank(lhs) - axis, shape.size()),
                 Size(1));
    rhs = node.reshape(rhs, shape);
  }
  return {lhs, rhs};
}

/// `large` where |x| is beyond 2^28, of which the squares of neither type of
/// float overflow and 1 is lost; `other` elsewhere.
static Value whereLarge(Node &node, Value magnitude, Value large, Value other) {
  Value isLarge = node.compare(ir::ComparePredicate::gt, magnitude,
                               node.scalar(magnitude, 0x1p28));
  return node.select(isLarge, large, other);
}

/// log(2x).
static Value logOfTwice(Node &node, Value x) {
  return node.add(node.emit<ir::LogOp>(x), node.scalar(x, std::numbers::ln2));
}

/// log1p(t + √(t (t + 2))), where t = x - 1; NaN below 1.
void convertAcosh(Node &node) {
  Value x = node.operand(0), one = node.scalar(x, 1);
  Value t = node.emit<ir::MaxOp>({node.sub(x, one), node.scalar(x, -0.5)});
  Value root =
      node.emit<ir::SqrtOp>(node.mul(t, node.add(t, node.scalar(x, 2))));
  Value result = node.emit<ir::Log1pOp>(node.add(t, root));
  node.result(0, whereLarge(node, x, logOfTwice(node, x), result));
}

/// sign(x) * log1p(|x| + x² / (1 + √(x² + 1))).
void convertAsinh(Node &node) {
  Value x = node.operand(0), one = node.scalar(x, 1);
  Value magnitude = node.emit<ir::AbsOp>(x), square = node.mul(x, x);
  Value root = node.emit<ir::SqrtOp>(node.add(square, one));
  Value sum = node.add(magnitude, node.div(square, node.add(one, root)));
  Value result = whereLarge(node, magnitude, logOfTwice(node, magnitude),
                            node.emit<ir::Log1pOp>(sum));
  node.result(0, node.mul(node.emit<ir::SignOp>(x), result));
}

/// sign(x) * log1p(2|x| / (1 - |x|)) / 2.
void convertAtanh(Node &node) {
  Value x = node.operand(0), magnitude = node.emit<ir::AbsOp>(x);
  Value quotient = node.div(node.add(magnitude, magnitude),
                            node.sub(node.scalar(x, 1), magnitude));
  Value result = half(node, node.emit<ir::Log1pOp>(quotient));
  node.result(0, node.mul(node.emit<ir::SignOp>(x), result));
}

void convertBitCast(Node &node) {
  Expected<DType> dtype = convertDType(node.getInt("to", 0));
  if (!dtype)
    return node.error(dtype.error().message, dtype.error().hint);
  Value x = node.operand(0);
  if (!x)
    return;
  Type type = ir::toMlirType(x.getContext(), *dtype);
  if (type == node.element(x))
    return node.result(0, x);
  // The byte of a truth value is 0 or 1.
  if (byteWidth(*dtype) == 1 &&
      (type.isInteger(1) || node.element(x).isInteger(1)))
    return node.result(0, node.cast(x, type));
  node.result(0, node.emit<ir::BitcastOp>(
                     x, node.attribute("dtype", TypeAttr::get(type))));
}

void convertBitShift(Node &node) {
  SmallVector<Value> operands{node.operand(0), node.operand(1)};
  std::string direction = node.getString("direction");
  if (!node.require(direction == "LEFT" || direction == "RIGHT",
                    "direction must be LEFT or RIGHT"))
    return;
  node.result(0, direction == "LEFT" ? node.emit<ir::ShiftLeftOp>(operands)
                                     : node.emit<ir::ShiftRightOp>(operands));
}

void convertCast(Node &node) {
  Expected<DType> dtype = convertDType(node.getInt("to", 0));
  if (!dtype)
    return node.error(dtype.error().message, dtype.error().hint);
  Value x = node.operand(0);
  if (x)
    x = node.cast(x, ir::toMlirType(x.getContext(), *dtype));
  node.result(0, x);
}

void convertCastLike(Node &node) {
  node.result(0, node.cast(node.operand(0), node.element(node.operand(1))));
}

void convertCelu(Node &node) {
  double alpha = node.getFloat("alpha", 1);
  node.result(0, elu(node, node.operand(0), alpha, alpha));
}

void convertClip(Node &node) {
  Value x = node.operand(0);
  Value low = limit(node, 1, "min", x), high = limit(node, 2, "max", x);
  if (low && high)
    x = node.emit<ir::ClampOp>({x, low, high});
  else if (low)
    x = node.emit<ir::MaxOp>({x, low});
  else if (high)
    x = node.emit<ir::MinOp>({x, high});
  node.result(0, x);
}

/// exp(|x|) / 2, which does not overflow where the result does not.
static Value halfOfExp(Node &node, Value magnitude) {
  Value root = node.emit<ir::ExpOp>(half(node, magnitude));
  return node.mul(half(node, root), root);
}

void convertCosh(Node &node) { // (exp(|x|) + exp(-|x|)) / 2
  Value magnitude = node.emit<ir::AbsOp>(node.operand(0));
  Value small = node.emit<ir::ExpOp>(node.emit<ir::NegOp>(magnitude));
  node.result(0, node.add(halfOfExp(node, magnitude), half(node, small)));
}

void convertElu(Node &node) {
  node.result(0, elu(node, node.operand(0), node.getFloat("alpha", 1)));
}

void convertGelu(Node &node) {
  node.result(0, gelu(node, node.operand(0),
                      node.getString("approximate", "none") == "tanh"));
}

void convertMicrosoftGelu(Node &node) {
  node.result(0, gelu(node, node.operand(0), false));
}

void convertMicrosoftBiasGelu(Node &node) {
  node.result(0, gelu(node, node.add(node.operand(0), node.operand(1)), false));
}

void convertMicrosoftQuickGelu(Node &node) {
  Value x = node.operand(0);
  Value scaled = node.mul(x, node.scalar(x, node.getFloat("alpha", 1.702)));
  node.result(0, node.mul(x, node.emit<ir::SigmoidOp>(scaled)));
}

void convertMicrosoftFastGelu(Node &node) {
  Value x = node.operand(0);
  if (node.hasOperand(1))
    x = node.add(x, node.operand(1));
  node.result(0, gelu(node, x, true));
}

void convertHardSigmoid(Node &node) {
  node.result(0, hardSigmoid(node, node.operand(0), node.getFloat("alpha", 0.2),
                             node.getFloat("beta", 0.5)));
}

void convertHardSwish(Node &node) {
  Value x = node.operand(0);
  node.result(0, node.mul(x, hardSigmoid(node, x, 1.0 / 6, 0.5)));
}

void convertLeakyRelu(Node &node) {
  Value x = node.operand(0);
  Value slope = node.scalar(x, node.getFloat("alpha", 0.01));
  node.result(0, whereNegative(node, x, node.mul(x, slope)));
}

void convertMax(Node &node) { node.result(0, fold<ir::MaxOp>(node)); }
void convertMin(Node &node) { node.result(0, fold<ir::MinOp>(node)); }
void convertSum(Node &node) { node.result(0, fold<ir::AddOp>(node)); }

void convertMean(Node &node) {
  Value sum = fold<ir::AddOp>(node);
  node.result(0, node.div(sum, node.scalar(sum, node.numOperands())));
}

void convertMish(Node &node) {
  Value x = node.operand(0);
  Value curve = node.emit<ir::TanhOp>(node.emit<ir::SoftplusOp>(x));
  node.result(0, node.mul(x, curve));
}

void convertPow(Node &node) {
  SmallVector<Value> operands = alignedOperands(node);
  Value base = operands[0], exponent = operands[1];
  Type type = node.element(base);
  // An integer to the power of a float is computed in floats.
  if (node.isFloat(exponent) && !node.isFloat(base))
    base = node.cast(base, node.element(exponent));
  exponent = node.cast(exponent, node.element(base));
  node.result(0, node.cast(node.emit<ir::PowOp>({base, exponent}), type));
}

void convertPRelu(Node &node) {
  Value x = node.operand(0), slope = node.operand(1);
  // Up to operator set 6, and in models of frameworks since, the slope is of
  // channels.
  if (node.opset() < 7 && node.rank(slope) == 1 && node.rank(x) > 1 &&
      node.dim(slope, 0) != 1)
    slope = alongAxis(node, slope, 1, node.rank(x));
  node.result(0, whereNegative(node, x, node.mul(x, slope)));
}

void convertReciprocal(Node &node) {
  Value x = node.operand(0);
  node.result(0, node.div(node.scalar(x, 1), x));
}

void convertSelu(Node &node) {
  Value x = node.operand(0);
  double alpha = node.getFloat("alpha", 1.67326319217681884765625);
  double gamma = node.getFloat("gamma", 1.05070102214813232421875);
  node.result(0, node.mul(elu(node, x, alpha), node.scalar(x, gamma)));
}

void convertShrink(Node &node) {
  Value x = node.operand(0), zero = node.scalar(x, 0);
  double limit = node.getFloat("lambd", 0.5);
  Value bias = node.scalar(x, node.getFloat("bias", 0));
  Value isAbove =
      node.compare(ir::ComparePredicate::gt, x, node.scalar(x, limit));
  Value result = node.select(isAbove, node.sub(x, bias), zero);
  // Nothing without a sign is below.
  if (!node.element(x).isUnsignedInteger()) {
    Value isBelow =
        node.compare(ir::ComparePredicate::lt, x, node.scalar(x, -limit));
    result = node.select(isBelow, node.add(x, bias), result);
  }
  node.result(0, result);
}

/// sign(x) * (m + m / (m + 1)) / 2, where m = exp(|x|) - 1; from 20 on that is
/// exp(|x|) / 2.
void convertSinh(Node &node) {
  Value x = node.operand(0), magnitude = node.emit<ir::AbsOp>(x);
  Value isLarge =
      node.compare(ir::ComparePredicate::gt, magnitude, node.scalar(x, 20));
  Value m = node.emit<ir::Expm1Op>(magnitude);
  Value rest = node.div(m, node.add(m, node.scalar(x, 1)));
  Value result = node.select(isLarge, halfOfExp(node, magnitude),
                             half(node, node.add(m, rest)));
  node.result(0, node.mul(node.emit<ir::SignOp>(x), result));
}

void convertSoftsign(Node &node) {
  Value x = node.operand(0);
  node.result(
      0, node.div(x, node.add(node.emit<ir::AbsOp>(x), node.scalar(x, 1))));
}

void convertSwish(Node &node) {
  Value x = node.operand(0);
  Value scaled = node.mul(x, node.scalar(x, node.getFloat("alpha", 1)));
  node.result(0, node.mul(x, node.emit<ir::SigmoidOp>(scaled)));
}

void convertTan(Node &node) {
  Value x = node.operand(0);
  node.result(0, node.div(node.emit<ir::SinOp>(x), node.emit<ir::CosOp>(x)));
}

void convertThresholdedRelu(Node &node) {
  Value x = node.operand(0);
  Value isAbove = node.compare(ir::ComparePredicate::gt, x,
                               node.scalar(x, node.getFloat("alpha", 1)));
  node.result(0, node.select(isAbove, x, node.scalar(x, 0)));
}

} // namespace tandem::onnx
