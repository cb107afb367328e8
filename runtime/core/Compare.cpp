//===- Compare.cpp - Comparing tensors ------------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/Compare.h"
#include "tandem/Runtime/Memory/Storage.h"

#include <Eigen/Core>
#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>

using namespace tandem;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

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

/// Takes the elements of two tensors one after the other.
template <typename T> class Comparison {
public:
  void add(int64_t index, T expected, T actual, double bound);
  Difference result;

private:
  bool isWithin(T expected, T actual, double error, double bound) const;
  double worst = -1;
};

/// An infinity is right where the bound reaches past the largest number.
template <typename T>
bool Comparison<T>::isWithin(T expected, T actual, double error,
                             double bound) const {
  if (error < kInfinity)
    return error <= bound;
  if constexpr (std::is_integral_v<T>)
    return false;
  double e = static_cast<double>(expected), a = static_cast<double>(actual);
  auto largest = static_cast<double>(std::numeric_limits<T>::max());
  return std::isinf(a) && std::isfinite(e) &&
         std::copysign(1, a) * e + bound > largest;
}

template <typename T>
void Comparison<T>::add(int64_t index, T expected, T actual, double bound) {
  if (bound == kInfinity) {
    ++result.unbounded;
    return;
  }
  ++result.compared;
  double magnitude = std::fabs(static_cast<double>(expected));
  if (magnitude < kInfinity)
    result.maxExpected = std::max(result.maxExpected, magnitude);
  result.maxBound = std::max(result.maxBound, bound);
  double error = absoluteError(expected, actual);
  if (error == 0)
    return;
  result.maxAbsolute = std::max(result.maxAbsolute, error);
  result.maxRelative = std::max(result.maxRelative,
                                magnitude > 0 ? error / magnitude : kInfinity);
  result.maxUlp =
      std::max(result.maxUlp,
               error < kInfinity ? ulpDistance(expected, actual) : kInfinity);
  bool isMismatch = !isWithin(expected, actual, error, bound);
  result.mismatches += isMismatch;
  // Elements beyond their bounds rank first.
  double excess = isMismatch ? bound > 0 ? 1 + error / bound : kInfinity
                             : std::min(error / bound, 1.0);
  if (excess <= worst)
    return;
  worst = excess;
  result.worstIndex = index;
  result.expected = static_cast<double>(expected);
  result.actual = static_cast<double>(actual);
  result.bound = bound;
}

template <typename T>
Difference compareAs(const Tensor &expected, const Tensor &actual,
                     const ErrorBounds &bounds) {
  const T *e = expected.as<T>(), *a = actual.as<T>();
  Comparison<T> comparison;
  for (int64_t i = 0, n = expected.shape().numElements(); i < n; ++i)
    comparison.add(i, e[i], a[i], bounds.empty() ? 0 : bounds[i]);
  return comparison.result;
}

/// Calls `body` with a value of the type that elements are compared as: i1 as
/// its bytes, which tell apart what is neither 0 nor 1.
template <typename Body> auto withElementType(DType dtype, Body body) {
  return withStorage<Eigen::half, Eigen::bfloat16>(
      dtype, [&]<typename T>(T value) {
        if constexpr (std::is_same_v<T, bool>)
          return body(uint8_t{});
        else
          return body(value);
      });
}

} // namespace

double tandem::epsilonOf(DType dtype) {
  return withStorage(dtype, []<typename T>(T) -> double {
    if constexpr (std::is_class_v<T>)
      return T::epsilon;
    else // 0 for integers.
      return static_cast<double>(std::numeric_limits<T>::epsilon());
  });
}

double tandem::leastPositive(DType dtype) {
  return withStorage(dtype, []<typename T>(T) -> double {
    if constexpr (std::is_class_v<T>)
      return T::leastPositive();
    else // 0 for integers.
      return static_cast<double>(std::numeric_limits<T>::denorm_min());
  });
}

double tandem::largestMagnitude(const Tensor &tensor) {
  return withElementType(tensor.dtype(), [&]<typename T>(T) {
    double largest = 0;
    for (int64_t i = 0, n = tensor.shape().numElements(); i < n; ++i) {
      double magnitude = std::fabs(static_cast<double>(tensor.as<T>()[i]));
      if (magnitude < kInfinity)
        largest = std::max(largest, magnitude);
    }
    return largest;
  });
}

Difference tandem::compare(const Tensor &expected, const Tensor &actual,
                           const ErrorBounds &bounds) {
  assert(expected.type() == actual.type() && "compare needs equal types");
  return withElementType(expected.dtype(), [&]<typename T>(T) {
    return compareAs<T>(expected, actual, bounds);
  });
}

Difference tandem::compareNormwise(const Tensor &expected, const Tensor &actual,
                                   double relative) {
  double bound =
      isFloat(expected.dtype()) ? relative * largestMagnitude(expected) : 0;
  return compare(expected, actual,
                 ErrorBounds(expected.shape().numElements(), bound));
}
