//===- SpecialValues.cpp - Values at the edges of types -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SpecialValues.h"

#include "tandem/Runtime/Memory/Storage.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

using namespace tandem;
using namespace tandem::test;

namespace {

/// A type of floats, by its width.
struct Format {
  int bits, mantissa;
  Bits sign() const { return Bits(1) << (bits - 1); }
  Bits infinity() const { return sign() - (Bits(1) << mantissa); }
  Bits leastNormal() const { return Bits(1) << mantissa; }
};

Format formatOf(DType dtype) {
  switch (dtype) {
  case DType::f64:
    return {64, 52};
  case DType::f16:
    return {16, 10};
  case DType::bf16:
    return {16, 7};
  default:
    return {32, 23};
  }
}

std::vector<Bits> specialFloats(DType dtype) {
  const Format format = formatOf(dtype);
  const Bits tiny = format.leastNormal(), inf = format.infinity();
  std::vector<Bits> magnitudes = {0,    1,       tiny / 2 + 1, tiny - 1,
                                  tiny, inf - 2, inf - 1,      inf};
  // Squares and cubes that overflow or underflow, or just do not.
  const int digits = format.mantissa + 1;
  const int most = dtype == DType::f64 ? 1023 : dtype == DType::f16 ? 15 : 127;
  std::vector<double> numbers = {0.5, 1, 1.5, 2, 3, 7};
  for (double exponent : {most / 3., most / 2., most * 0.8, digits + 0.})
    for (double sign : {1., -1.})
      numbers.push_back(1.5 * std::exp2(std::floor(sign * exponent)));
  if (dtype != DType::f16)
    numbers.insert(numbers.end(), {1e30, 65504, 65520});
  for (double number : numbers)
    magnitudes.push_back(bitsOf(dtype, number));
  std::vector<Bits> values;
  for (Bits magnitude : magnitudes)
    for (Bits sign : {Bits(0), format.sign()})
      values.push_back(magnitude | sign);
  values.push_back(inf | tiny / 2); // A quiet NaN.
  return values;
}

std::vector<Bits> specialIntegers(DType dtype) {
  const Bits bits = 8 * byteWidth(dtype);
  const Bits mask = ~Bits(0) >> (64 - bits), top = Bits(1) << (bits - 1);
  std::vector<Bits> values = {0,        1,        2,       3,   7,
                              bits - 1, bits,     top - 1, top, top + 1,
                              mask,     mask - 1, mask - 2};
  for (Bits &value : values)
    value &= mask;
  return values;
}

/// Numbers in the order of floats; both zeros are 0.
double ordinal(DType dtype, Bits bits) {
  const Format format = formatOf(dtype);
  const double magnitude = static_cast<double>(bits & ~format.sign());
  return bits & format.sign() ? -magnitude : magnitude;
}

bool agrees(DType dtype, Bits expected, Bits actual,
            const Agreement &agreement) {
  if (expected == actual)
    return true;
  if (!isFloat(dtype))
    return false;
  const double e = valueOf(dtype, expected), a = valueOf(dtype, actual);
  if (std::isnan(e) || std::isnan(a))
    return std::isnan(e) && std::isnan(a);
  if (e == 0 && a == 0)
    return agreement.eitherZero;
  if (std::signbit(e) != std::signbit(a))
    return false;
  const double least = dtype == DType::f64 ? 0x1p-1022 : 0x1p-126;
  if (agreement.mayFlush && std::fabs(e) < least && std::fabs(a) < least)
    return true;
  const double distance =
      std::fabs(ordinal(dtype, expected) - ordinal(dtype, actual));
  if (e == 0 || a == 0)
    return distance <= std::min(agreement.ulps, 2.);
  return std::isinf(e) == std::isinf(a) && distance <= agreement.ulps;
}

} // namespace

std::vector<Bits> test::specialValues(DType dtype) {
  std::vector<Bits> values = dtype == DType::i1 ? std::vector<Bits>{0, 1}
                             : isFloat(dtype)   ? specialFloats(dtype)
                                                : specialIntegers(dtype);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

Bits test::bitsOf(DType dtype, double value) {
  return withStorage(dtype, [&]<typename T>(T) {
    T element;
    if constexpr (std::is_same_v<T, bool>)
      element = value != 0;
    else if constexpr (std::is_integral_v<T>)
      element = static_cast<T>(static_cast<int64_t>(value));
    else
      element = static_cast<T>(value);
    Bits bits = 0;
    std::memcpy(&bits, &element, sizeof element);
    return bits;
  });
}

double test::valueOf(DType dtype, Bits bits) {
  return withStorage(dtype, [&]<typename T>(T element) {
    std::memcpy(&element, &bits, sizeof element);
    return static_cast<double>(element);
  });
}

std::string test::constantText(DType dtype, Bits bits) {
  if (dtype == DType::i1)
    return bits ? "true" : "false";
  if (!isFloat(dtype))
    return describe(dtype, bits);
  char text[24];
  std::snprintf(text, sizeof text, "0x%0*llX",
                2 * static_cast<int>(byteWidth(dtype)),
                static_cast<unsigned long long>(bits));
  return text;
}

std::string test::describe(DType dtype, Bits bits) {
  char text[40];
  if (isFloat(dtype)) {
    std::snprintf(text, sizeof text, "%.17g", valueOf(dtype, bits));
    return text;
  }
  if (isUnsigned(dtype) || dtype == DType::i1)
    return std::to_string(bits);
  const int unused = 64 - 8 * static_cast<int>(byteWidth(dtype));
  return std::to_string(static_cast<int64_t>(bits << unused) >> unused);
}

Bits test::getElement(const Tensor &tensor, int64_t index) {
  const size_t width = byteWidth(tensor.dtype());
  Bits bits = 0;
  std::memcpy(&bits, tensor.as<char>() + index * width, width);
  return bits;
}

void test::setElement(Tensor &tensor, int64_t index, Bits bits) {
  const size_t width = byteWidth(tensor.dtype());
  std::memcpy(tensor.as<char>() + index * width, &bits, width);
}

std::optional<int64_t> test::findDifference(const Tensor &expected,
                                            const Tensor &actual,
                                            const Agreement &agreement) {
  for (int64_t i = 0; i < expected.shape().numElements(); ++i)
    if (!agrees(expected.dtype(), getElement(expected, i),
                getElement(actual, i), agreement))
      return i;
  return std::nullopt;
}
