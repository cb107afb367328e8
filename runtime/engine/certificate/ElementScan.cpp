//===- ElementScan.cpp - One pass over the elements of tensors ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "engine/certificate/ElementScan.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

using namespace tandem;
using namespace tandem::tiering;

namespace {

/// Elements that are converted and reduced at a time: they stay in the first
/// cache.
constexpr int64_t kBlock = 4096;

/// Whether the processor has AVX2, for which the loops below are compiled, too.
bool hasAVX2() {
  static const bool has = __builtin_cpu_supports("x86-64-v3");
  return has;
}
#define TANDEM_AVX2 [[gnu::target("arch=x86-64-v3")]]

/// The type that elements are compared in: exact for all of their values.
template <typename T>
using Computed = std::conditional_t<std::is_same_v<T, double>, double, float>;

/// Sums over elements e and their counterparts a: the largest |e - a| - k |e|,
/// and the sums of e² and of |e - a|. The last sum is not finite if any element
/// is not, or if the sum overflows.
template <typename C> struct Sums {
  C excess, squares, distances;
};

template <typename C>
[[gnu::always_inline]] inline Sums<C> sumBlock(const C *e, const C *a,
                                               int64_t n, C k) {
  typedef C Lanes __attribute__((vector_size(64)));
  constexpr int64_t kLanes = sizeof(Lanes) / sizeof(C);
  Lanes excess{}, squares{}, distances{};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    Lanes x, y;
    std::memcpy(&x, e + i, sizeof x);
    std::memcpy(&y, a + i, sizeof y);
    const Lanes difference = x - y;
    const Lanes distance = difference < 0 ? -difference : difference;
    const Lanes beyond = distance - k * (x < 0 ? -x : x);
    excess = beyond > excess ? beyond : excess;
    squares += x * x;
    distances += distance;
  }
  Sums<C> result = {0, 0, 0};
  for (int64_t lane = 0; lane < kLanes; ++lane) {
    result.excess = std::max(result.excess, excess[lane]);
    result.squares += squares[lane];
    result.distances += distances[lane];
  }
  for (; i < n; ++i) {
    const C distance = std::fabs(e[i] - a[i]);
    result.excess = std::max(result.excess, distance - k * std::fabs(e[i]));
    result.squares += e[i] * e[i];
    result.distances += distance;
  }
  return result;
}

template <typename C>
TANDEM_AVX2 Sums<C> sumByAVX2(const C *e, const C *a, int64_t n, C k) {
  return sumBlock(e, a, n, k);
}
template <typename C> Sums<C> sum(const C *e, const C *a, int64_t n, C k) {
  return hasAVX2() ? sumByAVX2(e, a, n, k) : sumBlock(e, a, n, k);
}

/// 0 where all elements are finite, else NaN.
template <typename C>
[[gnu::always_inline]] inline C zeroOfBlock(const C *values, int64_t n) {
  typedef C Lanes __attribute__((vector_size(128)));
  constexpr int64_t kLanes = sizeof(Lanes) / sizeof(C);
  Lanes zeros{};
  C result = 0;
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    Lanes x;
    std::memcpy(&x, values + i, sizeof x);
    zeros += x * 0;
  }
  for (int64_t lane = 0; lane < kLanes; ++lane)
    result += zeros[lane];
  for (; i < n; ++i)
    result += values[i] * 0;
  return result;
}

template <typename C> TANDEM_AVX2 C zeroByAVX2(const C *values, int64_t n) {
  return zeroOfBlock(values, n);
}
template <typename C> C zero(const C *values, int64_t n) {
  return hasAVX2() ? zeroByAVX2(values, n) : zeroOfBlock(values, n);
}

/// 16-bit floats as f32.
[[gnu::always_inline]] inline void widenBlock(const uint16_t *bits, int64_t n,
                                              bool isBF16, float *values) {
  if (isBF16) {
    for (int64_t i = 0; i < n; ++i)
      values[i] = std::bit_cast<float>(uint32_t(bits[i]) << 16);
    return;
  }
  // The exponent's bias changes by a product, subnormals' too.
  for (int64_t i = 0; i < n; ++i) {
    const uint32_t magnitude = bits[i] & 0x7fffu;
    const float scaled = std::bit_cast<float>(magnitude << 13) * 0x1p112f;
    const uint32_t special = magnitude >= 0x7c00u ? 0x7f800000u : 0;
    values[i] = std::bit_cast<float>(std::bit_cast<uint32_t>(scaled) | special |
                                     uint32_t(bits[i] & 0x8000u) << 16);
  }
}

TANDEM_AVX2 void widenByAVX2(const uint16_t *bits, int64_t n, bool isBF16,
                             float *values) {
  widenBlock(bits, n, isBF16, values);
}
void widen(const uint16_t *bits, int64_t n, bool isBF16, float *values) {
  (hasAVX2() ? widenByAVX2 : widenBlock)(bits, n, isBF16, values);
}

/// The elements of a block in the type that they are computed in: where they
/// are, or in `buffer`.
template <typename T>
const Computed<T> *blockOf(const Tensor &tensor, int64_t begin, int64_t n,
                           Computed<T> *buffer) {
  if constexpr (sizeof(T) != 2) {
    return tensor.as<T>() + begin;
  } else {
    widen(tensor.as<uint16_t>() + begin, n, std::is_same_v<T, Eigen::bfloat16>,
          buffer);
    return buffer;
  }
}

/// Sums over all elements, or nothing where one is infinite or NaN, or where a
/// block's sums overflow.
struct Deviation {
  double squares = 0, excess = 0;
};

template <typename T>
std::optional<Deviation> scan(const Tensor &expected, const Tensor &actual,
                              double relative) {
  using C = Computed<T>;
  Deviation result;
  C buffers[2][sizeof(T) == 2 ? kBlock : 1];
  const int64_t count = expected.shape().numElements();
  for (int64_t i = 0; i < count; i += kBlock) {
    const int64_t n = std::min(kBlock, count - i);
    const Sums<C> sums =
        sum(blockOf<T>(expected, i, n, buffers[0]),
            blockOf<T>(actual, i, n, buffers[1]), n, static_cast<C>(relative));
    if (!std::isfinite(sums.distances) || !std::isfinite(sums.squares))
      return std::nullopt;
    result.excess = std::max<double>(result.excess, sums.excess);
    result.squares += sums.squares;
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
    Computed<T> buffer[sizeof(T) == 2 ? kBlock : 1];
    const int64_t count = tensor.shape().numElements();
    for (int64_t i = 0; i < count; i += kBlock) {
      const int64_t n = std::min(kBlock, count - i);
      if (zero(blockOf<T>(tensor, i, n, buffer), n) != 0)
        return false;
    }
    return true;
  });
}

ApproximateTensor ApproximateTensor::of(const Tensor &tensor,
                                        const ValueTolerance &tolerance) {
  const auto count = static_cast<double>(tensor.shape().numElements());
  const ValueTolerance::Bound bound = tolerance.bound(count);
  ApproximateTensor result{tensor, bound.relative};
  if (!tolerance.isExact())
    result.floor = leastComputed(tensor.dtype());
  if (bound.floor > 0)
    result.floor += bound.floor * finiteScale(tensor);
  return result;
}

double ApproximateTensor::boundOf(double x) const {
  return relative * std::fabs(x) + floor;
}

bool tiering::agree(const Tensor &expected, const Tensor &actual,
                    const ValueTolerance &tolerance) {
  if (!isFloat(expected.dtype()))
    return std::memcmp(expected.data(), actual.data(), expected.bytes()) == 0;
  const auto count = static_cast<double>(expected.shape().numElements());
  if (count == 0)
    return true;
  const ValueTolerance::Bound bound = tolerance.bound(count);
  const auto found = withFloatType(expected.dtype(), [&]<typename T>(T) {
    return scan<T>(expected, actual, bound.relative);
  });
  if (!found)
    return false;
  const double scale = std::sqrt(found->squares / count);
  const double least =
      tolerance.isExact() ? 0 : leastComputed(expected.dtype());
  return found->excess <= bound.floor * scale + least;
}

ErrorBounds tiering::toleranceBounds(const Tensor &expected,
                                     const Tensor &actual,
                                     const ValueTolerance &tolerance) {
  const int64_t count = expected.shape().numElements();
  ErrorBounds bounds(count);
  if (!isFloat(expected.dtype()) || tolerance.isExact())
    return bounds;
  const auto approximate = ApproximateTensor::of(expected, tolerance);
  const bool isWeak = tolerance.isWeak(static_cast<double>(count));
  withFloatType(expected.dtype(), [&]<typename T>(T) {
    for (int64_t i = 0; i < count; ++i) {
      const auto x = static_cast<double>(expected.as<T>()[i]);
      const auto y = static_cast<double>(actual.as<T>()[i]);
      if (std::isfinite(y) || !isWeak)
        bounds[i] = approximate.boundOf(std::isfinite(x) ? x : 0);
    }
  });
  return bounds;
}

Difference tiering::compareWithin(const Tensor &expected, const Tensor &actual,
                                  const ValueTolerance &tolerance) {
  return compare(expected, actual,
                 toleranceBounds(expected, actual, tolerance));
}

bool tiering::isWithin(const Tensor &expected, const Tensor &actual,
                       const ValueTolerance &tolerance) {
  return agree(expected, actual, tolerance) ||
         compareWithin(expected, actual, tolerance).mismatches == 0;
}
