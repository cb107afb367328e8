//===- Wide.cpp - Tensors in the reference's own types ----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Wide.h"

#include "tandem/Runtime/Float16.h"

#include <cmath>
#include <limits>
#include <type_traits>

using namespace tandem;
using namespace tandem::reference;

/// Calls `body` with a value of the type that elements of `dtype` are stored
/// in.
template <typename Body> static void withStorage(DType dtype, Body body) {
  switch (dtype) {
  case DType::f32:
    return body(float{});
  case DType::f64:
    return body(double{});
  case DType::f16:
    return body(F16{});
  case DType::bf16:
    return body(BF16{});
  case DType::i1:
    return body(bool{});
  case DType::i8:
    return body(int8_t{});
  case DType::i32:
    return body(int32_t{});
  case DType::i64:
    return body(int64_t{});
  }
}

int64_t reference::lowest(DType integer) {
  if (integer == DType::i1)
    return 0;
  return std::numeric_limits<int64_t>::min() >> (64 - 8 * byteWidth(integer));
}

int64_t reference::highest(DType integer) {
  return integer == DType::i1 ? 1 : -1 - lowest(integer);
}

int64_t reference::saturatingCast(double value, int64_t low, int64_t high) {
  if (std::isnan(value))
    return 0;
  // As a double, INT64_MAX is rounded up to 2^63, which is out of range.
  if (value >= static_cast<double>(high))
    return high;
  if (value <= static_cast<double>(low))
    return low;
  return static_cast<int64_t>(value);
}

template <typename T> std::vector<T> reference::widen(const Tensor &tensor) {
  std::vector<T> values(tensor.shape().numElements());
  withStorage(tensor.dtype(), [&]<typename S>(S) {
    const S *data = tensor.as<S>();
    for (size_t i = 0; i < values.size(); ++i)
      if constexpr (std::is_class_v<S>)
        values[i] = static_cast<double>(data[i]);
      else
        values[i] = data[i];
  });
  return values;
}

/// An integer as a double, rounded to odd where it has more digits than that,
/// so that rounding it again is rounding once.
static double toDouble(int64_t value) {
  constexpr int64_t exact = int64_t(1) << 53;
  if (-exact <= value && value <= exact)
    return static_cast<double>(value);
  const int64_t lowest = value & 0x7ff;
  return static_cast<double>(lowest ? value - lowest + 0x400 : value);
}
static double toDouble(double value) { return value; }

template <typename T>
void reference::narrow(const std::vector<T> &values, Tensor &tensor) {
  withStorage(tensor.dtype(), [&]<typename S>(S) {
    S *data = tensor.as<S>();
    for (size_t i = 0; i < values.size(); ++i)
      if constexpr (std::is_same_v<S, bool>)
        data[i] = static_cast<int64_t>(values[i]) & 1;
      else if constexpr (std::is_class_v<S>)
        data[i] = S(toDouble(values[i]));
      else
        data[i] = static_cast<S>(values[i]);
  });
}

template std::vector<double> reference::widen(const Tensor &);
template std::vector<int64_t> reference::widen(const Tensor &);
template void reference::narrow(const std::vector<double> &, Tensor &);
template void reference::narrow(const std::vector<int64_t> &, Tensor &);
