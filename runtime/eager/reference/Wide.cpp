//===- Wide.cpp - Tensors in the reference's own types ----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Wide.h"

#include "tandem/Runtime/Memory/Storage.h"

#include <cmath>
#include <limits>
#include <type_traits>

using namespace tandem;
using namespace tandem::reference;

int64_t reference::lowest(DType integer) {
  if (kindOf(integer) != DTypeKind::signedInt)
    return 0;
  return std::numeric_limits<int64_t>::min() >> (64 - 8 * byteWidth(integer));
}

uint64_t reference::highest(DType integer) {
  if (integer == DType::i1)
    return 1;
  const uint64_t most = isUnsigned(integer)
                            ? std::numeric_limits<uint64_t>::max()
                            : std::numeric_limits<int64_t>::max();
  return most >> (64 - 8 * byteWidth(integer));
}

int64_t reference::saturatingCast(double value, DType integer) {
  if (std::isnan(value))
    return 0;
  // As a double, the largest value of 64 bits is rounded up to a power of two,
  // which is out of range.
  if (value >= static_cast<double>(highest(integer)))
    return highest(integer);
  if (value <= static_cast<double>(lowest(integer)))
    return lowest(integer);
  return isUnsigned(integer) ? static_cast<uint64_t>(value)
                             : static_cast<int64_t>(value);
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
template <typename Int> static double toDouble(Int value) {
  constexpr Int exact = Int(1) << 53;
  if (value <= exact && value + exact >= 0)
    return static_cast<double>(value);
  // The least digit that a double keeps of the largest integers.
  constexpr Int last = Int(1) << (std::numeric_limits<Int>::digits - 53);
  const Int rest = value & (2 * last - 1);
  return static_cast<double>(rest ? value - rest + last : value);
}
static double toDouble(double value) { return value; }

template <typename T>
void reference::narrow(const std::vector<T> &values, Tensor &tensor) {
  withStorage(tensor.dtype(), [&]<typename S>(S) {
    S *data = tensor.as<S>();
    for (size_t i = 0; i < values.size(); ++i)
      if constexpr (std::is_same_v<S, bool>)
        data[i] = static_cast<uint64_t>(values[i]) & 1;
      else if constexpr (std::is_class_v<S>)
        data[i] = S(toDouble(values[i]));
      else
        data[i] = static_cast<S>(values[i]);
  });
}

Tensor reference::convert(const Tensor &tensor, DType dtype) {
  if (tensor.dtype() == dtype)
    return tensor;
  Tensor result = *Tensor::allocate({dtype, tensor.shape()});
  narrow(widen<double>(tensor), result);
  return result;
}

template std::vector<double> reference::widen(const Tensor &);
template std::vector<int64_t> reference::widen(const Tensor &);
template std::vector<uint64_t> reference::widen(const Tensor &);
template void reference::narrow(const std::vector<double> &, Tensor &);
template void reference::narrow(const std::vector<int64_t> &, Tensor &);
template void reference::narrow(const std::vector<uint64_t> &, Tensor &);
