//===- Elements.cpp - Single elements of tensors as numbers ---------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Elements.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>

namespace tandem::tools {
namespace {

float halfToFloat(uint16_t bits) {
  _Float16 half = std::bit_cast<_Float16>(bits);
  return static_cast<float>(half);
}

uint16_t floatToHalf(double value) {
  return std::bit_cast<uint16_t>(static_cast<_Float16>(value));
}

float bfloatToFloat(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

/// Rounds to nearest, ties to even.
uint16_t floatToBfloat(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value))
    return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

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
  char buffer[64];
  double value = loadElement(tensor, index);
  if (!isFloat(tensor.dtype()))
    std::snprintf(buffer, sizeof buffer, "%.0f", value);
  else // "+ 0.0" prints -0 as 0, which tiers may differ in.
    std::snprintf(buffer, sizeof buffer, "%.*g", digits, value + 0.0);
  return buffer;
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
  switch (tensor.dtype()) {
  case DType::f32:
    return tensor.as<float>()[index];
  case DType::f64:
    return tensor.as<double>()[index];
  case DType::f16:
    return halfToFloat(tensor.as<uint16_t>()[index]);
  case DType::bf16:
    return bfloatToFloat(tensor.as<uint16_t>()[index]);
  case DType::i1:
    return tensor.as<uint8_t>()[index] != 0;
  case DType::i8:
    return tensor.as<int8_t>()[index];
  case DType::i32:
    return tensor.as<int32_t>()[index];
  case DType::i64:
    return static_cast<double>(tensor.as<int64_t>()[index]);
  }
  return 0;
}

void storeElement(Tensor &tensor, int64_t index, double value) {
  switch (tensor.dtype()) {
  case DType::f32:
    tensor.as<float>()[index] = static_cast<float>(value);
    return;
  case DType::f64:
    tensor.as<double>()[index] = value;
    return;
  case DType::f16:
    tensor.as<uint16_t>()[index] = floatToHalf(value);
    return;
  case DType::bf16:
    tensor.as<uint16_t>()[index] = floatToBfloat(static_cast<float>(value));
    return;
  case DType::i1:
    tensor.as<uint8_t>()[index] = value != 0;
    return;
  case DType::i8:
    tensor.as<int8_t>()[index] = saturate<int8_t>(value);
    return;
  case DType::i32:
    tensor.as<int32_t>()[index] = saturate<int32_t>(value);
    return;
  case DType::i64:
    tensor.as<int64_t>()[index] = saturate<int64_t>(value);
    return;
  }
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
