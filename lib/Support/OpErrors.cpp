//===- OpErrors.cpp - Rounding errors and jumps of ops --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Support/OpErrors.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

using namespace tandem;

namespace {

/// The largest error of a function in units of roundoff: 4 units in the last
/// place.
constexpr double kFunctionUnits = 8;

/// The largest relative error of rounding an f32 number to the 10 mantissa bits
/// of TF32.
constexpr double kTF32Unit = 0x1p-11;

Rounding ownRounding(fb::ScanKind kind) {
  switch (kind) {
  case fb::ScanKind::sum:
    return Rounding::sum;
  case fb::ScanKind::prod:
    return Rounding::product;
  case fb::ScanKind::max:
  case fb::ScanKind::min:
    return Rounding::exact;
  case fb::ScanKind::log_sum_exp:
    return Rounding::logSumExp;
  }
  __builtin_unreachable();
}

/// Returns OpErrors::rounding of an op whose row has Rounding::own.
Rounding ownRounding(const OpDesc &op) {
  if (const auto *scatter = op.attrs.AsScatterAttrs())
    return scatter->kind == fb::ScatterKind::add ||
                   scatter->kind == fb::ScatterKind::mul
               ? Rounding::updates
               : Rounding::exact;
  if (const auto *resize = op.attrs.AsResizeAttrs())
    return resize->mode == fb::ResizeMode::nearest ? Rounding::exact
                                                   : Rounding::sum;
  if (const auto *scan = op.attrs.AsScanAttrs())
    return ownRounding(scan->kind);
  switch (op.attrs.AsReduceAttrs()->kind) {
  case fb::ReduceKind::sum:
    return Rounding::sum;
  case fb::ReduceKind::mean:
    return Rounding::mean;
  case fb::ReduceKind::prod:
    return Rounding::product;
  case fb::ReduceKind::max:
  case fb::ReduceKind::min:
  case fb::ReduceKind::argmax:
    break;
  }
  return Rounding::exact;
}

/// The largest number of terms or factors of one element of the result.
double countTerms(const OpDesc &op, std::span<const TensorType> operands,
                  const TensorType &result) {
  if (const auto *scan = op.attrs.AsScanAttrs())
    return static_cast<double>(result.shape[static_cast<int>(scan->axis)]);
  return static_cast<double>(cost(op, operands, result).reads);
}

/// Sets the members of OpErrors that depend on `errors.rounding`.
void addRoundings(OpErrors &errors, const OpDesc &op,
                  std::span<const TensorType> operands,
                  const TensorType &result) {
  switch (errors.rounding) {
  case Rounding::exact:
  case Rounding::unknown:
    break;
  case Rounding::conversion: // To 16 bits: isRoundedToHalf.
    errors.units = byteWidth(result.dtype) == 2 ? 0 : 1;
    break;
  case Rounding::once:
    errors.units = 1;
    break;
  case Rounding::cancelling:
  case Rounding::batchNorm:
    errors.mayCancel = true;
    [[fallthrough]];
  case Rounding::function:
  case Rounding::power:
    errors.units = kFunctionUnits;
    break;
  case Rounding::moments: // Added in f64; means may cancel.
    errors.terms = countTerms(op, operands, result);
    errors.units = 2;
    errors.mayCancel = true;
    break;
  case Rounding::sum:
  case Rounding::mean:
    errors.terms = countTerms(op, operands, result);
    errors.units = 1;
    errors.mayCancel = true;
    break;
  case Rounding::product: // Each factor has its error.
    errors.terms = countTerms(op, operands, result);
    errors.amplification = std::sqrt(errors.terms);
    errors.units = 1;
    break;
  case Rounding::updates: // All may be of one element.
    errors.terms = static_cast<double>(
        std::max<int64_t>(1, operands[1].shape.numElements()));
    errors.amplification = std::sqrt(errors.terms);
    errors.mayCancel = true;
    break;
  case Rounding::softmax: // The power and the sum of powers err.
    errors.amplification = 2;
    errors.terms = static_cast<double>(
        result.shape[static_cast<int>(op.attrs.AsAxisAttrs()->axis)]);
    errors.units = kFunctionUnits;
    break;
  case Rounding::softmaxBackward: // A product, a difference and a product.
    errors.terms = static_cast<double>(
        result.shape[static_cast<int>(op.attrs.AsAxisAttrs()->axis)]);
    errors.units = 3;
    errors.mayCancel = true;
    break;
  case Rounding::layerNorm: // The inverse deviation errs as a function does.
    errors.terms = static_cast<double>(operands[1].shape.numElements());
    errors.units = kFunctionUnits;
    errors.mayCancel = true;
    break;
  case Rounding::layerNormBackward: {
    const auto elements = static_cast<double>(operands[0].shape.numElements()),
               line = static_cast<double>(operands[2].shape.numElements());
    errors.terms = std::max(line, elements / std::max(line, 1.0));
    errors.units = 6;
    errors.mayCancel = true;
    break;
  }
  case Rounding::logSumExp:
    errors.terms = countTerms(op, operands, result);
    errors.units = kFunctionUnits;
    errors.mayCancel = true;
    break;
  case Rounding::fourier:
    errors.terms = static_cast<double>(transformLength(op, operands[0]));
    errors.units = 1;
    errors.mayCancel = true;
    break;
  case Rounding::own: // Replaced by ownRounding.
    __builtin_unreachable();
  }
}

bool isRoundedToHalf(const OpErrors &errors,
                     std::span<const TensorType> operands, DType result) {
  if (!isFloat(result) || byteWidth(result) != 2)
    return false;
  if (errors.rounding == Rounding::conversion)
    return isFloat(operands[0].dtype) && operands[0].dtype != result;
  return !errors.isReproducible();
}

/// Returns true if a convolution with stride 1 and dense windows of three
/// elements computes results of the op along a spatial dim. Of
/// conv_backward_data that is a convolution for one phase of the stride.
bool hasDenseWindowOf3(const OpDesc &op, int64_t window, int64_t stride,
                       int64_t dilation) {
  if (op.kind == OpKind::conv)
    return window == 3 && stride == 1 && dilation == 1;
  const int64_t apart = stride / std::gcd(stride, dilation);
  const bool isDense = stride % dilation == 0;
  return isDense && (window / apart == 3 || (window - 1) / apart == 2);
}

/// Returns OpErrors::isNormwise.
bool mayErrNormwise(const OpDesc &op, const Shape &kernel, DType result) {
  const fb::ConvAttrsT &conv = *op.attrs.AsConvAttrs();
  const auto layout = parseLayout(conv.kernel_layout, /*isKernel=*/true);
  if (!layout || layout->numSpatial != 2 || result != DType::f32 ||
      conv.groups != 1)
    return false;
  for (int i = 0; i < 2; ++i)
    if (!hasDenseWindowOf3(op, kernel[layout->spatial[i]], conv.strides[i],
                           conv.dilations[i]))
      return false;
  return true;
}

} // namespace

double OpErrors::sumUnits() const {
  if (rounding == Rounding::fourier)
    return FourierError::kUnits * std::log2(4 * std::max(terms, 1.0));
  return (isNormwise ? NormwiseConv::kTypicalFactor : 1) * std::sqrt(terms);
}

OpErrors tandem::errorsOf(const OpDesc &op,
                          std::span<const TensorType> operands,
                          const TensorType &result, Precision precision) {
  const OpInfo info = getOpInfo(op.kind);
  OpErrors errors;
  errors.rounding =
      info.rounding == Rounding::own ? ownRounding(op) : info.rounding;
  errors.condition = info.condition;
  addRoundings(errors, op, operands, result);
  if (errors.condition == Condition::own)
    errors.condition =
        errors.mayCancel ? Condition::normwise : Condition::relative;
  if (op.attrs.AsConvAttrs() && op.kind != OpKind::conv_backward_weights)
    errors.isNormwise = mayErrNormwise(op, operands[1].shape, result.dtype);
  if (info.family == OpFamily::contraction && precision == Precision::tf32 &&
      result.dtype == DType::f32)
    errors.productError = 2 * kTF32Unit; // Both factors are rounded.
  errors.isRoundedToHalf = isRoundedToHalf(errors, operands, result.dtype);
  return errors;
}

Jumps tandem::jumpsOf(const OpDesc &op, const TensorType &result) {
  const Jumps jumps = getOpInfo(op.kind).jumps;
  if (jumps != Jumps::own)
    return jumps;
  if (const auto *reduce = op.attrs.AsReduceAttrs())
    return reduce->kind == fb::ReduceKind::argmax ? Jumps::byRank
                                                  : Jumps::never;
  if (numResults(op.kind) == 2)
    return isFloat(result.dtype) ? Jumps::never : Jumps::byRank;
  assert(op.attrs.AsCastAttrs() && "an op with a rule of its own");
  if (isFloat(result.dtype))
    return Jumps::never;
  // An i1 says whether the number is 0; integers are rounded toward 0.
  return result.dtype == DType::i1 ? Jumps::atZero : Jumps::atNonzeroIntegers;
}

double tandem::distanceToJump(Jumps jumps, double x) {
  const double toInteger = std::fabs(x - std::nearbyint(x));
  switch (jumps) {
  case Jumps::never:
    return std::isnan(x) ? x : std::numeric_limits<double>::infinity();
  case Jumps::atZero:
    return std::fabs(x);
  case Jumps::atIntegers:
    return toInteger;
  case Jumps::atNonzeroIntegers:
    return std::fabs(x) < 0.5 ? 1 - std::fabs(x) : toInteger;
  case Jumps::atHalves:
    return std::fabs(x - (std::floor(x) + 0.5));
  case Jumps::everywhere:
    return 0;
  case Jumps::atMultiples:
  case Jumps::whereEqual:
  case Jumps::byRank:
  case Jumps::own:
    break;
  }
  assert(false && "depends on more than one element");
  __builtin_unreachable();
}
