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

using namespace tandem;

double tandem::roundingUnits(Rounding rounding) {
  switch (rounding) {
  case Rounding::exact:
  case Rounding::own:
    return 0;
  case Rounding::once:
    return 1;
  case Rounding::function:
  case Rounding::cancelling:
  case Rounding::power:
    return kFunctionUnits;
  }
  __builtin_unreachable();
}

Jumps tandem::jumpsOf(const OpDesc &op, const TensorType &result) {
  const Jumps jumps = getOpInfo(op.kind).jumps;
  if (jumps != Jumps::own)
    return jumps;
  if (const auto *reduce = op.attrs.AsReduceAttrs())
    return reduce->kind == fb::ReduceKind::argmax ? Jumps::byRank
                                                  : Jumps::never;
  if (getOpInfo(op.kind).results == Results::withIndices)
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

bool tandem::mayErrNormwise(const fb::ConvAttrsT &conv, const Shape &kernel,
                            DType result) {
  auto areOnes = [](const std::vector<int64_t> &values) {
    return std::all_of(values.begin(), values.end(),
                       [](int64_t value) { return value == 1; });
  };
  const auto layout = parseLayout(conv.kernel_layout, /*isKernel=*/true);
  return layout && layout->numSpatial == 2 && result == DType::f32 &&
         conv.groups == 1 && kernel[layout->spatial[0]] == 3 &&
         kernel[layout->spatial[1]] == 3 && areOnes(conv.strides) &&
         areOnes(conv.dilations);
}
