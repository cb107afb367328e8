//===- OpTolerance.cpp - The tolerance of one op's result -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// First-order propagation of errors that are independent of each other, so that
// variances add (Higham, Accuracy and Stability of Numerical Algorithms, 2nd
// ed., sections 2.8 and 3.1; Higham and Mary, SISC 41(5), 2019, for sums).
//
//===----------------------------------------------------------------------===//

#include "engine/certificate/OpTolerance.h"

#include "tandem/Runtime/Compare.h"
#include "tandem/Support/OpErrors.h"

#include <algorithm>
#include <cmath>

using namespace tandem;
using namespace tandem::tiering;
using fb::ReduceKind;

namespace {

/// The largest magnitude of an argument that is expected of functions that
/// amplify errors by it: exponents and angles.
constexpr double kArgument = 16;

double unitRoundoff(DType dtype) { return epsilonOf(dtype) / 2; }

/// The standard deviation of rounding to nearest: errors are uniform in [-u, u]
/// where the mantissa is 1.
double roundingOnce(double unit) { return unit / std::sqrt(3.0); }

/// The unit roundoff of the type in which results of type `dtype` are computed.
double computingUnit(DType dtype) { return unitRoundoff(computeType(dtype)); }

/// Variances of independent errors add.
ValueTolerance combine(ValueTolerance a, ValueTolerance b) {
  return {std::hypot(a.elementwise, b.elementwise),
          std::hypot(a.normwise, b.normwise)};
}
ValueTolerance combinedOperands(const OpView &view) {
  ValueTolerance sum;
  for (const ValueTolerance &operand : view.operands)
    sum = combine(sum, operand);
  return sum;
}

ValueTolerance worstOperand(const OpView &view) {
  ValueTolerance worst;
  for (const ValueTolerance &operand : view.operands)
    worst = {std::max(worst.elementwise, operand.elementwise),
             std::max(worst.normwise, operand.normwise)};
  return worst;
}

/// Errors of which nothing is known but their size beside all elements.
ValueTolerance asNormwise(ValueTolerance value, double amplified = 1) {
  return {0, amplified * std::hypot(value.elementwise, value.normwise)};
}
ValueTolerance asElementwise(ValueTolerance value, double amplified = 1) {
  return {asNormwise(value, amplified).normwise, 0};
}

//===----------------------------------------------------------------------===//
// Elementwise ops
//===----------------------------------------------------------------------===//

/// Rounding of an elementwise result, in the type that it is computed in.
ValueTolerance elementwiseRounding(const OpView &view) {
  const double unit = computingUnit(view.result.dtype);
  const Rounding rounding = getOpInfo(view.op.kind).rounding;
  switch (rounding) {
  case Rounding::exact:
    return {};
  case Rounding::once:
    return {roundingOnce(unit), 0};
  case Rounding::function:
  case Rounding::power:
    return {roundingUnits(rounding) * unit, 0};
  case Rounding::cancelling:
    return {0, roundingUnits(rounding) * unit};
  case Rounding::own: // A cast: all tiers round equal numbers to equal ones.
    break;
  }
  if (view.operands[0].isExact() || byteWidth(view.result.dtype) == 2)
    return {};
  return {roundingOnce(unitRoundoff(view.result.dtype)), 0};
}

/// What the errors of the operands become in an elementwise result.
ValueTolerance propagate(const OpView &view) {
  const OpInfo info = getOpInfo(view.op.kind);
  const ValueTolerance operands = info.rounding == Rounding::exact
                                      ? worstOperand(view)
                                      : combinedOperands(view);
  switch (info.condition) {
  case Condition::none:
    return {};
  case Condition::relative:
    return operands;
  case Condition::normwise:
    return asNormwise(operands);
  case Condition::exponential:
    return asElementwise(operands, kArgument);
  case Condition::steep:
    return asNormwise(operands, kArgument);
  case Condition::own: // Not elementwise.
    break;
  }
  __builtin_unreachable();
}

//===----------------------------------------------------------------------===//
// Ops that sum
//===----------------------------------------------------------------------===//

/// The error of convolutions for which mayErrNormwise is true, as a multiple of
/// that of direct sums: 3 u max|x| sum|w| of data and weights that are uniform
/// in [-1, 1) is 3 sqrt(3) / 2 * sqrt(3) = 7.8 times sqrt(K) u
/// (docs/Contractions.md).
constexpr double kNormwiseConv = 8;

/// The number of terms of each sum.
double termsOf(const OpView &view) {
  return std::max<double>(
      1, static_cast<double>(cost(view.op, view.types, view.result).reads));
}

/// Two sums of K terms differ by sqrt(K) u, relative to terms that add up to
/// sqrt(K). `factor` multiplies this error.
double sumRounding(const OpView &view, double factor = 1) {
  const double unit = computingUnit(view.result.dtype);
  return std::hypot(factor * std::sqrt(termsOf(view)) * unit, unit);
}

ValueTolerance sum(const OpView &view, double rounding) {
  return combine(asNormwise(combinedOperands(view)), {0, rounding});
}

ValueTolerance contraction(const OpView &view, Precision precision,
                           bool isNormwise) {
  const double rounding = sumRounding(view, isNormwise ? kNormwiseConv : 1);
  const bool isTF32 =
      precision == Precision::tf32 && view.result.dtype == DType::f32;
  // Both operands are rounded.
  return sum(view, isTF32 ? std::hypot(rounding, 2 * kTF32Unit) : rounding);
}

ValueTolerance batchNorm(const OpView &view) {
  const double unit = computingUnit(view.result.dtype);
  return sum(view, std::hypot(unit, kFunctionUnits * unit));
}

/// A product has as many factors as a sum has terms, each with its error.
ValueTolerance product(const OpView &view) {
  const ValueTolerance operands = combinedOperands(view);
  const double factors = std::sqrt(termsOf(view));
  return combine({factors * operands.elementwise, factors * operands.normwise},
                 {sumRounding(view), 0});
}

ValueTolerance reduce(const OpView &view) {
  switch (view.op.attrs.AsReduceAttrs()->kind) {
  case ReduceKind::sum:
  case ReduceKind::mean:
    return sum(view, sumRounding(view));
  case ReduceKind::prod:
    return product(view);
  case ReduceKind::max:
  case ReduceKind::min:
    return worstOperand(view);
  case ReduceKind::argmax:
    break;
  }
  return {};
}

/// The number of elements along the axis of a softmax.
double softmaxTerms(const OpView &view) {
  const auto axis = static_cast<int>(view.op.attrs.AsAxisAttrs()->axis);
  const Shape &shape = view.result.shape;
  return static_cast<double>(shape[axis < 0 ? axis + shape.rank() : axis]);
}

/// A power over a sum of powers.
ValueTolerance softmax(const OpView &view) {
  const double unit = computingUnit(view.result.dtype);
  const double rounding =
      std::hypot(std::sqrt(softmaxTerms(view)) * unit, kFunctionUnits * unit);
  return combine(asElementwise(combinedOperands(view), 2 * kArgument),
                 {rounding, 0});
}

//===----------------------------------------------------------------------===//
// All ops
//===----------------------------------------------------------------------===//

/// Padding makes the root mean square smaller, the errors not.
ValueTolerance pad(const OpView &view) {
  ValueTolerance result = worstOperand(view);
  if (view.elements(0) > 0)
    result.normwise *= std::sqrt(view.elements() / view.elements(0));
  return result;
}

/// All tiers compute equal results from equal operands, because the order of
/// updates is fixed and each update is rounded. All updates may be of one
/// element.
ValueTolerance scatter(const OpView &view) {
  const fb::ScatterKind kind = view.op.attrs.AsScatterAttrs()->kind;
  const ValueTolerance operands = combinedOperands(view);
  if (operands.isExact())
    return {};
  if (kind != fb::ScatterKind::add && kind != fb::ScatterKind::mul)
    return worstOperand(view);
  const double updates = std::sqrt(std::max(1.0, view.elements(1)));
  return combine(asNormwise(operands, updates),
                 {0, updates * unitRoundoff(view.result.dtype)});
}

/// A custom call is a function of which nothing else is known: equal operands
/// give equal results, and other operands give results that may amplify the
/// differences.
ValueTolerance customCall(const OpView &view) {
  return asNormwise(combinedOperands(view), kArgument);
}

/// The tolerance of a float result before it is rounded to 16 bits.
ValueTolerance computedTolerance(const OpView &view, Precision precision) {
  switch (view.op.kind) {
#define TANDEM_UNARY(kind, ...) case OpKind::kind:
#define TANDEM_BINARY(kind, ...) case OpKind::kind:
#define TANDEM_ELEMENTWISE(kind, ...) case OpKind::kind:
#include "tandem/Support/Ops.def"
    return combine(propagate(view), elementwiseRounding(view));
  case OpKind::reshape:
  case OpKind::transpose:
  case OpKind::broadcast:
  case OpKind::slice:
  case OpKind::concat:
  case OpKind::iota:
  case OpKind::gather:
  case OpKind::max_pool:
  case OpKind::topk:
  case OpKind::sort:
    return worstOperand(view);
  case OpKind::pad:
    return pad(view);
  case OpKind::scatter:
    return scatter(view);
  case OpKind::conv:
    return contraction(view, precision,
                       mayErrNormwise(*view.op.attrs.AsConvAttrs(),
                                      view.types[1].shape, view.result.dtype));
  case OpKind::matmul:
    return contraction(view, precision, /*isNormwise=*/false);
  case OpKind::avg_pool:
    return sum(view, sumRounding(view));
  case OpKind::reduce:
    return reduce(view);
  case OpKind::batch_norm:
    return batchNorm(view);
  case OpKind::softmax:
    return softmax(view);
  case OpKind::custom_call:
    return customCall(view);
  }
  return {};
}

/// Whether a result of 16 bits is rounded: f32 values that differ a little are
/// rounded to neighbors of f16, and bf16 is not rounded at all between two ops
/// of a kernel.
bool isRoundedToHalf(const OpView &view) {
  if (byteWidth(view.result.dtype) != 2 ||
      getOpInfo(view.op.kind).rounding == Rounding::exact ||
      getOpInfo(view.op.kind).family == OpFamily::structure)
    return false;
  const bool isExactCast = view.op.attrs.AsCastAttrs() &&
                           (view.types[0].dtype == view.result.dtype ||
                            !isFloat(view.types[0].dtype));
  return !isExactCast;
}

} // namespace

bool OpView::hasExactOperands() const {
  return std::all_of(
      operands.begin(), operands.end(),
      [](const ValueTolerance &operand) { return operand.isExact(); });
}

ValueTolerance tiering::toleranceOf(const OpView &view, Precision precision) {
  if (!isFloat(view.result.dtype))
    return {};
  const ValueTolerance result = computedTolerance(view, precision);
  if (!isRoundedToHalf(view))
    return result;
  return combine(result, {roundingOnce(unitRoundoff(view.result.dtype)), 0});
}

double tiering::reach(const OpView &view, size_t operand) {
  const double own = std::max(view.elements(operand), 1.0);
  switch (view.op.kind) {
#define TANDEM_UNARY(kind, ...) case OpKind::kind:
#define TANDEM_BINARY(kind, ...) case OpKind::kind:
#define TANDEM_ELEMENTWISE(kind, ...) case OpKind::kind:
#include "tandem/Support/Ops.def"
  case OpKind::broadcast:
    return std::max(1.0, view.elements() / own);
  case OpKind::gather:
    return operand == 0 ? view.elements(1) : view.elements() / own;
  case OpKind::scatter:
    return operand == 1 ? view.elements(2) / own : 1;
  case OpKind::softmax:
    return softmaxTerms(view);
  case OpKind::reshape:
  case OpKind::transpose:
  case OpKind::slice:
  case OpKind::pad:
  case OpKind::concat:
  case OpKind::iota:
  case OpKind::reduce:
    return 1;
  case OpKind::topk:
  case OpKind::sort:
  case OpKind::conv:
  case OpKind::matmul:
  case OpKind::max_pool:
  case OpKind::avg_pool:
  case OpKind::batch_norm:
  case OpKind::custom_call:
    break;
  }
  return view.elements();
}
