//===- LayerNormErrors.cpp - Errors of layer norms and their gradients ----===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LocalErrors.h"

#include "tandem/Runtime/Compare.h"

#include <algorithm>
#include <cmath>

using namespace tandem;
using namespace tandem::reference;

namespace {

/// Numbers of the type in which a layer norm computes. Sums and products that
/// reach `most` may overflow, and magnitudes below `least` may be flushed.
struct Computed {
  double unit, most, least;

  explicit Computed(DType dtype)
      : unit(unitRoundoff(computeType(dtype))),
        most(largestNumber(computeType(dtype)) / 2),
        least(leastNormal(computeType(dtype))) {}

  bool isFlushed(double x) const { return x != 0 && std::fabs(x) < least; }
};

//===----------------------------------------------------------------------===//
// layer_norm
//===----------------------------------------------------------------------===//

/// What the statistics of a line err: the mean by `shift`, and the inverse
/// deviation relatively by `relative`. Infinite where they are not specified.
struct StatisticsErrors {
  double mean = 0, inverse = 0;
  double shift = 0, relative = 0;
};

/// The mean is a sum. A mean that errs by d adds d^2 to the variance.
StatisticsErrors errorsOfStatistics(const double *x, int64_t size,
                                    double epsilon, const OpErrors &facts,
                                    const Computed &computed) {
  const auto count = static_cast<double>(size);
  double sum = 0, magnitudes = 0, squares = 0;
  for (int64_t i = 0; i < size; ++i) {
    sum += x[i];
    magnitudes += finiteMagnitude(x[i]);
  }
  StatisticsErrors errors;
  errors.mean = sum / count;
  for (int64_t i = 0; i < size; ++i)
    squares += (x[i] - errors.mean) * (x[i] - errors.mean);
  const double variance = squares / count, radicand = variance + epsilon;
  errors.inverse = 1 / std::sqrt(radicand);
  if (magnitudes >= computed.most) {
    errors.shift = errors.relative = kInfinity;
    return errors;
  }
  if (!std::isfinite(errors.mean)) // It is so in every order of evaluation.
    return errors;
  errors.shift = (facts.sumUnits() + 2) * computed.unit * magnitudes / count;
  const double ofVariance = errors.shift * errors.shift +
                            (facts.sumUnits() + 4) * computed.unit * variance +
                            computed.least;
  // An inverse square root has half of the relative error of the radicand, and
  // more if that error is large.
  errors.relative =
      ofVariance / std::fabs(radicand) + facts.units * computed.unit;
  if (squares >= computed.most || radicand >= computed.most ||
      !(errors.relative < 0.25))
    errors.relative = kInfinity;
  return errors;
}

/// What an element of the first result errs: x - mean by `shift`, its product
/// with the inverse deviation relatively, and the sum by units of its terms.
double errorOfNormalized(double x, double scale, double offset,
                         const StatisticsErrors &line,
                         const Computed &computed) {
  const double factor = finiteMagnitude(line.inverse) * finiteMagnitude(scale);
  const double term = factor * finiteMagnitude(x - line.mean);
  const double sum = term + finiteMagnitude(offset);
  if (std::isinf(line.relative) || sum >= computed.most ||
      (std::isinf(scale) && computed.isFlushed((x - line.mean) * line.inverse)))
    return kInfinity;
  return factor * line.shift + term * line.relative + 3 * computed.unit * sum +
         computed.least * (finiteMagnitude(scale) + 1);
}

//===----------------------------------------------------------------------===//
// layer_norm_backward
//===----------------------------------------------------------------------===//

/// The operands of a layer_norm_backward, and x and h of its definition.
struct BackwardOperands {
  std::vector<double> gradient, input, scale, mean, inverse;
  int64_t size, lines;

  explicit BackwardOperands(Operands operands)
      : gradient(widen<double>(operands[0])), input(widen<double>(operands[1])),
        scale(widen<double>(operands[2])), mean(widen<double>(operands[3])),
        inverse(widen<double>(operands[4])),
        size(static_cast<int64_t>(scale.size())),
        lines(static_cast<int64_t>(mean.size())) {}

  double x(int64_t line, int64_t i) const {
    return (input[line * size + i] - mean[line]) * inverse[line];
  }
  double h(int64_t line, int64_t i) const {
    return gradient[line * size + i] * scale[i];
  }
};

/// The magnitudes of the means of a line, and whether a sum may overflow or an
/// infinity may meet a number that may be flushed.
struct LineMagnitudes {
  double h = 0, product = 0;
  bool isUncertain = false;
};

LineMagnitudes magnitudesOf(const BackwardOperands &all, int64_t line,
                            const Computed &computed) {
  LineMagnitudes sums;
  bool isInfinite = false, isNaN = false, mayVanish = false, overflows = false;
  for (int64_t i = 0; i < all.size; ++i) {
    const double x = all.x(line, i), h = all.h(line, i);
    isInfinite |= std::isinf(x) || std::isinf(h);
    isNaN |= std::isnan(x) || std::isnan(h);
    mayVanish |= computed.isFlushed(x) || computed.isFlushed(h);
    overflows |= finiteMagnitude(x) >= computed.most;
    sums.h += finiteMagnitude(h);
    sums.product += finiteMagnitude(h * x);
  }
  overflows |= sums.h >= computed.most || sums.product >= computed.most;
  sums.isUncertain = !isNaN && (overflows || (isInfinite && mayVanish));
  sums.h /= static_cast<double>(all.size);
  sums.product /= static_cast<double>(all.size);
  return sums;
}

/// (h - mean(h) - x mean(h x)) s: the means err as sums do.
void addInputErrors(Errors &errors, const BackwardOperands &all,
                    const OpErrors &facts, const Computed &computed) {
  const double units = facts.sumUnits() + facts.units;
  for (int64_t line = 0; line < all.lines; ++line) {
    const LineMagnitudes means = magnitudesOf(all, line, computed);
    const double s = finiteMagnitude(all.inverse[line]);
    for (int64_t i = 0; i < all.size; ++i) {
      const double x = finiteMagnitude(all.x(line, i)),
                   h = finiteMagnitude(all.h(line, i));
      const double sum = h + means.h + x * means.product;
      const bool isUncertain =
          means.isUncertain || std::max(s, 1.0) * sum >= computed.most;
      const double flushed =
          facts.terms * computed.least * (1 + s * (1 + x + means.product));
      errors[line * all.size + i] +=
          isUncertain ? kInfinity : s * units * computed.unit * sum + flushed;
    }
  }
}

/// The sums of g x, or of g, over all lines.
void addSumErrors(Errors &errors, const BackwardOperands &all,
                  const OpErrors &facts, const Computed &computed,
                  bool isOfScale) {
  const double units = facts.sumUnits() + (isOfScale ? facts.units : 0);
  for (int64_t i = 0; i < all.size; ++i) {
    double sum = 0;
    bool isUncertain = false;
    for (int64_t line = 0; line < all.lines; ++line) {
      const double g = all.gradient[line * all.size + i];
      const double x = isOfScale ? all.x(line, i) : 1;
      sum += finiteMagnitude(g * x);
      isUncertain |= finiteMagnitude(x) >= computed.most ||
                     (std::isinf(g) && computed.isFlushed(x)) ||
                     (std::isinf(x) && computed.isFlushed(g));
    }
    const double flushed = isOfScale ? facts.terms * computed.least : 0;
    errors[i] += isUncertain || sum >= computed.most
                     ? kInfinity
                     : units * computed.unit * sum + flushed;
  }
}

} // namespace

void reference::addLayerNormErrors(Errors &errors, const OpDesc &op,
                                   Operands operands, const OpErrors &facts,
                                   size_t number) {
  const Computed computed(operands[0].dtype());
  const double epsilon = op.attrs.AsLayerNormAttrs()->epsilon;
  const std::vector<double> x = widen<double>(operands[0]),
                            scale = widen<double>(operands[1]),
                            offset = widen<double>(operands[2]);
  const auto size = static_cast<int64_t>(scale.size());
  if (size == 0) // The statistics are NaN.
    return;
  for (size_t line = 0; line < x.size() / scale.size(); ++line) {
    const double *from = x.data() + line * size;
    const StatisticsErrors all =
        errorsOfStatistics(from, size, epsilon, facts, computed);
    if (number == 1)
      errors[line] += all.shift;
    else if (number == 2)
      errors[line] += std::isinf(all.relative)
                          ? kInfinity
                          : finiteMagnitude(all.inverse) * all.relative;
    else
      for (int64_t i = 0; i < size; ++i)
        errors[line * size + i] +=
            errorOfNormalized(from[i], scale[i], offset[i], all, computed);
  }
}

void reference::addLayerNormBackwardErrors(Errors &errors, Operands operands,
                                           const OpErrors &facts,
                                           size_t number) {
  const Computed computed(operands[0].dtype());
  const BackwardOperands all(operands);
  if (number == 0)
    addInputErrors(errors, all, facts, computed);
  else
    addSumErrors(errors, all, facts, computed, /*isOfScale=*/number == 1);
}
