//===- IndexExprs.cpp - Affine expressions with known ranges --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexExprs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;

namespace tandem {

static void addTerms(AffineExpr expr, int64_t factor, LinearForm &form) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    form.constant += factor * constant.getValue();
    return;
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    form.coefficients[dim.getPosition()] += factor;
    return;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (binary && expr.getKind() == AffineExprKind::Add) {
    addTerms(binary.getLHS(), factor, form);
    addTerms(binary.getRHS(), factor, form);
    return;
  }
  if (binary && expr.getKind() == AffineExprKind::Mul)
    if (auto scale = dyn_cast<AffineConstantExpr>(binary.getRHS())) {
      addTerms(binary.getLHS(), factor * scale.getValue(), form);
      return;
    }
  form.others.push_back(expr * factor);
}

/// Splits factor * term; the factor is 1 where there is none.
static std::pair<AffineExpr, int64_t> splitFactor(AffineExpr expr) {
  if (auto binary = dyn_cast<AffineBinaryOpExpr>(expr))
    if (expr.getKind() == AffineExprKind::Mul)
      if (auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS()))
        return {binary.getLHS(), factor.getValue()};
  return {expr, 1};
}

/// k * c * (x floordiv c) + k * (x mod c) is k * x: an index that was split by
/// a reshape and is put together by the strides of a tensor. Returns whether it
/// replaced such a pair.
static bool combineDivMod(LinearForm &form) {
  for (size_t i = 0; i < form.others.size(); ++i) {
    auto [mod, factor] = splitFactor(form.others[i]);
    if (mod.getKind() != AffineExprKind::Mod)
      continue;
    auto binary = cast<AffineBinaryOpExpr>(mod);
    auto divisor = dyn_cast<AffineConstantExpr>(binary.getRHS());
    if (!divisor)
      continue;
    AffineExpr dividend = binary.getLHS();
    AffineExpr partner =
        dividend.floorDiv(divisor.getValue()) * (factor * divisor.getValue());
    auto *it = llvm::find(form.others, partner);
    if (it == form.others.end())
      continue;
    AffineExpr mate = form.others[i];
    form.others.erase(it);
    form.others.erase(llvm::find(form.others, mate));
    addTerms(dividend, factor, form);
    return true;
  }
  return false;
}

LinearForm toLinearForm(AffineExpr expr, unsigned numDims) {
  LinearForm form;
  form.coefficients.assign(numDims, 0);
  addTerms(expr, 1, form);
  while (combineDivMod(form)) {
  }
  return form;
}

AffineExpr fromLinearForm(const LinearForm &form, MLIRContext *context) {
  AffineExpr sum = getAffineConstantExpr(0, context);
  for (auto [i, coefficient] : llvm::enumerate(form.coefficients))
    if (coefficient)
      sum = sum + getAffineDimExpr(i, context) * coefficient;
  for (AffineExpr other : form.others)
    sum = sum + other;
  return sum + form.constant;
}

std::optional<IndexRanges::Range> IndexRanges::get(AffineExpr expr) const {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return Range{constant.getValue(), constant.getValue()};
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return Range{0, std::max<int64_t>(dims[dim.getPosition()] - 1, 0)};
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return Range{0, std::max<int64_t>(symbols[symbol.getPosition()] - 1, 0)};
  auto binary = cast<AffineBinaryOpExpr>(expr);
  std::optional<Range> lhs = get(binary.getLHS()), rhs = get(binary.getRHS());
  if (!lhs || !rhs)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add)
    return Range{lhs->low + rhs->low, lhs->high + rhs->high};
  if (rhs->low != rhs->high)
    return std::nullopt;
  int64_t factor = rhs->low;
  switch (expr.getKind()) {
  case AffineExprKind::Mul: {
    int64_t a = lhs->low * factor, b = lhs->high * factor;
    return Range{std::min(a, b), std::max(a, b)};
  }
  case AffineExprKind::FloorDiv:
    return Range{llvm::divideFloorSigned(lhs->low, factor),
                 llvm::divideFloorSigned(lhs->high, factor)};
  case AffineExprKind::Mod:
    return Range{0, factor - 1};
  default:
    return std::nullopt;
  }
}

bool IndexRanges::split(AffineExpr expr, int64_t divisor, AffineExpr &quotient,
                        AffineExpr &rest) const {
  MLIRContext *context = expr.getContext();
  LinearForm form = toLinearForm(expr, dims.size());
  LinearForm high, low;
  high.coefficients.assign(dims.size(), 0);
  low.coefficients.assign(dims.size(), 0);
  for (auto [i, coefficient] : llvm::enumerate(form.coefficients))
    (coefficient % divisor == 0 ? high : low).coefficients[i] = coefficient;
  for (AffineExpr other : form.others)
    (other.isMultipleOf(divisor) ? high : low).others.push_back(other);
  int64_t constant = form.constant % divisor;
  if (constant < 0)
    constant += divisor;
  low.constant = constant;
  high.constant = form.constant - constant;
  rest = fromLinearForm(low, context);
  std::optional<Range> range = get(rest);
  if (!range || range->low < 0 || range->high >= divisor)
    return false;
  for (int64_t &coefficient : high.coefficients)
    coefficient /= divisor;
  for (AffineExpr &other : high.others)
    other = other.floorDiv(divisor);
  high.constant /= divisor;
  quotient = fromLinearForm(high, context);
  return true;
}

AffineExpr IndexRanges::floorDiv(AffineExpr expr, int64_t divisor) const {
  AffineExpr quotient, rest;
  if (divisor == 1)
    return expr;
  if (split(expr, divisor, quotient, rest))
    return quotient;
  return expr.floorDiv(divisor);
}

AffineExpr IndexRanges::mod(AffineExpr expr, int64_t divisor) const {
  AffineExpr quotient, rest;
  if (divisor == 1)
    return getAffineConstantExpr(0, expr.getContext());
  if (split(expr, divisor, quotient, rest))
    return rest;
  return expr % divisor;
}

SmallVector<int64_t> getStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * shape[i];
  return strides;
}

/// Appends the index in `to` of the element number `linear`.
static void delinearize(const IndexRanges &ranges, AffineExpr linear,
                        ArrayRef<int64_t> to,
                        SmallVectorImpl<AffineExpr> &index) {
  SmallVector<int64_t> strides = getStrides(to);
  for (auto [i, size] : llvm::enumerate(to)) {
    AffineExpr expr = ranges.floorDiv(linear, std::max<int64_t>(strides[i], 1));
    // The outermost needs no mod: the index is in range.
    bool isOutermost = llvm::all_of(to.take_front(i),
                                    [](int64_t outer) { return outer == 1; });
    if (size <= 1)
      expr = getAffineConstantExpr(0, linear.getContext());
    else if (!isOutermost)
      expr = ranges.mod(expr, size);
    index.push_back(expr);
  }
}

SmallVector<AffineExpr, 4> reshapeIndex(const IndexRanges &ranges,
                                        ArrayRef<AffineExpr> index,
                                        ArrayRef<int64_t> from,
                                        ArrayRef<int64_t> to,
                                        MLIRContext *context) {
  SmallVector<AffineExpr, 4> result;
  AffineExpr zero = getAffineConstantExpr(0, context);
  size_t i = 0, j = 0;
  // The smallest groups of dims that hold equally many elements: an index
  // changes within its group alone.
  while (i < from.size() || j < to.size()) {
    size_t firstFrom = i, firstTo = j;
    int64_t sizeFrom = i < from.size() ? from[i++] : 1;
    int64_t sizeTo = j < to.size() ? to[j++] : 1;
    while (sizeFrom != sizeTo) {
      if (sizeFrom < sizeTo && i < from.size())
        sizeFrom *= from[i++];
      else if (j < to.size())
        sizeTo *= to[j++];
      else
        break; // No elements: the index is never evaluated.
    }
    SmallVector<int64_t> strides =
        getStrides(from.slice(firstFrom, i - firstFrom));
    AffineExpr linear = zero;
    for (size_t k = firstFrom; k < i; ++k)
      if (from[k] != 1)
        linear = linear + index[k] * strides[k - firstFrom];
    delinearize(ranges, linear, to.slice(firstTo, j - firstTo), result);
  }
  return result;
}

} // namespace tandem
