//===- ElementScan.cpp - One pass over the elements of tensors ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementScan.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

using namespace tandem;
using namespace tandem::tiering;

namespace {

/// Elements that are converted and reduced at a time: they stay in the first
/// cache.
constexpr int64_t kBlock = 1024;

template <typename C> using Block = Eigen::Array<C, Eigen::Dynamic, 1>;

/// The type that elements are compared in: exact for all of their values.
template <typename T>
using Computed = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <typename T>
Eigen::Map<const Block<T>> blockOf(const Tensor &tensor, int64_t begin) {
  const int64_t end = std::min(begin + kBlock, tensor.shape().numElements());
  return {tensor.as<T>() + begin, end - begin};
}

/// Σx² and the largest |expected - actual| - k |expected|, which is NaN where
/// an element is infinite or NaN.
struct Deviation {
  double squares = 0, excess = 0;
};

template <typename T>
Deviation scan(const Tensor &expected, const Tensor &actual, double relative) {
  using C = Computed<T>;
  Deviation result;
  Block<C> e, a;
  const auto k = static_cast<C>(relative);
  for (int64_t i = 0, n = expected.shape().numElements(); i < n; i += kBlock) {
    e = blockOf<T>(expected, i).template cast<C>();
    a = blockOf<T>(actual, i).template cast<C>();
    const C excess =
        ((e - a).abs() - k * e.abs()).template maxCoeff<Eigen::PropagateNaN>();
    if (!(excess <= result.excess))
      result.excess = excess;
    if (std::isnan(excess))
      break;
    result.squares += static_cast<double>(e.square().sum());
  }
  return result;
}

/// The root mean square of the finite elements.
double finiteScale(const Tensor &tensor) {
  return withFloatType(tensor.dtype(), [&]<typename T>(T) {
    double largest = 0, squares = 0;
    int64_t count = 0;
    const int64_t n = tensor.shape().numElements();
    for (int64_t i = 0; i < n; ++i)
      if (double x = std::fabs(static_cast<double>(tensor.as<T>()[i]));
          x <= std::numeric_limits<double>::max())
        largest = std::max(largest, x);
    for (int64_t i = 0; i < n && largest > 0; ++i)
      if (double x = static_cast<double>(tensor.as<T>()[i]); std::isfinite(x)) {
        squares += (x / largest) * (x / largest);
        ++count;
      }
    return count ? largest * std::sqrt(squares / static_cast<double>(count))
                 : 0;
  });
}

/// The smallest normal number that the values are computed with: below it,
/// results may be flushed to zero.
double leastComputed(DType dtype) {
  return dtype == DType::f64   ? std::numeric_limits<double>::min()
         : dtype == DType::f16 ? leastPositive(DType::f16)
                               : std::numeric_limits<float>::min();
}

} // namespace

bool tiering::isConstant(const Tensor &tensor) {
  const auto *bytes = static_cast<const char *>(tensor.data());
  const int64_t width = byteWidth(tensor.dtype());
  return tensor.shape().numElements() > 1 &&
         std::memcmp(bytes, bytes + width, tensor.bytes() - width) == 0;
}

bool tiering::isFinite(const Tensor &tensor) {
  if (!isFloat(tensor.dtype()))
    return true;
  return withFloatType(tensor.dtype(), [&]<typename T>(T) {
    using C = Computed<T>;
    for (int64_t i = 0, n = tensor.shape().numElements(); i < n; i += kBlock)
      if (auto block = blockOf<T>(tensor, i).template cast<C>();
          !((block * C(0)).sum() == C(0)))
        return false;
    return true;
  });
}

ApproximateTensor ApproximateTensor::of(const Tensor &tensor,
                                        const ValueTolerance &tolerance) {
  const auto count = static_cast<double>(tensor.shape().numElements());
  ApproximateTensor result{tensor, tolerance.relativeBound(count)};
  if (!tolerance.isExact())
    result.floor = tolerance.isElementwise ? 0 : finiteScale(tensor);
  return result;
}

double ApproximateTensor::boundOf(double x) const {
  if (relative == 0)
    return 0;
  return relative * (std::fabs(x) + floor) + leastComputed(tensor.dtype());
}

bool tiering::agree(const Tensor &expected, const Tensor &actual,
                    const ValueTolerance &tolerance) {
  if (!isFloat(expected.dtype()))
    return std::memcmp(expected.data(), actual.data(), expected.bytes()) == 0;
  const auto count = static_cast<double>(expected.shape().numElements());
  if (count == 0)
    return true;
  const double relative = tolerance.relativeBound(count);
  const Deviation found = withFloatType(expected.dtype(), [&]<typename T>(T) {
    return scan<T>(expected, actual, relative);
  });
  const double scale =
      tolerance.isElementwise ? 0 : std::sqrt(found.squares / count);
  const double least =
      tolerance.isExact() ? 0 : leastComputed(expected.dtype());
  // Squares of large floats overflow: compareWithin decides.
  return std::isfinite(scale) && found.excess <= relative * scale + least;
}

Difference tiering::compareWithin(const Tensor &expected, const Tensor &actual,
                                  const ValueTolerance &tolerance) {
  if (!isFloat(expected.dtype()) || tolerance.isExact())
    return compare(expected, actual);
  const auto approximate = ApproximateTensor::of(expected, tolerance);
  ErrorBounds bounds(expected.shape().numElements());
  withFloatType(expected.dtype(), [&]<typename T>(T) {
    for (size_t i = 0; i < bounds.size(); ++i) {
      const auto x = static_cast<double>(expected.as<T>()[i]);
      bounds[i] = approximate.boundOf(std::isfinite(x) ? x : 0);
    }
  });
  return compare(expected, actual, bounds);
}
