//===- Cast.cpp - Conversions between element types -------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Level.h"

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

template <typename S> void narrowing(const void *in, void *out, int64_t n) {
  narrowTile(static_cast<const float *>(in), static_cast<S *>(out), n);
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

} // namespace

/// To 16-bit floats only f32 converts here: wider types must not be rounded
/// twice.
UnaryKernel findCast(DType from, DType to) {
  if (from == DType::f32 && to == DType::f16)
    return narrowing<Half>;
  if (from == DType::f32 && to == DType::bf16)
    return narrowing<BFloat16>;
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
