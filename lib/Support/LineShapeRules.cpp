//===- LineShapeRules.cpp - Scans and Fourier transforms ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Labels:
//   scan  C1  the element type is a number type, and a float type for
//             log_sum_exp
//         C2  axis is a dim of the input
//   fft   C1  the element type is a float type
//         C2  axis is a dim of the input, and not the dim of the parts
//         C3  the last dim of complex numbers has size 2
//         C4  the input has one element or more along axis
//         C5  length fits an irfft, and is 0 for other kinds
//         C6  the result of an rfft has at most 8 dims
//
//===----------------------------------------------------------------------===//

#include "ShapeRulesDetail.h"

using namespace tandem;
using namespace tandem::shape_rules;
using fb::FFTKind;

Expected<TensorType> shape_rules::inferScan(const OpDesc &op,
                                            Operands operands) {
  const fb::ScanAttrsT &attrs = *op.attrs.AsScanAttrs();
  const TensorType &from = operands[0];
  if (!isNumber(from.dtype) ||
      (attrs.kind == fb::ScanKind::log_sum_exp && !isFloat(from.dtype)))
    return broken(OpKind::scan, 1, fb::EnumNameScanKind(attrs.kind), " of ",
                  from.dtype);
  if (!axisInRange(attrs.axis, from.shape.rank()))
    return broken(OpKind::scan, 2, "axis ", attrs.axis, " of ", from);
  return from;
}

/// Checks the length of an irfft of `size` elements, which may be dynamic.
static Status checkLength(const fb::FFTAttrsT &attrs, int64_t size) {
  if (attrs.kind != FFTKind::irfft) {
    if (attrs.length != 0)
      return broken(OpKind::fft, 5, fb::EnumNameFFTKind(attrs.kind),
                    " has the length of its operand, not ", attrs.length);
    return {};
  }
  if (attrs.length < 1 || (size != kDynamic && attrs.length / 2 + 1 != size))
    return broken(OpKind::fft, 5, "a length of ", attrs.length, " for ",
                  dimText(size),
                  " elements: an irfft of length n has n / 2 + 1");
  return {};
}

/// Checks the dims of the operand.
static Status checkDims(const fb::FFTAttrsT &attrs, const TensorType &from) {
  const int rank = from.shape.rank();
  const bool isReal = attrs.kind == FFTKind::rfft;
  if (!axisInRange(attrs.axis, isReal ? rank : rank - 1))
    return broken(OpKind::fft, 2, "axis ", attrs.axis, " of ", from);
  if (!isReal && !mergeDims(from.shape[rank - 1], 2))
    return broken(OpKind::fft, 3, "the last dim of ", from,
                  " does not hold a real and an imaginary part");
  if (from.shape[static_cast<int>(attrs.axis)] == 0)
    return broken(OpKind::fft, 4, "no elements along dim ", attrs.axis, " of ",
                  from);
  if (isReal && rank == kMaxRank)
    return broken(OpKind::fft, 6, "a result with ", rank + 1, " dims");
  return {};
}

Expected<TensorType> shape_rules::inferFFT(const OpDesc &op,
                                           Operands operands) {
  const fb::FFTAttrsT &attrs = *op.attrs.AsFFTAttrs();
  TensorType result = operands[0];
  if (!isFloat(result.dtype))
    return broken(OpKind::fft, 1, "transforms floats, not ", result.dtype);
  TANDEM_RETURN_IF_ERROR(checkDims(attrs, result));
  int64_t &size = result.shape[static_cast<int>(attrs.axis)];
  TANDEM_RETURN_IF_ERROR(checkLength(attrs, size));
  switch (attrs.kind) {
  case FFTKind::fft:
  case FFTKind::ifft:
    result.shape[result.shape.rank() - 1] = 2;
    return result;
  case FFTKind::rfft:
    size = size == kDynamic ? size : size / 2 + 1;
    result.shape.push_back(2);
    return result;
  case FFTKind::irfft:
    size = attrs.length;
    result.shape = Shape(result.shape.span().first(result.shape.rank() - 1));
    return result;
  }
  __builtin_unreachable();
}

int64_t tandem::transformLength(const OpDesc &op, const TensorType &operand) {
  const fb::FFTAttrsT &attrs = *op.attrs.AsFFTAttrs();
  return attrs.kind == FFTKind::irfft
             ? attrs.length
             : operand.shape[static_cast<int>(attrs.axis)];
}
