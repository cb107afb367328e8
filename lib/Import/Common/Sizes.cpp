//===- Sizes.cpp - Sizes of dims that may be free -------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Common/Sizes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

namespace tandem::importer {

std::optional<Size> add(const Size &lhs, const Size &rhs) {
  if (lhs == Size(0))
    return rhs;
  if (rhs == Size(0))
    return lhs;
  Size sum = lhs;
  if (lhs.dims != rhs.dims ||
      llvm::AddOverflow(lhs.factor, rhs.factor, sum.factor))
    return std::nullopt;
  if (sum.factor == 0)
    sum.dims.clear();
  return sum;
}

std::optional<Size> multiply(const Size &lhs, const Size &rhs) {
  Size product;
  if (llvm::MulOverflow(lhs.factor, rhs.factor, product.factor))
    return std::nullopt;
  if (product.factor == 0)
    return product;
  product.dims = lhs.dims;
  product.dims.append(rhs.dims);
  llvm::sort(product.dims);
  return product;
}

std::optional<Size> divide(const Size &lhs, const Size &rhs) {
  // The least integer has no negative.
  if (rhs.factor == 0 ||
      (rhs.factor == -1 && lhs.factor == std::numeric_limits<int64_t>::min()))
    return std::nullopt;
  if (lhs.dims.empty() && rhs.dims.empty())
    return Size(lhs.factor / rhs.factor);
  if (lhs.factor % rhs.factor != 0 ||
      !std::includes(lhs.dims.begin(), lhs.dims.end(), rhs.dims.begin(),
                     rhs.dims.end()))
    return std::nullopt;
  Size quotient(lhs.factor / rhs.factor);
  std::set_difference(lhs.dims.begin(), lhs.dims.end(), rhs.dims.begin(),
                      rhs.dims.end(), std::back_inserter(quotient.dims));
  return quotient;
}

std::optional<Size> divideExactly(const Size &lhs, const Size &rhs) {
  std::optional<Size> quotient = divide(lhs, rhs);
  return quotient && multiply(*quotient, rhs) == lhs ? quotient : std::nullopt;
}

int64_t toInteger(double value) {
  constexpr double limit = 0x1p63;
  if (value >= limit)
    return std::numeric_limits<int64_t>::max();
  if (value <= -limit)
    return std::numeric_limits<int64_t>::min();
  return value == value ? static_cast<int64_t>(value) : 0;
}

std::optional<Size> productOf(llvm::ArrayRef<Size> sizes) {
  Size product(1);
  for (const Size &size : sizes) {
    std::optional<Size> next = multiply(product, size);
    if (!next)
      return std::nullopt;
    product = *next;
  }
  return product;
}

} // namespace tandem::importer
