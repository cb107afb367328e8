//===- Functions.h - Elementary functions on registers ----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elementary functions for the x86-64 level that is compiled for: SLEEF's,
// which are within 1 ULP and give subnormal results, and two of our own. They
// replace Eigen's functions that lose digits, are wrong at the ends of their
// range, or are scalar (most of f64). Eigen's are used where they are right and
// faster, or where SLEEF's are wrong (log1p of f64 from 1e307 on).
//
// Each function is a struct whose `apply` works on a vector register of either
// float type.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_EIGEN_FUNCTIONS_H
#define TANDEM_RUNTIME_EAGER_EIGEN_FUNCTIONS_H

#include "Level.h"

#include "tandem/Support/FunctionCoefficients.h"

#include <immintrin.h>
#include <limits>
#include <sleef.h>

#include <type_traits>

namespace tandem::eager::TANDEM_LEVEL {

#if defined(__AVX512F__)
using Floats = __m512;
using Doubles = __m512d;
#define TANDEM_SLEEF_F32(function) Sleef_##function##f16_u10avx512f
#define TANDEM_SLEEF_F64(function) Sleef_##function##d8_u10avx512f
#elif defined(__AVX2__)
using Floats = __m256;
using Doubles = __m256d;
#define TANDEM_SLEEF_F32(function) Sleef_##function##f8_u10avx2
#define TANDEM_SLEEF_F64(function) Sleef_##function##d4_u10avx2
#else
using Floats = __m128;
using Doubles = __m128d;
#define TANDEM_SLEEF_F32(function) Sleef_##function##f4_u10sse2
#define TANDEM_SLEEF_F64(function) Sleef_##function##d2_u10sse2
#endif

#define TANDEM_SLEEF_UNARY(name, function)                                     \
  struct name {                                                                \
    [[gnu::always_inline]] static Floats apply(Floats x) {                     \
      return TANDEM_SLEEF_F32(function)(x);                                    \
    }                                                                          \
    [[gnu::always_inline]] static Doubles apply(Doubles x) {                   \
      return TANDEM_SLEEF_F64(function)(x);                                    \
    }                                                                          \
  };
TANDEM_SLEEF_UNARY(SleefExp, exp)
TANDEM_SLEEF_UNARY(Expm1, expm1)
TANDEM_SLEEF_UNARY(SleefLog1p, log1p)
TANDEM_SLEEF_UNARY(Tanh, tanh)
TANDEM_SLEEF_UNARY(Sin, sin)
TANDEM_SLEEF_UNARY(Cos, cos)
TANDEM_SLEEF_UNARY(Asin, asin)
TANDEM_SLEEF_UNARY(Acos, acos)
TANDEM_SLEEF_UNARY(Atan, atan)
TANDEM_SLEEF_UNARY(SleefErf, erf)
TANDEM_SLEEF_UNARY(SleefLog, log)
#undef TANDEM_SLEEF_UNARY

struct Pow {
  [[gnu::always_inline]] static Floats apply(Floats x, Floats y) {
    return TANDEM_SLEEF_F32(pow)(x, y);
  }
  /// SLEEF's function overflows from exp(709.7827111) on, where the right bound
  /// is 709.7827129; the C library's is right.
  [[gnu::always_inline]] static Doubles apply(Doubles x, Doubles y) {
    constexpr double most = std::numeric_limits<double>::max();
    Doubles power = TANDEM_SLEEF_F64(pow)(x, y);
    const auto overflows = (__builtin_elementwise_abs(power) > most) &
                           (__builtin_elementwise_abs(x) <= most) &
                           (__builtin_elementwise_abs(y) <= most);
    if (!__builtin_reduce_or(overflows)) [[likely]]
      return power;
    for (size_t i = 0; i < sizeof power / sizeof power[0]; ++i)
      if (overflows[i])
        power[i] = __builtin_pow(x[i], y[i]);
    return power;
  }
};

#undef TANDEM_SLEEF_F32
#undef TANDEM_SLEEF_F64

/// The vector register type with elements of type T.
template <typename T>
using Register = std::conditional_t<sizeof(T) == 4, Floats, Doubles>;
template <typename T>
inline constexpr int64_t kLanes = sizeof(Register<T>) / sizeof(T);

/// A register with `value` in every lane; right for -0, too.
template <typename R> [[gnu::always_inline]] inline R repeat(double value) {
  using T = std::remove_cvref_t<decltype(R{}[0])>;
  return T(value) - R{};
}

/// Evaluates a polynomial by Horner's rule; coefficients begin with that of the
/// highest power.
template <size_t n>
[[gnu::always_inline]] inline Floats horner(const double (&coefficients)[n],
                                            Floats x) {
  Floats sum = repeat<Floats>(coefficients[0]);
  for (size_t i = 1; i < n; ++i)
    sum = sum * x + float(coefficients[i]);
  return sum;
}

struct Exp {
  /// Inline, which is faster than a call of SLEEF's, and more so within other
  /// functions. Within 1.2 ULP.
  [[gnu::always_inline]] static Floats apply(Floats x) {
    constexpr float most = 89, least = -104;
    x = x > most ? repeat<Floats>(most) : x;
    x = x < least ? repeat<Floats>(least) : x;
    const auto [y, n] = reduce(x);
    // In two steps: 2^n itself may be out of range.
    const Integers half = n >> 1;
    return y * __builtin_bit_cast(Floats, (half + 127) << 23) *
           __builtin_bit_cast(Floats, (n - half + 127) << 23);
  }

  /// For x in [-80, 0], where the result is normal.
  [[gnu::always_inline]] static Floats applyWithin(Floats x) {
    const auto [y, n] = reduce(x);
    return __builtin_bit_cast(Floats,
                              __builtin_bit_cast(Integers, y) + (n << 23));
  }

  /// SLEEF's function overflows from 709.7827111 on, where the right bound is
  /// 709.7827129.
  [[gnu::always_inline]] static Doubles apply(Doubles x) {
    const Doubles y = SleefExp::apply(x);
    const auto isNearEnd = (x > 709.78) & (x < 709.79);
    if (!__builtin_reduce_or(isNearEnd)) [[likely]]
      return y;
    const Doubles root = SleefExp::apply(x * 0.5);
    return isNearEnd ? root * root : y;
  }

private:
  using Integers [[gnu::vector_size(sizeof(Floats))]] = int32_t;
  struct Reduced {
    Floats y;
    Integers n;
  };

  /// exp(x) = 2^n y, with n the integer nearest to x / log 2.
  [[gnu::always_inline]] static Reduced reduce(Floats x) {
    // Adding 1.5 * 2^23 leaves the nearest integer in the low bits.
    constexpr float rounder = 12582912;
    // log 2; products of the first part with n are exact.
    constexpr float high = 0.693359375f, low = -2.12194440e-4f;
    const Floats shifted = x * 1.44269504088896341f + rounder;
    const Floats n = shifted - rounder;
    const Floats r = x - n * high - n * low;
    return {(horner(kExpTail, r) * r + 1) * r + 1,
            __builtin_bit_cast(Integers, shifted) -
                __builtin_bit_cast(int32_t, rounder)};
  }
};

/// The error function. For f32 it is our own, within 2 ULP: SLEEF's takes ten
/// times as long as Eigen's, and Eigen's is off by 36 ULP next to subnormal
/// numbers and by 3e-7 next to 1.
struct Erf {
  [[gnu::always_inline]] static Floats apply(Floats x) {
    const Floats small = horner(kErfTail, x * x) * x + x;
    const Floats magnitude = __builtin_elementwise_abs(x);
    const Floats t =
        magnitude > kErfMost ? repeat<Floats>(kErfMost) : magnitude;
    const Floats large = 1 - Exp::applyWithin(horner(kErfcExponent, t) * t - t);
    return magnitude > kErfSmall ? __builtin_elementwise_copysign(large, x)
                                 : small;
  }
  [[gnu::always_inline]] static Doubles apply(Doubles x) {
    return SleefErf::apply(x);
  }
};

/// 1 + erf(x). It needs no separate formula for small x, and does not cancel
/// for negative x.
struct OnePlusErf {
  [[gnu::always_inline]] static Floats apply(Floats x) {
    const Floats magnitude = __builtin_elementwise_abs(x);
    Floats rest = Exp::applyWithin(
        horner(kErfcWholeExponent, magnitude) * magnitude - magnitude);
    // Beyond, 0, and NaN of NaN.
    const Floats beyond = magnitude > 0 ? Floats{} : magnitude;
    rest = magnitude < kErfMost ? rest : beyond;
    return x < 0 ? rest : 2 - rest;
  }
  [[gnu::always_inline]] static Doubles apply(Doubles x) {
    return 1 + SleefErf::apply(x);
  }
};

/// FunctionCoefficients.h describes the polynomials.
struct Erfinv {
  template <typename R> [[gnu::always_inline]] static R apply(R x) {
    const R magnitude = __builtin_elementwise_abs(x);
    const R w = -SleefLog::apply((1 - magnitude) * (1 + magnitude));
    const R infinity = repeat<R>(std::numeric_limits<double>::infinity());
    return x * (magnitude == 1 ? infinity : ratio(w));
  }

private:
  using P = ErfinvPolynomial;

  [[gnu::always_inline]] static Floats ratio(Floats w) {
    const auto isSmall = w < P::kSmall;
    const Floats at =
        isSmall ? w - float(P::kSmallCenter)
                : __builtin_elementwise_sqrt(w) - float(P::kLargeCenter);
    Floats sum{};
    for (size_t i = 0; i < std::size(kErfinvSmallF32); ++i)
      sum = sum * at + (isSmall ? repeat<Floats>(kErfinvSmallF32[i])
                                : repeat<Floats>(kErfinvLargeF32[i]));
    return sum;
  }

  [[gnu::always_inline]] static Doubles ratio(Doubles w) {
    const auto isSmall = w < P::kSmall, isLarge = w < P::kLarge;
    const Doubles root = __builtin_elementwise_sqrt(w);
    const Doubles at = isSmall   ? w - P::kSmallCenter
                       : isLarge ? root - P::kLargeCenter
                                 : root - P::kLargestCenter;
    Doubles sum{};
    for (size_t i = 0; i < std::size(kErfinvSmall); ++i)
      sum = sum * at + (isSmall   ? repeat<Doubles>(kErfinvSmall[i])
                        : isLarge ? repeat<Doubles>(kErfinvLarge[i])
                                  : repeat<Doubles>(kErfinvLargest[i]));
    return sum;
  }
};

struct Sigmoid {
  template <typename R> [[gnu::always_inline]] static R apply(R x) {
    return 1 / (1 + Exp::apply(-x));
  }
};

/// max(x, 0) + log1p(exp(-|x|)): the argument of log1p is at most 1.
struct Softplus {
  template <typename R> [[gnu::always_inline]] static R apply(R x) {
    const R rest = SleefLog1p::apply(Exp::apply(-__builtin_elementwise_abs(x)));
    return (x > 0 ? x : R{}) + rest;
  }
};

struct Gelu {
  template <typename R> [[gnu::always_inline]] static R apply(R x) {
    const R half = x * repeat<R>(0.5);
    return half * OnePlusErf::apply(x * repeat<R>(0.70710678118654752440));
  }
};

/// GELU in its tanh form. It uses that (1 + tanh(y)) / 2 is the logistic
/// function of 2y, which does not cancel.
struct GeluTanh {
  template <typename R> [[gnu::always_inline]] static R apply(R x) {
    const R y = x + repeat<R>(0.044715) * x * x * x;
    return x * Sigmoid::apply(repeat<R>(2 * 0.79788456080286535588) * y);
  }
};

/// Numbers whose magnitude is larger are replaced, so that an infinite number
/// is not multiplied by 0. NaN stays NaN.
template <typename R> [[gnu::always_inline]] inline R cutOff(R x) {
  const R most = repeat<R>(40);
  x = x > most ? most : x;
  return x < -most ? -most : x;
}

/// The derivative of Gelu: P(x) + x p(x), with P the normal distribution.
struct GeluDerivative {
  template <typename R> [[gnu::always_inline]] static R apply(R given) {
    const R x = cutOff(given);
    const R density =
        repeat<R>(0.39894228040143267794) * Exp::apply(x * x * repeat<R>(-0.5));
    return repeat<R>(0.5) *
               OnePlusErf::apply(x * repeat<R>(0.70710678118654752440)) +
           x * density;
  }
};

/// The derivative of GeluTanh: with s the logistic function of v = 2 y, it is
/// s + x s (1 - s) v'. 1 - s(v) is s(-v), which does not cancel.
struct GeluTanhDerivative {
  template <typename R> [[gnu::always_inline]] static R apply(R given) {
    const R x = cutOff(given), square = x * x,
            factor = repeat<R>(2 * 0.79788456080286535588);
    const R v = factor * x * (1 + repeat<R>(0.044715) * square);
    const R slope = factor * (1 + repeat<R>(3 * 0.044715) * square);
    const R s = Sigmoid::apply(v);
    return s + x * s * Sigmoid::apply(-v) * slope;
  }
};

/// Loads the first `size` lanes from memory; the other lanes are zero.
template <typename T>
[[gnu::always_inline]] inline Register<T> loadLanes(const T *from,
                                                    int64_t size) {
  Register<T> lanes{};
  __builtin_memcpy(&lanes, from, size * sizeof(T));
  return lanes;
}
template <typename T>
[[gnu::always_inline]] inline void storeLanes(Register<T> lanes, T *to,
                                              int64_t size) {
  __builtin_memcpy(to, &lanes, size * sizeof(T));
}

/// Calls body(first, size) for registers that cover lanes [first, first + size)
/// of n. The last, partial register is computed as the others are, so that a
/// result never depends on an element's place.
template <typename T, typename Body>
[[gnu::always_inline]] inline void forRegisters(int64_t n, Body body) {
  int64_t i = 0;
  for (; i + kLanes<T> <= n; i += kLanes<T>)
    body(i, kLanes<T>);
  if (i < n)
    body(i, n - i);
}

/// y[i] = F(x[i]).
template <typename F, typename T> void mapLanes(const T *x, T *y, int64_t n) {
  forRegisters<T>(n, [=](int64_t i, int64_t size) {
    storeLanes<T>(F::apply(loadLanes(x + i, size)), y + i, size);
  });
}

} // namespace tandem::eager::TANDEM_LEVEL

#endif // TANDEM_RUNTIME_EAGER_EIGEN_FUNCTIONS_H
