//===- Binary.cpp - Elementwise kernels, two operands -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Functions.h"

#include <type_traits>

namespace tandem::eager::TANDEM_LEVEL {
namespace {

/// A kernel of one scalar expression, vectorized by the compiler.
template <typename T, typename R, unsigned mask, typename F>
void loop(const void *lhs, const void *rhs, void *out, int64_t n) {
  const T *__restrict a = static_cast<const T *>(lhs);
  const T *__restrict b = static_cast<const T *>(rhs);
  R *__restrict y = static_cast<R *>(out);
  for (int64_t i = 0; i < n; ++i)
    y[i] = F{}(at<mask & 1>(a, i), at<(mask & 2) != 0>(b, i));
}

/// The same on tiles of 16-bit floats; F is on f32.
template <typename S, unsigned mask, typename R>
void throughFloat(BinaryKernel kernel, const void *lhs, const void *rhs,
                  void *out, int64_t n) {
  float a[kTile], b[kTile], y[kTile];
  for (int64_t i = 0; i < n; i += kTile) {
    const int64_t size = n - i < kTile ? n - i : kTile;
    widenTile(static_cast<const S *>(lhs) + (mask & 1 ? 0 : i), a,
              mask & 1 ? 1 : size);
    widenTile(static_cast<const S *>(rhs) + (mask & 2 ? 0 : i), b,
              mask & 2 ? 1 : size);
    if constexpr (sizeof(R) == 1) {
      kernel(a, b, static_cast<R *>(out) + i, size);
    } else {
      kernel(a, b, y, size);
      narrowTile(y, static_cast<S *>(out) + i, size);
    }
  }
}

template <typename S, unsigned mask, typename R, BinaryKernel kernel>
void adapted(const void *lhs, const void *rhs, void *out, int64_t n) {
  throughFloat<S, mask, R>(kernel, lhs, rhs, out, n);
}

/// The kernel of a scalar function for an element type and mask. F is a
/// template: F<T> is on T; R is the result type, or void for T.
template <template <typename> class F, typename R, unsigned mask>
BinaryKernel select(DType dtype) {
  using HalfResult = std::conditional_t<std::is_void_v<R>, uint16_t, R>;
  constexpr BinaryKernel onFloat =
      loop<float, std::conditional_t<std::is_void_v<R>, float, R>, mask,
           F<float>>;
  if (dtype == DType::f16)
    return adapted<Half, mask, HalfResult, onFloat>;
  if (dtype == DType::bf16)
    return adapted<BFloat16, mask, HalfResult, onFloat>;
  if (dtype == DType::i1)
    return loop<uint8_t, uint8_t, mask, F<uint8_t>>;
  return forNumber<BinaryKernel>(dtype, []<typename T>() -> BinaryKernel {
    return loop<T, std::conditional_t<std::is_void_v<R>, T, R>, mask, F<T>>;
  });
}

template <template <typename> class F, typename R = void>
BinaryKernel select(DType dtype, unsigned mask) {
  switch (mask) {
  case 0:
    return select<F, R, 0>(dtype);
  case 1:
    return select<F, R, 1>(dtype);
  default:
    return select<F, R, 2>(dtype);
  }
}

template <template <typename> class F, unsigned mask>
BinaryKernel selectInteger(DType dtype) {
  return forInteger<BinaryKernel>(dtype, []<typename T>() -> BinaryKernel {
    return loop<T, T, mask, F<T>>;
  });
}

template <template <typename> class F>
BinaryKernel selectInteger(DType dtype, unsigned mask) {
  switch (mask) {
  case 0:
    return selectInteger<F, 0>(dtype);
  case 1:
    return selectInteger<F, 1>(dtype);
  default:
    return selectInteger<F, 2>(dtype);
  }
}

template <typename T> using U = typename Wrapping<T>::Type;

template <typename T> struct Add {
  T operator()(T a, T b) const { return U<T>(a) + U<T>(b); }
};
template <typename T> struct Sub {
  T operator()(T a, T b) const { return U<T>(a) - U<T>(b); }
};
template <typename T> struct Mul {
  T operator()(T a, T b) const { return multiply(a, b); }
};
/// Integers truncate; x / 0 is -1, and the quotient that overflows wraps.
template <typename T> struct Div {
  T operator()(T a, T b) const {
    if constexpr (isFloating<T>)
      return a / b;
    else if constexpr (std::is_unsigned_v<T>)
      return b == 0 ? T(-1) : T(a / b);
    else
      return b == 0 ? T(-1) : b == T(-1) ? T(U<T>(0) - U<T>(a)) : T(a / b);
  }
};
/// Exact, also where the quotient is not.
template <typename T> struct Rem {
  T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, float>)
      return __builtin_fmodf(a, b);
    else if constexpr (isFloating<T>)
      return __builtin_fmod(a, b);
    else
      return U<T>(a) - U<T>(multiply(b, Div<T>()(a, b)));
  }
};
template <typename T> struct Max {
  T operator()(T a, T b) const { return maximum(a, b); }
};
template <typename T> struct Min {
  T operator()(T a, T b) const { return minimum(a, b); }
};
template <typename T> struct And {
  T operator()(T a, T b) const { return a != 0 && b != 0; }
};
template <typename T> struct Or {
  T operator()(T a, T b) const { return a != 0 || b != 0; }
};
template <typename T> struct BitAnd {
  T operator()(T a, T b) const { return a & b; }
};
template <typename T> struct BitOr {
  T operator()(T a, T b) const { return a | b; }
};
template <typename T> struct BitXor {
  T operator()(T a, T b) const { return a ^ b; }
};
/// Counts are unsigned; those of all bits and more leave 0 or the sign.
template <typename T> struct ShiftLeft {
  T operator()(T a, T b) const {
    return U<T>(b) < 8 * sizeof(T) ? T(U<T>(a) << U<T>(b)) : T(0);
  }
};
template <typename T> struct ShiftRight {
  T operator()(T a, T b) const {
    return U<T>(b) < 8 * sizeof(T) ? T(a >> U<T>(b)) : T(a < 0 ? -1 : 0);
  }
};
template <typename T> struct Eq {
  uint8_t operator()(T a, T b) const { return a == b; }
};
template <typename T> struct Ne {
  uint8_t operator()(T a, T b) const { return a != b; }
};
template <typename T> struct Lt {
  uint8_t operator()(T a, T b) const { return a < b; }
};
template <typename T> struct Le {
  uint8_t operator()(T a, T b) const { return a <= b; }
};
template <typename T> struct Gt {
  uint8_t operator()(T a, T b) const { return a > b; }
};
template <typename T> struct Ge {
  uint8_t operator()(T a, T b) const { return a >= b; }
};

/// (1 - y) g y, for the result y of a sigmoid and its gradient g.
template <typename T> struct SigmoidBackward {
  T operator()(T y, T g) const { return (1 - y) * g * y; }
};

template <unsigned mask> BinaryKernel findSigmoidBackward(DType dtype) {
  constexpr BinaryKernel onFloat =
      loop<float, float, mask, SigmoidBackward<float>>;
  switch (dtype) {
  case DType::f32:
    return onFloat;
  case DType::f64:
    return loop<double, double, mask, SigmoidBackward<double>>;
  case DType::f16:
    return adapted<Half, mask, uint16_t, onFloat>;
  case DType::bf16:
    return adapted<BFloat16, mask, uint16_t, onFloat>;
  case DType::i1:
#define TANDEM_INTEGER(name, ...) case DType::name:
#include "tandem/Support/DTypes.def"
    break;
  }
  return nullptr;
}

template <typename T, unsigned mask>
void power(const void *lhs, const void *rhs, void *out, int64_t n) {
  const T *a = static_cast<const T *>(lhs), *b = static_cast<const T *>(rhs);
  T *y = static_cast<T *>(out);
  const auto operand = [](const T *from, bool repeated, int64_t i,
                          int64_t size) {
    return repeated ? repeat<Register<T>>(*from) : loadLanes(from + i, size);
  };
  forRegisters<T>(n, [=](int64_t i, int64_t size) {
    storeLanes<T>(Pow::apply(operand(a, mask & 1, i, size),
                             operand(b, mask & 2, i, size)),
                  y + i, size);
  });
}

/// By squaring; overflow wraps around, and the reciprocals of all but 1 and -1
/// are truncated to 0.
template <typename T> struct IntegerPower {
  T operator()(T base, T exponent) const {
    if (exponent < 0)
      return base == 1 ? 1 : base == T(-1) ? T(exponent & 1 ? -1 : 1) : T(0);
    T result = 1;
    for (; exponent != 0; exponent >>= 1) {
      if (exponent & 1)
        result = multiply(result, base);
      base = multiply(base, base);
    }
    return result;
  }
};

template <unsigned mask> BinaryKernel findPower(DType dtype) {
  switch (dtype) {
  case DType::f32:
    return power<float, mask>;
  case DType::f64:
    return power<double, mask>;
  case DType::f16:
    return adapted<Half, mask, uint16_t, power<float, mask>>;
  case DType::bf16:
    return adapted<BFloat16, mask, uint16_t, power<float, mask>>;
  case DType::i1:
#define TANDEM_INTEGER(name, ...) case DType::name:
#include "tandem/Support/DTypes.def"
    return selectInteger<IntegerPower, mask>(dtype);
  }
  return nullptr;
}

} // namespace

BinaryKernel findBinary(BinaryKind kind, DType dtype, unsigned mask) {
  switch (kind) {
  case BinaryKind::add:
    return select<Add>(dtype, mask);
  case BinaryKind::sub:
    return select<Sub>(dtype, mask);
  case BinaryKind::mul:
    return select<Mul>(dtype, mask);
  case BinaryKind::div:
    return select<Div>(dtype, mask);
  case BinaryKind::max:
    return select<Max>(dtype, mask);
  case BinaryKind::min:
    return select<Min>(dtype, mask);
  case BinaryKind::pow:
    return mask == 0   ? findPower<0>(dtype)
           : mask == 1 ? findPower<1>(dtype)
                       : findPower<2>(dtype);
  case BinaryKind::rem:
    return select<Rem>(dtype, mask);
  case BinaryKind::sigmoid_backward:
    return mask == 0   ? findSigmoidBackward<0>(dtype)
           : mask == 1 ? findSigmoidBackward<1>(dtype)
                       : findSigmoidBackward<2>(dtype);
  case BinaryKind::logical_and:
    return select<And>(dtype, mask);
  case BinaryKind::logical_or:
    return select<Or>(dtype, mask);
  case BinaryKind::bitwise_and:
    return selectInteger<BitAnd>(dtype, mask);
  case BinaryKind::bitwise_or:
    return selectInteger<BitOr>(dtype, mask);
  case BinaryKind::bitwise_xor:
    return selectInteger<BitXor>(dtype, mask);
  case BinaryKind::shift_left:
    return selectInteger<ShiftLeft>(dtype, mask);
  case BinaryKind::shift_right:
    return selectInteger<ShiftRight>(dtype, mask);
  }
  return nullptr;
}

BinaryKernel findCompare(ComparePredicate predicate, DType dtype,
                         unsigned mask) {
  switch (predicate) {
  case ComparePredicate::eq:
    return select<Eq, uint8_t>(dtype, mask);
  case ComparePredicate::ne:
    return select<Ne, uint8_t>(dtype, mask);
  case ComparePredicate::lt:
    return select<Lt, uint8_t>(dtype, mask);
  case ComparePredicate::le:
    return select<Le, uint8_t>(dtype, mask);
  case ComparePredicate::gt:
    return select<Gt, uint8_t>(dtype, mask);
  case ComparePredicate::ge:
    return select<Ge, uint8_t>(dtype, mask);
  }
  return nullptr;
}

} // namespace tandem::eager::TANDEM_LEVEL
