//===- ElementScan.cpp - One pass over the elements of tensors ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "engine/certificate/ElementScan.h"

#include "tandem/Runtime/Float16.h"
#include "tandem/Runtime/Memory/Storage.h"
#include "tandem/Support/OpErrors.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

using namespace tandem;
using namespace tandem::tiering;

namespace {

/// Elements that are converted and reduced at a time: they stay in the first
/// cache.
constexpr int64_t kBlock = 4096;

/// The type that elements are compared in: exact for all of their values.
template <typename T>
using Computed = std::conditional_t<std::is_same_v<T, double>, double, float>;

/// Returns the value of a float of up to 16 bits as f32.
template <int E, int M>
[[gnu::always_inline]] inline float widen(SmallFloat<E, M> value) {
  using Small = SmallFloat<E, M>;
  if constexpr (E == 8)
    return std::bit_cast<float>(uint32_t(value.bits) << (23 - M));
  // The exponent's bias changes by a product, subnormals' too.
  constexpr float kScale = std::bit_cast<float>((254u - Small::bias) << 23);
  constexpr uint32_t kSign = 1u << (Small::width - 1);
  const uint32_t magnitude = value.bits & (kSign - 1);
  const float scaled = std::bit_cast<float>(magnitude << (23 - M)) * kScale;
  const uint32_t special = magnitude >= Small::infinity ? 0x7f800000u : 0;
  return std::bit_cast<float>(std::bit_cast<uint32_t>(scaled) | special |
                              (value.bits & kSign) << (32 - Small::width));
}
template <typename T> T widen(T value) { return value; }

/// The elements of a block in the type that they are computed in: where they
/// are, or small floats as f32 in `buffer`.
template <typename T>
[[gnu::always_inline]] inline const Computed<T> *
blockOf(const Tensor &tensor, int64_t begin, int64_t n, Computed<T> *buffer) {
  const T *values = tensor.as<T>() + begin;
  if constexpr (!std::is_class_v<T>) {
    return values;
  } else {
    for (int64_t i = 0; i < n; ++i)
      buffer[i] = widen(values[i]);
    return buffer;
  }
}

/// Sums over elements e and their counterparts a: the largest |e - a| - k |e|,
/// and the sums of e² and of |e - a|. The last sum is not finite if any element
/// is not, or if the sum overflows. V is a number or a vector of numbers.
template <typename V> struct Sums {
  V excess{}, squares{}, distances{};

  template <typename C>
  [[gnu::always_inline]] void add(const V &e, const V &a, C k) {
    const V difference = e - a;
    const V distance = difference < 0 ? -difference : difference;
    const V beyond = distance - k * (e < 0 ? -e : e);
    excess = beyond > excess ? beyond : excess;
    squares += e * e;
    distances += distance;
  }
};

template <typename T, typename C = Computed<T>>
[[gnu::always_inline]] inline Sums<C> sumBlock(const Tensor &expected,
                                               const Tensor &actual,
                                               int64_t begin, int64_t n, C k) {
  typedef C Lanes __attribute__((vector_size(64)));
  typedef Lanes Unaligned __attribute__((aligned(sizeof(C)), may_alias));
  constexpr int64_t kLanes = sizeof(Lanes) / sizeof(C);
  C buffers[2][std::is_class_v<T> ? kBlock : 1];
  const C *e = blockOf<T>(expected, begin, n, buffers[0]),
          *a = blockOf<T>(actual, begin, n, buffers[1]);
  Sums<Lanes> lanes;
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const Lanes x = *reinterpret_cast<const Unaligned *>(e + i),
                y = *reinterpret_cast<const Unaligned *>(a + i);
    lanes.add(x, y, k);
  }
  Sums<C> result;
  for (; i < n; ++i)
    result.add(e[i], a[i], k);
  for (int64_t lane = 0; lane < kLanes; ++lane) {
    result.excess = std::max<C>(result.excess, lanes.excess[lane]);
    result.squares += lanes.squares[lane];
    result.distances += lanes.distances[lane];
  }
  return result;
}

/// The same, compiled for processors with AVX2.
template <typename T, typename C = Computed<T>>
[[gnu::target("arch=x86-64-v3")]] Sums<C>
sumByAVX2(const Tensor &expected, const Tensor &actual, int64_t begin,
          int64_t n, C k) {
  return sumBlock<T>(expected, actual, begin, n, k);
}

/// Calls `visit` with the sums of each block while it returns true. Returns
/// whether all calls did.
template <typename T, typename Visit>
bool visitBlocks(const Tensor &expected, const Tensor &actual, double relative,
                 Visit visit) {
  static const bool hasAVX2 = __builtin_cpu_supports("x86-64-v3");
  const auto k = static_cast<Computed<T>>(relative);
  const int64_t count = expected.shape().numElements();
  for (int64_t i = 0; i < count; i += kBlock) {
    const int64_t n = std::min(kBlock, count - i);
    if (!visit(hasAVX2 ? sumByAVX2<T>(expected, actual, i, n, k)
                       : sumBlock<T>(expected, actual, i, n, k)))
      return false;
  }
  return true;
}

/// Whether all of `n` elements are finite, by their bits: the loop over
/// integers becomes one over vectors, and reads memory as fast as it can be
/// read.
template <typename T> bool isFiniteBlock(const T *values, int64_t n) {
  const auto infinity = std::bit_cast<BitsOf<T>>(static_cast<T>(HUGE_VAL));
  BitsOf<T> notFinite = 0;
  for (int64_t i = 0; i < n; ++i)
    notFinite |= (std::bit_cast<BitsOf<T>>(values[i]) & infinity) == infinity;
  return notFinite == 0;
}

std::vector<double> elementsOf(const Tensor &tensor) {
  std::vector<double> values(tensor.shape().numElements());
  withStorage(tensor.dtype(), [&]<typename T>(T) {
    std::transform(tensor.as<T>(), tensor.as<T>() + values.size(),
                   values.begin(), [](T x) { return widen(x); });
  });
  return values;
}

/// The root mean square of the finite elements, of which `largest` has the
/// largest magnitude.
double finiteScale(const std::vector<double> &values, double largest) {
  double squares = 0, count = 0;
  for (double x : values)
    if (std::isfinite(x) && largest > 0) {
      squares += (x / largest) * (x / largest);
      ++count;
    }
  return count > 0 ? largest * std::sqrt(squares / count) : 0;
}

/// Below this magnitude, results that are not exact may be flushed to zero.
double leastComputed(DType dtype, const ValueTolerance &tolerance) {
  if (tolerance.isExact())
    return 0;
  return dtype == DType::f16 ? leastPositive(dtype)
                             : leastNormal(computeType(dtype));
}

} // namespace

bool tiering::isConstant(const Tensor &tensor) {
  const auto *bytes = static_cast<const char *>(tensor.data());
  const int64_t width = byteWidth(tensor.dtype());
  return tensor.shape().numElements() > 1 &&
         std::memcmp(bytes, bytes + width, tensor.bytes() - width) == 0;
}

bool tiering::isFinite(const Tensor &tensor) {
  return withStorage(tensor.dtype(), [&]<typename T>(T) {
    const int64_t count = tensor.shape().numElements();
    bool result = true;
    if constexpr (isFloatStorage<T>)
      for (int64_t i = 0; i < count && result; i += kBlock)
        result = isFiniteBlock(tensor.as<T>() + i, std::min(kBlock, count - i));
    return result;
  });
}

ApproximateElements::ApproximateElements(const Tensor &tensor,
                                         const ValueTolerance &tolerance)
    : shape(tensor.shape()), values(elementsOf(tensor)),
      floor(leastComputed(tensor.dtype(), tolerance)) {
  const ValueTolerance::Bound bound =
      tolerance.bound(static_cast<double>(values.size()));
  relative = bound.relative;
  if (bound.floor > 0)
    floor += bound.floor * finiteScale(values, largestMagnitude(tensor));
}

double ApproximateElements::boundOf(double x) const {
  return relative * std::fabs(x) + floor;
}

bool tiering::agree(const Tensor &expected, const Tensor &actual,
                    const ValueTolerance &tolerance) {
  const auto count = static_cast<double>(expected.shape().numElements());
  return withStorage(expected.dtype(), [&]<typename T>(T) {
    if constexpr (!isFloatStorage<T>) {
      return std::memcmp(expected.data(), actual.data(), expected.bytes()) == 0;
    } else {
      const ValueTolerance::Bound bound = tolerance.bound(count);
      double excess = 0, squares = 0;
      const auto addBlock = [&](const auto &sums) {
        excess = std::max<double>(excess, sums.excess);
        squares += sums.squares;
        return std::isfinite(sums.distances) && std::isfinite(sums.squares);
      };
      return visitBlocks<T>(expected, actual, bound.relative, addBlock) &&
             excess <= bound.floor * std::sqrt(squares / std::max(count, 1.0)) +
                           leastComputed(expected.dtype(), tolerance);
    }
  });
}

ErrorBounds tiering::toleranceBounds(const Tensor &expected,
                                     const Tensor &actual,
                                     const ValueTolerance &tolerance) {
  ErrorBounds bounds(expected.shape().numElements());
  if (!isFloat(expected.dtype()) || tolerance.isExact())
    return bounds;
  const ApproximateElements elements(expected, tolerance);
  const std::vector<double> others = elementsOf(actual);
  const bool isWeak = tolerance.isWeak(static_cast<double>(bounds.size()));
  for (size_t i = 0; i < bounds.size(); ++i)
    if (const double x = elements.values[i];
        std::isfinite(others[i]) || !isWeak)
      bounds[i] = elements.boundOf(std::isfinite(x) ? x : 0);
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
