//===- Elementwise.cpp - Reference: elementwise ops -------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluate.h"
#include "Wide.h"
#include "tandem/Support/Strides.h"

#include <cmath>
#include <concepts>
#include <limits>
#include <numbers>

using namespace tandem;
using namespace tandem::reference;
using fb::ComparePredicate;

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

static double gelu(double x) {
  return 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2));
}

/// Hendrycks and Gimpel, "Gaussian Error Linear Units", arXiv 1606.08415.
static double geluTanh(double x) {
  const double inner =
      std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
  return 0.5 * x * (1 + std::tanh(inner));
}

/// The derivative of x * P(x) is P(x) + x * p(x), p being the density of P.
static double geluDerivative(double x) {
  if (std::isinf(x))
    return x > 0;
  const double density = std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
  return std::erfc(-x / std::numbers::sqrt2) / 2 + x * density;
}

/// The derivative of x * (1 + tanh(u)) / 2; 1 - tanh^2 is 1 / cosh^2.
static double geluTanhDerivative(double x) {
  if (std::fabs(x) > 40)
    return x > 0;
  const double factor = std::sqrt(2 / std::numbers::pi);
  const double inner = factor * (x + 0.044715 * x * x * x),
               slope = factor * (1 + 3 * 0.044715 * x * x),
               cosh = std::cosh(inner);
  return (1 + std::tanh(inner)) / 2 + x * slope / (2 * cosh * cosh);
}

static double softplus(double x) {
  return (x > 0 ? x : 0) + std::log1p(std::exp(-std::fabs(x)));
}

/// The inverse of erf, by Halley's method in extended precision, starting from
/// the approximation of S. Winitzki (A handy approximation for the error
/// function and its inverse, 2008).
static double erfinv(double x) {
  const long double a = std::fabs(static_cast<long double>(x));
  if (!(a < 1))
    return a == 1 ? std::copysign(HUGE_VAL, x)
                  : std::numeric_limits<double>::quiet_NaN();
  const long double pi = std::numbers::pi_v<long double>, c = 0.147L;
  const long double log = std::log((1 - a) * (1 + a));
  const long double t = 2 / (pi * c) + log / 2;
  long double y = std::sqrt(std::sqrt(t * t - log / c) - t);
  for (int i = 0; i < 4; ++i) {
    // The second form does not cancel if a is near 1.
    const long double error =
        a < 0.5L ? std::erf(y) - a : (1 - a) - std::erfc(y);
    const long double step = error * std::sqrt(pi) / 2 * std::exp(y * y);
    y -= step / (1 + y * step);
  }
  return std::copysign(static_cast<double>(y), x);
}

static double signOf(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }

static double applyUnary(UnaryKind kind, double x) {
  switch (kind) {
  case UnaryKind::neg:
    return -x;
  case UnaryKind::abs:
    return std::fabs(x);
  case UnaryKind::sign:
    return signOf(x);
  case UnaryKind::exp:
    return std::exp(x);
  case UnaryKind::expm1:
    return std::expm1(x);
  case UnaryKind::log:
    return std::log(x);
  case UnaryKind::log1p:
    return std::log1p(x);
  case UnaryKind::sqrt:
    return std::sqrt(x);
  case UnaryKind::rsqrt:
    return 1 / std::sqrt(x);
  case UnaryKind::tanh:
    return std::tanh(x);
  case UnaryKind::sigmoid:
    return 1 / (1 + std::exp(-x));
  case UnaryKind::relu:
    return x < 0 ? 0 : x;
  case UnaryKind::gelu:
    return gelu(x);
  case UnaryKind::gelu_derivative:
    return geluDerivative(x);
  case UnaryKind::softplus:
    return softplus(x);
  case UnaryKind::erf:
    return std::erf(x);
  case UnaryKind::erfinv:
    return erfinv(x);
  case UnaryKind::sin:
    return std::sin(x);
  case UnaryKind::cos:
    return std::cos(x);
  case UnaryKind::asin:
    return std::asin(x);
  case UnaryKind::acos:
    return std::acos(x);
  case UnaryKind::atan:
    return std::atan(x);
  case UnaryKind::floor:
    return std::floor(x);
  case UnaryKind::ceil:
    return std::ceil(x);
  case UnaryKind::round:
    return std::nearbyint(x);
  case UnaryKind::logical_not:
    return x == 0;
  case UnaryKind::bitwise_not:
    break;
  }
  __builtin_unreachable();
}

/// Integers wrap: arithmetic is on uint64_t. None is of a function of floats.
template <std::integral T> static T applyUnary(UnaryKind kind, T x) {
  switch (kind) {
  case UnaryKind::neg:
    return -static_cast<uint64_t>(x);
  case UnaryKind::abs:
    return x < 0 ? -static_cast<uint64_t>(x) : x;
  case UnaryKind::sign:
    return x > 0 ? 1 : x < 0 ? -1 : 0;
  case UnaryKind::relu:
    return x < 0 ? 0 : x;
  case UnaryKind::logical_not:
    return x == 0;
  case UnaryKind::bitwise_not:
    return ~x;
#define TANDEM_CASE_number(kind)
#define TANDEM_CASE_integer(kind)
#define TANDEM_CASE_boolean(kind)
#define TANDEM_CASE_floating(kind) case UnaryKind::kind:
#define TANDEM_UNARY(kind, attrs, domain, ...) TANDEM_CASE_##domain(kind)
#include "tandem/Support/Ops.def"
#undef TANDEM_CASE_number
#undef TANDEM_CASE_integer
#undef TANDEM_CASE_boolean
#undef TANDEM_CASE_floating
    break;
  }
  __builtin_unreachable();
}

void reference::evaluateUnary(const OpDesc &op, Operands operands,
                              Tensor &result) {
  const auto *geluAttrs = op.attrs.AsGeluAttrs();
  const bool useTanh = geluAttrs && geluAttrs->approximate_tanh;
  const auto byTanh = op.kind == OpKind::gelu ? geluTanh : geluTanhDerivative;
  withWideType(operands[0].dtype(), [&]<typename T>(T) {
    std::vector<T> values = widen<T>(operands[0]);
    for (T &x : values)
      x = useTanh ? T(byTanh(x)) : applyUnary(UnaryKind(op.kind), x);
    narrow(values, result);
  });
}

void reference::evaluateCast(const OpDesc &op, Operands operands,
                             Tensor &result) {
  const DType from = operands[0].dtype(), to = result.dtype();
  if (isFloat(to))
    return withWideType(
        from, [&]<typename T>(T) { narrow(widen<T>(operands[0]), result); });
  std::vector<int64_t> values;
  if (isFloat(from)) {
    for (double x : widen<double>(operands[0]))
      values.push_back(to == DType::i1 ? x != 0 : saturatingCast(x, to));
  } else {
    for (int64_t x : widen<int64_t>(operands[0]))
      values.push_back(to == DType::i1 ? x != 0 : x);
  }
  narrow(values, result);
}

//===----------------------------------------------------------------------===//
// Two operands
//===----------------------------------------------------------------------===//

/// The larger or smaller; a NaN where either is one.
template <bool isMax> static double extremum(double a, double b) {
  if (std::isnan(a))
    return a;
  if (std::isnan(b))
    return b;
  return isMax ? std::fmax(a, b) : std::fmin(a, b);
}
template <bool isMax, std::integral T> static T extremum(T a, T b) {
  return isMax == (a > b) ? a : b;
}

double reference::applyBinary(BinaryKind kind, double a, double b) {
  switch (kind) {
  case BinaryKind::add:
    return a + b;
  case BinaryKind::sub:
    return a - b;
  case BinaryKind::mul:
    return a * b;
  case BinaryKind::div:
    return a / b;
  case BinaryKind::max:
    return extremum<true>(a, b);
  case BinaryKind::min:
    return extremum<false>(a, b);
  case BinaryKind::pow:
    return std::pow(a, b);
  case BinaryKind::rem:
    return std::fmod(a, b);
  case BinaryKind::sigmoid_backward:
    return (1 - a) * b * a;
  case BinaryKind::logical_and:
    return a != 0 && b != 0;
  case BinaryKind::logical_or:
    return a != 0 || b != 0;
  case BinaryKind::bitwise_and:
  case BinaryKind::bitwise_or:
  case BinaryKind::bitwise_xor:
  case BinaryKind::shift_left:
  case BinaryKind::shift_right:
    break;
  }
  __builtin_unreachable();
}

/// Truncates; x / 0 is -1, and the quotient that overflows wraps.
template <typename T> static T divide(T a, T b) {
  if (b == 0)
    return -1;
  if (std::is_signed_v<T> && b == T(-1))
    return -static_cast<uint64_t>(a);
  return a / b;
}

/// Counts are unsigned; of 64 and more no bit of the value is left.
template <typename T> static T shiftLeft(T value, uint64_t count) {
  return count < 64 ? static_cast<uint64_t>(value) << count : 0;
}
template <typename T> static T shiftRight(T value, uint64_t count) {
  return count < 64 ? value >> count : value < 0 ? -1 : 0;
}

/// By squaring, modulo 2^64. To a negative power, 1 and -1 have an integer for
/// a result; all else is 0.
template <typename T> static T power(T base, T exponent) {
  if (exponent < 0)
    return base == 1 ? 1 : base == T(-1) ? (exponent & 1 ? -1 : 1) : 0;
  uint64_t result = 1, square = base;
  for (; exponent != 0; exponent >>= 1, square *= square)
    if (exponent & 1)
      result *= square;
  return result;
}

/// Integers wrap: arithmetic is on uint64_t.
template <std::integral T> static T applyInteger(BinaryKind kind, T a, T b) {
  switch (kind) {
  case BinaryKind::add:
    return static_cast<uint64_t>(a) + b;
  case BinaryKind::sub:
    return static_cast<uint64_t>(a) - b;
  case BinaryKind::mul:
    return static_cast<uint64_t>(a) * b;
  case BinaryKind::div:
    return divide(a, b);
  case BinaryKind::max:
    return extremum<true>(a, b);
  case BinaryKind::min:
    return extremum<false>(a, b);
  case BinaryKind::pow:
    return power(a, b);
  case BinaryKind::rem:
    return a - static_cast<uint64_t>(b) * static_cast<uint64_t>(divide(a, b));
  case BinaryKind::logical_and:
    return a != 0 && b != 0;
  case BinaryKind::logical_or:
    return a != 0 || b != 0;
  case BinaryKind::bitwise_and:
    return a & b;
  case BinaryKind::bitwise_or:
    return a | b;
  case BinaryKind::bitwise_xor:
    return a ^ b;
  case BinaryKind::shift_left:
    return shiftLeft(a, b);
  case BinaryKind::shift_right:
    return shiftRight(a, b);
  case BinaryKind::sigmoid_backward: // Of floats.
    break;
  }
  __builtin_unreachable();
}

int64_t reference::applyBinary(BinaryKind kind, int64_t a, int64_t b) {
  return applyInteger(kind, a, b);
}
uint64_t reference::applyBinary(BinaryKind kind, uint64_t a, uint64_t b) {
  return applyInteger(kind, a, b);
}

/// result[i] = f(a[i], b[i]) under broadcasting.
template <typename T, typename F>
static void zip(Operands operands, Tensor &result, F f) {
  using Result = decltype(f(T{}, T{}));
  const std::vector<T> a = widen<T>(operands[0]), b = widen<T>(operands[1]);
  const Shape &shape = result.shape();
  std::vector<Result> values;
  for (StridedIndex<2> i(shape, {broadcastStrides(operands[0].shape(), shape),
                                 broadcastStrides(operands[1].shape(), shape)});
       !i.done(); i.next())
    values.push_back(f(a[i.offset(0)], b[i.offset(1)]));
  narrow(values, result);
}

void reference::evaluateBinary(const OpDesc &op, Operands operands,
                               Tensor &result) {
  withWideType(operands[0].dtype(), [&]<typename T>(T) {
    zip<T>(operands, result,
           [&](T a, T b) { return applyBinary(BinaryKind(op.kind), a, b); });
  });
}

template <typename T>
static bool applyCompare(ComparePredicate predicate, T a, T b) {
  switch (predicate) {
  case ComparePredicate::eq:
    return a == b;
  case ComparePredicate::ne:
    return a != b;
  case ComparePredicate::lt:
    return a < b;
  case ComparePredicate::le:
    return a <= b;
  case ComparePredicate::gt:
    return a > b;
  case ComparePredicate::ge:
    return a >= b;
  }
  return false;
}

void reference::evaluateCompare(const OpDesc &op, Operands operands,
                                Tensor &result) {
  const ComparePredicate predicate = op.attrs.AsCompareAttrs()->predicate;
  withWideType(operands[0].dtype(), [&]<typename T>(T) {
    zip<T>(operands, result,
           [&](T a, T b) -> int64_t { return applyCompare(predicate, a, b); });
  });
}

//===----------------------------------------------------------------------===//
// Three operands
//===----------------------------------------------------------------------===//

static StridedIndex<3> zip3(Operands operands, const Shape &shape) {
  return StridedIndex<3>(shape, {broadcastStrides(operands[0].shape(), shape),
                                 broadcastStrides(operands[1].shape(), shape),
                                 broadcastStrides(operands[2].shape(), shape)});
}

void reference::evaluateSelect(const OpDesc &op, Operands operands,
                               Tensor &result) {
  withWideType(result.dtype(), [&]<typename T>(T) {
    const std::vector<int64_t> condition = widen<int64_t>(operands[0]);
    const std::vector<T> a = widen<T>(operands[1]), b = widen<T>(operands[2]);
    std::vector<T> values;
    for (auto i = zip3(operands, result.shape()); !i.done(); i.next())
      values.push_back(condition[i.offset(0)] ? a[i.offset(1)]
                                              : b[i.offset(2)]);
    narrow(values, result);
  });
}

/// min(max(x, low), high).
void reference::evaluateClamp(const OpDesc &op, Operands operands,
                              Tensor &result) {
  withWideType(result.dtype(), [&]<typename T>(T) {
    const std::vector<T> x = widen<T>(operands[0]), low = widen<T>(operands[1]),
                         high = widen<T>(operands[2]);
    std::vector<T> values;
    for (auto i = zip3(operands, result.shape()); !i.done(); i.next())
      values.push_back(extremum<false>(
          extremum<true>(x[i.offset(0)], low[i.offset(1)]), high[i.offset(2)]));
    narrow(values, result);
  });
}
