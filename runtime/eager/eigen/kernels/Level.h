//===- Level.h - What kernels of one level share ----------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Helpers that all kernels share. They are compiled once for each level of
// x86-64, in the namespace TANDEM_LEVEL, which is the level that is compiled
// for.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_EIGEN_LEVEL_H
#define TANDEM_RUNTIME_EAGER_EIGEN_LEVEL_H

#include "Kernels.h"

#include <type_traits>

namespace tandem::eager::TANDEM_LEVEL {

/// A bfloat16 as its bits. IEEE halves have a type of the language, _Float16.
struct BFloat16 {
  uint16_t bits;
};
using Half = _Float16;

[[gnu::always_inline]] inline float toFloat(Half x) { return x; }
[[gnu::always_inline]] inline float toFloat(BFloat16 x) {
  return __builtin_bit_cast(float, uint32_t(x.bits) << 16);
}

[[gnu::always_inline]] inline void fromFloat(float x, Half &to) {
  to = static_cast<Half>(x);
}
/// Rounds to nearest, ties to even.
[[gnu::always_inline]] inline void fromFloat(float x, BFloat16 &to) {
  const uint32_t bits = __builtin_bit_cast(uint32_t, x);
  const uint32_t rounded = bits + 0x7fff + (bits >> 16 & 1);
  to.bits = (x != x ? bits | 0x400000 : rounded) >> 16;
}

/// Kernels on 16-bit floats convert this many elements at a time to f32.
inline constexpr int64_t kTile = 512;

template <typename S>
[[gnu::always_inline]] inline void widenTile(const S *from, float *to,
                                             int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    to[i] = toFloat(from[i]);
}
template <typename S>
[[gnu::always_inline]] inline void narrowTile(const float *from, S *to,
                                              int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    fromFloat(from[i], to[i]);
}

/// The type in which arithmetic on T is done. For integers it is the unsigned
/// type of the same width, so that overflow wraps around. Products of 16 bits
/// need `multiply`: an unsigned short becomes an int, which they overflow.
template <typename T, bool isInteger = std::is_integral_v<T>> struct Wrapping {
  using Type = T;
};
template <typename T> struct Wrapping<T, true> {
  using Type = std::make_unsigned_t<T>;
};

/// Whether T holds integers; bool holds truth values.
template <typename T>
inline constexpr bool isIntegerType =
    std::is_integral_v<T> && !std::is_same_v<T, bool>;

template <typename T> [[gnu::always_inline]] inline T multiply(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return 1u * std::make_unsigned_t<T>(a) * std::make_unsigned_t<T>(b);
  else
    return a * b;
}

template <typename T> inline constexpr bool isFloating = false;
template <> inline constexpr bool isFloating<float> = true;
template <> inline constexpr bool isFloating<double> = true;

/// Element i of an operand, or its only element if `repeated`.
template <bool repeated, typename T>
[[gnu::always_inline]] inline T at(const T *data, int64_t i) {
  return repeated ? data[0] : data[i];
}

/// The larger of two numbers; NaN where either is NaN.
template <typename T> [[gnu::always_inline]] inline T maximum(T a, T b) {
  const T larger = a > b ? a : b; // b where either is NaN
  return a != a ? a : larger;
}
template <typename T> [[gnu::always_inline]] inline T minimum(T a, T b) {
  const T smaller = a < b ? a : b; // b where either is NaN
  return a != a ? a : smaller;
}

/// Calls body.template operator()<T>() with the C++ type of an integer dtype;
/// null for others.
template <typename Kernel, typename Body>
Kernel forInteger(DType dtype, Body body) {
  using F16 = Half;
  using BF16 = BFloat16;
  switch (dtype) {
#define TANDEM_DTYPE(name, kind, bytes, Storage)                               \
  case DType::name:                                                            \
    if constexpr (isIntegerType<Storage>)                                      \
      return body.template operator()<Storage>();                              \
    break;
#include "tandem/Support/DTypes.def"
  }
  return nullptr;
}

/// Calls body.template operator()<T>() with the C++ type of a dtype; null for
/// i1, and for 16-bit floats, which have adapters around the kernels of f32.
template <typename Kernel, typename Body>
Kernel forNumber(DType dtype, Body body) {
  switch (dtype) {
  case DType::f32:
    return body.template operator()<float>();
  case DType::f64:
    return body.template operator()<double>();
  case DType::f16:
  case DType::bf16:
  case DType::i1:
    break;
#define TANDEM_INTEGER(name, ...) case DType::name:
#include "tandem/Support/DTypes.def"
    return forInteger<Kernel>(dtype, body);
  }
  return nullptr;
}

template <typename Kernel, typename Body>
Kernel forFloat(DType dtype, Body body) {
  if (dtype == DType::f32)
    return body.template operator()<float>();
  return dtype == DType::f64 ? body.template operator()<double>() : nullptr;
}

} // namespace tandem::eager::TANDEM_LEVEL

#endif // TANDEM_RUNTIME_EAGER_EIGEN_LEVEL_H
