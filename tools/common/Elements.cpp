//===- Elements.cpp - Single elements of tensors as numbers ---------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Elements.h"

#include "tandem/Runtime/Memory/Storage.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace tandem::tools {
namespace {

template <typename Int> Int saturate(double value) {
  if (std::isnan(value))
    return 0;
  constexpr double low = static_cast<double>(std::numeric_limits<Int>::min());
  constexpr double high = static_cast<double>(std::numeric_limits<Int>::max());
  if (value <= low)
    return std::numeric_limits<Int>::min();
  if (value >= high)
    return std::numeric_limits<Int>::max();
  return static_cast<Int>(value);
}

std::string formatElement(const Tensor &tensor, int64_t index, int digits) {
  return withStorage(tensor.dtype(), [&]<typename T>(T) {
    const T value = tensor.as<T>()[index];
    if constexpr (std::is_integral_v<T>)
      return std::to_string(value);
    char buffer[64];
    // "+ 0.0" prints -0 as 0, which tiers may differ in.
    std::snprintf(buffer, sizeof buffer, "%.*g", digits,
                  static_cast<double>(value) + 0.0);
    return std::string(buffer);
  });
}

struct Formatter {
  const Tensor &tensor;
  int digits;
  int64_t left;
  int64_t next = 0;
  std::string text;

  void row(int64_t size) {
    text += '[';
    for (int64_t i = 0; i < size && left > 0; ++i, --left)
      text += (i ? ", " : "") + formatElement(tensor, next++, digits);
    text += left > 0 || next == tensor.shape().numElements() ? "]" : ", …]";
  }

  void block(int dim) {
    const Shape &shape = tensor.shape();
    if (dim == shape.rank() - 1)
      return row(shape[dim]);
    text += '[';
    for (int64_t i = 0; i < shape[dim] && left > 0; ++i) {
      if (i)
        text += ",\n" + std::string(static_cast<size_t>(dim) + 1, ' ');
      block(dim + 1);
    }
    text += ']';
  }
};

} // namespace

double loadElement(const Tensor &tensor, int64_t index) {
  return withStorage(tensor.dtype(), [&]<typename T>(T) {
    return static_cast<double>(tensor.as<T>()[index]);
  });
}

void storeElement(Tensor &tensor, int64_t index, double value) {
  withStorage(tensor.dtype(), [&]<typename T>(T) {
    T &element = tensor.as<T>()[index];
    if constexpr (std::is_same_v<T, bool>)
      element = value != 0;
    else if constexpr (std::is_integral_v<T>)
      element = saturate<T>(value);
    else
      element = static_cast<T>(value);
  });
}

std::string formatElements(const Tensor &tensor, int digits,
                           int64_t maxElements) {
  if (tensor.shape().rank() == 0)
    return formatElement(tensor, 0, digits);
  Formatter formatter{tensor, digits, maxElements};
  formatter.block(0);
  return std::move(formatter.text);
}

} // namespace tandem::tools
