//===- Cast.cpp - Conversions between element types -------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Level.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace tandem::eager::TANDEM_LEVEL {
namespace {

/// Truncates and saturates; a NaN becomes 0.
template <typename To, typename From> To saturate(From x) {
  constexpr To low = std::numeric_limits<To>::min();
  constexpr To high = std::numeric_limits<To>::max();
  // Both are zero or powers of two, which are exact in any float type.
  constexpr From lowest = From(low), beyond = From(high / 2 + 1) * 2;
  const To inside = x >= lowest && x < beyond ? To(x) : To(0);
  return x >= beyond ? high : x < lowest ? low : inside;
}

template <typename To, typename From> To convert(From x) {
  if constexpr (std::is_same_v<To, bool>)
    return x != 0;
  else if constexpr (isFloating<From> && std::is_integral_v<To>)
    return saturate<To>(x);
  else
    return static_cast<To>(x);
}

template <typename From, typename To>
void loop(const void *in, void *out, int64_t n) {
  const From *__restrict x = static_cast<const From *>(in);
  To *__restrict y = static_cast<To *>(out);
  for (int64_t i = 0; i < n; ++i)
    y[i] = convert<To>(x[i]);
}

/// From 16-bit floats, exactly, through f32.
template <typename S, typename To>
void widening(const void *in, void *out, int64_t n) {
  const S *__restrict x = static_cast<const S *>(in);
  To *__restrict y = static_cast<To *>(out);
  for (int64_t i = 0; i < n; ++i)
    y[i] = convert<To>(toFloat(x[i]));
}

/// A double as a float, rounded to odd where it has more digits than that, so
/// that rounding it again is rounding once.
float roundToOdd(double x) {
  const float nearest = static_cast<float>(x);
  const double back = nearest;
  const bool isBeyond = std::fabs(back) > std::fabs(x);
  const uint32_t bits = std::bit_cast<uint32_t>(nearest) - isBeyond;
  return back == x ? nearest : std::bit_cast<float>(bits | 1);
}

/// In the same way, from 64 bits, of which doubles keep 53.
template <std::integral Int> float roundToOdd(Int x) {
  constexpr Int exact = Int(1) << 53, unit = 1 << 11;
  const bool isExact =
      x <= exact && (std::is_unsigned_v<Int> || x >= Int(0) - exact);
  const Int rest = x & (unit - 1);
  const Int odd = (x - rest) | (rest != 0 ? unit : Int(0));
  return roundToOdd(static_cast<double>(isExact ? x : odd));
}

template <typename T>
inline constexpr bool isHalf =
    std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

/// To 16-bit floats: wider types are rounded once, for all the float between.
template <typename S, typename From>
void narrowing(const void *in, void *out, int64_t n) {
  const From *__restrict x = static_cast<const From *>(in);
  float tile[kTile];
  for (int64_t begin = 0; begin < n; begin += kTile) {
    const int64_t size = std::min(n - begin, kTile);
    for (int64_t i = 0; i < size; ++i)
      if constexpr (isHalf<From>)
        tile[i] = toFloat(x[begin + i]);
      else if constexpr (std::is_same_v<From, float> || sizeof(From) < 4)
        tile[i] = x[begin + i];
      else if constexpr (sizeof(From) == 4)
        tile[i] = roundToOdd(static_cast<double>(x[begin + i]));
      else
        tile[i] = roundToOdd(x[begin + i]);
    narrowTile(tile, static_cast<S *>(out) + begin, size);
  }
}

template <typename From> UnaryKernel findFrom(DType to) {
  if (to == DType::i1)
    return loop<From, bool>;
  return forNumber<UnaryKernel>(
      to, []<typename To>() -> UnaryKernel { return loop<From, To>; });
}

template <typename S> UnaryKernel findWidening(DType to) {
  if (to == DType::i1)
    return widening<S, bool>;
  return forNumber<UnaryKernel>(
      to, []<typename To>() -> UnaryKernel { return widening<S, To>; });
}

template <typename S> UnaryKernel findNarrowing(DType from) {
  if (from == DType::f16)
    return narrowing<S, Half>;
  if (from == DType::bf16)
    return narrowing<S, BFloat16>;
  if (from == DType::i1)
    return narrowing<S, uint8_t>;
  return forNumber<UnaryKernel>(
      from, []<typename From>() -> UnaryKernel { return narrowing<S, From>; });
}

} // namespace

UnaryKernel findCast(DType from, DType to) {
  if (from == to && (to == DType::f16 || to == DType::bf16))
    return nullptr;
  if (to == DType::f16)
    return findNarrowing<Half>(from);
  if (to == DType::bf16)
    return findNarrowing<BFloat16>(from);
  if (from == DType::f16)
    return findWidening<Half>(to);
  if (from == DType::bf16)
    return findWidening<BFloat16>(to);
  if (from == DType::i1)
    return findFrom<uint8_t>(to);
  return forNumber<UnaryKernel>(
      from, [&]<typename From> { return findFrom<From>(to); });
}

} // namespace tandem::eager::TANDEM_LEVEL
