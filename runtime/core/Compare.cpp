//===- Compare.cpp - Comparing tensors ------------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/Compare.h"

#include <Eigen/Core>
#include <bit>
#include <cassert>
#include <cmath>

using namespace tandem;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The unsigned integer of a float's size.
template <typename T>
using BitsOf =
    std::conditional_t<sizeof(T) == 2, uint16_t,
                       std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>;

/// Steps between adjacent representable numbers from -0 = +0: a float's bits as
/// sign and magnitude (B. Dawson, Comparing floating point numbers, 2012).
template <typename T> double ordinal(T value) {
  using Bits = BitsOf<T>;
  Bits bits = std::bit_cast<Bits>(value);
  constexpr Bits kSign = Bits(1) << (8 * sizeof(T) - 1);
  double magnitude = static_cast<double>(static_cast<Bits>(bits & ~kSign));
  return bits & kSign ? -magnitude : magnitude;
}

template <typename T> double ulpDistance(T expected, T actual) {
  if constexpr (std::is_integral_v<T>)
    return std::fabs(double(expected) - double(actual));
  else
    return std::fabs(ordinal(expected) - ordinal(actual));
}

/// Largest finite magnitude.
template <typename T> double scaleOf(const T *data, int64_t count) {
  double scale = 0;
  for (int64_t i = 0; i < count; ++i) {
    double magnitude = std::fabs(static_cast<double>(data[i]));
    if (magnitude > scale && magnitude < kInfinity)
      scale = magnitude;
  }
  return scale;
}

/// |expected - actual| where both are finite; zero or infinity where not. For
/// 64-bit integers the difference of the doubles may hide one: they are
/// compared as they are.
template <typename T> double absoluteError(T expected, T actual) {
  double e = static_cast<double>(expected), a = static_cast<double>(actual);
  if constexpr (std::is_integral_v<T>)
    return expected == actual ? 0 : std::max(1.0, std::fabs(e - a));
  if (std::isfinite(e) && std::isfinite(a))
    return std::fabs(e - a);
  return e == a || (std::isnan(e) && std::isnan(a)) ? 0 : kInfinity;
}

template <typename T>
Difference compareAs(const Tensor &expected, const Tensor &actual,
                     Tolerance tolerance) {
  const T *e = expected.as<T>(), *a = actual.as<T>();
  int64_t count = expected.shape().numElements();
  double relative = std::is_integral_v<T> ? 0 : tolerance.relative;
  double scale = scaleOf(e, count), worst = -1;
  Difference result;
  for (int64_t i = 0; i < count; ++i) {
    double error = absoluteError(e[i], a[i]);
    if (error == 0)
      continue;
    double magnitude = std::fabs(static_cast<double>(e[i]));
    result.maxAbsolute = std::max(result.maxAbsolute, error);
    result.maxRelative = std::max(
        result.maxRelative, magnitude > 0 ? error / magnitude : kInfinity);
    result.maxUlp = std::max(
        result.maxUlp, error < kInfinity ? ulpDistance(e[i], a[i]) : kInfinity);
    bool within =
        error < kInfinity && error <= relative * std::max(magnitude, scale);
    result.mismatches += !within;
    if (error > worst) {
      worst = error;
      result.worstIndex = i;
      result.expected = static_cast<double>(e[i]);
      result.actual = static_cast<double>(a[i]);
    }
  }
  return result;
}

} // namespace

Difference tandem::compare(const Tensor &expected, const Tensor &actual,
                           Tolerance tolerance) {
  assert(expected.type() == actual.type() && "compare needs equal types");
  switch (expected.dtype()) {
  case DType::f32:
    return compareAs<float>(expected, actual, tolerance);
  case DType::f64:
    return compareAs<double>(expected, actual, tolerance);
  case DType::f16:
    return compareAs<Eigen::half>(expected, actual, tolerance);
  case DType::bf16:
    return compareAs<Eigen::bfloat16>(expected, actual, tolerance);
  case DType::i1:
    return compareAs<uint8_t>(expected, actual, tolerance);
  case DType::i8:
    return compareAs<int8_t>(expected, actual, tolerance);
  case DType::i32:
    return compareAs<int32_t>(expected, actual, tolerance);
  case DType::i64:
    return compareAs<int64_t>(expected, actual, tolerance);
  }
  return {};
}
