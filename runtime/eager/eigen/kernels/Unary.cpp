//===- Unary.cpp - Elementwise kernels, one operand -------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Functions.h"

#include <Eigen/Core>

#include <limits>
#include <utility>

namespace tandem::eager::TANDEM_LEVEL {
namespace {

/// A kernel of Eigen's array expressions: F maps an array to an expression.
template <typename T, typename F> UnaryKernel arrayKernel(F) {
  return [](const void *in, void *out, int64_t n) {
    using Array = Eigen::Array<T, Eigen::Dynamic, 1>;
    const Eigen::Map<const Array> x(static_cast<const T *>(in), n);
    Eigen::Map<Array>(static_cast<T *>(out), n) = F{}(x);
  };
}

/// A kernel of one scalar expression, vectorised by the compiler.
template <typename T, typename F> UnaryKernel loopKernel(F) {
  return [](const void *in, void *out, int64_t n) {
    const T *__restrict x = static_cast<const T *>(in);
    T *__restrict y = static_cast<T *>(out);
    for (int64_t i = 0; i < n; ++i)
      y[i] = F{}(x[i]);
  };
}

/// A kernel of one of the functions on registers.
template <typename F, typename T>
void laneKernel(const void *in, void *out, int64_t n) {
  mapLanes<F>(static_cast<const T *>(in), static_cast<T *>(out), n);
}

/// Eigen's log takes subnormal numbers for the least normal one; they are rare
/// enough to be corrected one by one.
template <typename T> void logarithm(const void *in, void *out, int64_t n) {
  const T *x = static_cast<const T *>(in);
  T *y = static_cast<T *>(out);
  using Array = Eigen::Array<T, Eigen::Dynamic, 1>;
  constexpr T least = std::numeric_limits<T>::min();
  for (int64_t i = 0; i < n; i += kTile) {
    const int64_t end = n - i < kTile ? n : i + kTile;
    Eigen::Map<Array>(y + i, end - i) =
        Eigen::Map<const Array>(x + i, end - i).log();
    int32_t subnormal = 0;
    for (int64_t j = i; j < end; ++j)
      subnormal |= (x[j] > 0) & (x[j] < least);
    for (int64_t j = i; subnormal && j < end; ++j)
      if (x[j] > 0 && x[j] < least)
        y[j] = __builtin_log(x[j]);
  }
}

/// The functions of which Eigen's are right, and vectorised for f32 only.
template <typename T> UnaryKernel findVectorised(OpKind kind) {
  constexpr bool isVectorised = std::is_same_v<T, float>;
  switch (kind) {
  case OpKind::tanh:
    if constexpr (isVectorised)
      return arrayKernel<T>([](auto x) { return x.tanh(); });
    return laneKernel<Tanh, T>;
  case OpKind::sin:
    if constexpr (isVectorised)
      return arrayKernel<T>([](auto x) { return x.sin(); });
    return laneKernel<Sin, T>;
  case OpKind::cos:
    if constexpr (isVectorised)
      return arrayKernel<T>([](auto x) { return x.cos(); });
    return laneKernel<Cos, T>;
  default:
    return nullptr;
  }
}

template <typename T> UnaryKernel findTranscendental(OpKind kind) {
  switch (kind) {
  case OpKind::exp:
    return laneKernel<Exp, T>;
  case OpKind::expm1:
    return laneKernel<Expm1, T>;
  case OpKind::sigmoid:
    return laneKernel<Sigmoid, T>;
  case OpKind::erf:
    return laneKernel<Erf, T>;
  case OpKind::log:
    return logarithm<T>;
  case OpKind::log1p:
    return arrayKernel<T>([](auto x) { return x.log1p(); });
  default:
    return findVectorised<T>(kind);
  }
}

template <typename T> UnaryKernel findRounding(OpKind kind) {
  switch (kind) {
  case OpKind::sqrt:
    // Eigen's, by Newton's method, fails for subnormal numbers and infinity.
    return loopKernel<T>([](T x) { return __builtin_elementwise_sqrt(x); });
  case OpKind::rsqrt:
    return loopKernel<T>(
        [](T x) { return T(1) / __builtin_elementwise_sqrt(x); });
  case OpKind::floor:
    return loopKernel<T>([](T x) { return __builtin_elementwise_floor(x); });
  case OpKind::ceil:
    return loopKernel<T>([](T x) { return __builtin_elementwise_ceil(x); });
  case OpKind::round:
    return loopKernel<T>(
        [](T x) { return __builtin_elementwise_roundeven(x); });
  default:
    return findTranscendental<T>(kind);
  }
}

template <typename T> UnaryKernel findNumber(OpKind kind) {
  using U = typename Wrapping<T>::Type;
  switch (kind) {
  case OpKind::neg:
    return loopKernel<T>([](T x) -> T {
      if constexpr (isFloating<T>)
        return -x;
      else
        return U(0) - U(x);
    });
  case OpKind::abs:
    return loopKernel<T>([](T x) -> T {
      if constexpr (isFloating<T>)
        return __builtin_elementwise_abs(x);
      else
        return x < 0 ? U(0) - U(x) : x;
    });
  case OpKind::sign:
    return loopKernel<T>([](T x) -> T {
      return x > 0 ? T(1) : x < 0 ? T(-1) : x;
    });
  case OpKind::relu:
    return loopKernel<T>([](T x) -> T { return x < 0 ? T(0) : x; });
  default:
    if constexpr (isFloating<T>)
      return findRounding<T>(kind);
    return nullptr;
  }
}

/// The f32 kernel of an op, on tiles of 16-bit floats.
template <typename S, OpKind kind, bool approximate>
void throughFloat(const void *in, void *out, int64_t n) {
  static const UnaryKernel kernel = findUnary(kind, DType::f32, approximate);
  float x[kTile], y[kTile];
  for (int64_t i = 0; i < n; i += kTile) {
    const int64_t size = n - i < kTile ? n - i : kTile;
    widenTile(static_cast<const S *>(in) + i, x, size);
    kernel(x, y, size);
    narrowTile(y, static_cast<S *>(out) + i, size);
  }
}

template <typename S, int... kinds>
UnaryKernel findThroughFloat(OpKind kind, bool approximate,
                             std::integer_sequence<int, kinds...>) {
  UnaryKernel found = nullptr;
  ((kind == OpKind(kinds) ? void(found = throughFloat<S, OpKind(kinds), false>)
                          : void()),
   ...);
  return kind == OpKind::gelu && approximate
             ? throughFloat<S, OpKind::gelu, true>
             : found;
}

} // namespace

UnaryKernel findUnary(OpKind kind, DType dtype, bool approximate) {
  using Kinds = std::make_integer_sequence<int, int(OpKind::logical_not)>;
  if (dtype == DType::f16)
    return findThroughFloat<Half>(kind, approximate, Kinds());
  if (dtype == DType::bf16)
    return findThroughFloat<BFloat16>(kind, approximate, Kinds());
  if (kind == OpKind::logical_not)
    return loopKernel<uint8_t>([](uint8_t x) -> uint8_t { return x ^ 1; });
  if (kind == OpKind::gelu)
    return forFloat<UnaryKernel>(dtype, [&]<typename T>() -> UnaryKernel {
      return approximate ? laneKernel<GeluTanh, T> : laneKernel<Gelu, T>;
    });
  return forNumber<UnaryKernel>(
      dtype, [&]<typename T> { return findNumber<T>(kind); });
}

} // namespace tandem::eager::TANDEM_LEVEL
