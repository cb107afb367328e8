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
#include <type_traits>

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

/// A kernel of one scalar expression, vectorized by the compiler.
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

/// body.template operator()<T>() where T is a float; no kernel where it is not.
template <typename T, typename Body> UnaryKernel ofFloat(Body body) {
  if constexpr (isFloating<T>)
    return body.template operator()<T>();
  return nullptr;
}

/// Eigen's function, which is right, where it is vectorized: of f32. Else one
/// on registers.
template <typename T, typename Lanes, typename F>
UnaryKernel arrayOrLanes(F function) {
  return ofFloat<T>([=]<typename Float>() -> UnaryKernel {
    if constexpr (std::is_same_v<Float, float>)
      return arrayKernel<Float>(function);
    return laneKernel<Lanes, Float>;
  });
}

template <typename T, typename Lanes> UnaryKernel lanes() {
  return ofFloat<T>(
      []<typename Float>() -> UnaryKernel { return laneKernel<Lanes, Float>; });
}

template <typename T, typename F> UnaryKernel floatLoop(F function) {
  return ofFloat<T>(
      [=]<typename Float> { return loopKernel<Float>(function); });
}

/// -x; of integers, which wrap around, too.
template <typename T> T negate(T x) {
  if constexpr (isFloating<T>)
    return -x;
  else
    return typename Wrapping<T>::Type(0) - typename Wrapping<T>::Type(x);
}

template <typename T> T magnitude(T x) {
  if constexpr (isFloating<T>)
    return __builtin_elementwise_abs(x);
  else
    return x < 0 ? negate(x) : x;
}

/// Returns the kernel of a function that is defined for all numeric types; null
/// for any other function.
template <typename T> UnaryKernel findOfNumbers(UnaryKind kind) {
  switch (kind) {
  case UnaryKind::neg:
    return loopKernel<T>([](T x) { return negate(x); });
  case UnaryKind::abs:
    return loopKernel<T>([](T x) { return magnitude(x); });
  case UnaryKind::sign:
    return loopKernel<T>([](T x) -> T {
      return x > 0 ? T(1) : x < 0 ? T(-1) : x;
    });
  case UnaryKind::relu:
    return loopKernel<T>([](T x) -> T { return x < 0 ? T(0) : x; });
  default:
    return nullptr;
  }
}

/// The inverse functions of sin, cos and tan.
template <typename T> UnaryKernel findInverse(UnaryKind kind) {
  return kind == UnaryKind::asin   ? lanes<T, Asin>()
         : kind == UnaryKind::acos ? lanes<T, Acos>()
                                   : lanes<T, Atan>();
}

/// Returns the kernel for a type that is computed on; null if T is an integer
/// type and the function is defined for floats only.
template <typename T>
UnaryKernel findComputed(UnaryKind kind, bool approximate) {
  switch (kind) {
  case UnaryKind::neg:
  case UnaryKind::abs:
  case UnaryKind::sign:
  case UnaryKind::relu:
    return findOfNumbers<T>(kind);
  case UnaryKind::bitwise_not:
    if constexpr (isIntegerType<T>)
      return loopKernel<T>([](T x) -> T { return ~x; });
    return nullptr;
  case UnaryKind::sqrt:
    // Eigen's, by Newton's method, fails for subnormal numbers and infinity.
    return floatLoop<T>([](auto x) { return __builtin_elementwise_sqrt(x); });
  case UnaryKind::rsqrt:
    return floatLoop<T>(
        [](auto x) { return 1 / __builtin_elementwise_sqrt(x); });
  case UnaryKind::floor:
    return floatLoop<T>([](auto x) { return __builtin_elementwise_floor(x); });
  case UnaryKind::ceil:
    return floatLoop<T>([](auto x) { return __builtin_elementwise_ceil(x); });
  case UnaryKind::round:
    return floatLoop<T>(
        [](auto x) { return __builtin_elementwise_roundeven(x); });
  case UnaryKind::exp:
    return lanes<T, Exp>();
  case UnaryKind::expm1:
    return lanes<T, Expm1>();
  case UnaryKind::sigmoid:
    return lanes<T, Sigmoid>();
  case UnaryKind::softplus:
    return lanes<T, Softplus>();
  case UnaryKind::erf:
    return lanes<T, Erf>();
  case UnaryKind::erfinv:
    return lanes<T, Erfinv>();
  case UnaryKind::gelu:
    return approximate ? lanes<T, GeluTanh>() : lanes<T, Gelu>();
  case UnaryKind::gelu_derivative:
    return approximate ? lanes<T, GeluTanhDerivative>()
                       : lanes<T, GeluDerivative>();
  case UnaryKind::log:
    return ofFloat<T>(
        []<typename Float>() -> UnaryKernel { return logarithm<Float>; });
  case UnaryKind::log1p:
    return ofFloat<T>([]<typename Float> {
      return arrayKernel<Float>([](auto x) { return x.log1p(); });
    });
  case UnaryKind::tanh:
    return arrayOrLanes<T, Tanh>([](auto x) { return x.tanh(); });
  case UnaryKind::sin:
    return arrayOrLanes<T, Sin>([](auto x) { return x.sin(); });
  case UnaryKind::cos:
    return arrayOrLanes<T, Cos>([](auto x) { return x.cos(); });
  case UnaryKind::asin:
  case UnaryKind::acos:
  case UnaryKind::atan:
    return findInverse<T>(kind);
  case UnaryKind::logical_not:
    return nullptr;
  }
  return nullptr;
}

/// The f32 kernel of an op, on tiles of 16-bit floats.
template <typename S, UnaryKind kind, bool approximate>
void throughFloat(const void *in, void *out, int64_t n) {
  static const UnaryKernel kernel = findComputed<float>(kind, approximate);
  float x[kTile], y[kTile];
  for (int64_t i = 0; i < n; i += kTile) {
    const int64_t size = n - i < kTile ? n - i : kTile;
    widenTile(static_cast<const S *>(in) + i, x, size);
    kernel(x, y, size);
    narrowTile(y, static_cast<S *>(out) + i, size);
  }
}

template <typename S>
UnaryKernel findThroughFloat(UnaryKind kind, bool approximate) {
  if (kind == UnaryKind::gelu && approximate)
    return throughFloat<S, UnaryKind::gelu, true>;
  if (kind == UnaryKind::gelu_derivative && approximate)
    return throughFloat<S, UnaryKind::gelu_derivative, true>;
  switch (kind) {
#define TANDEM_UNARY(kind, ...)                                                \
  case UnaryKind::kind:                                                        \
    return throughFloat<S, UnaryKind::kind, false>;
#include "tandem/Support/Ops.def"
  }
  return nullptr;
}

} // namespace

UnaryKernel findUnary(UnaryKind kind, DType dtype, bool approximate) {
  if ((kind == UnaryKind::logical_not) != (dtype == DType::i1))
    return nullptr;
  if (kind == UnaryKind::logical_not)
    return loopKernel<uint8_t>([](uint8_t x) -> uint8_t { return x ^ 1; });
  if (dtype == DType::f16)
    return findThroughFloat<Half>(kind, approximate);
  if (dtype == DType::bf16)
    return findThroughFloat<BFloat16>(kind, approximate);
  return forNumber<UnaryKernel>(
      dtype, [&]<typename T> { return findComputed<T>(kind, approximate); });
}

} // namespace tandem::eager::TANDEM_LEVEL
