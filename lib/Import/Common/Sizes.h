//===- Sizes.h - Sizes of dims that may be free -----------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_IMPORT_COMMON_SIZES_H
#define TANDEM_LIB_IMPORT_COMMON_SIZES_H

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace tandem::importer {

/// A number that shapes are computed with: an integer, or an integer times free
/// dims, such as 49·N. Free dims are numbered; each is at least 0.
class Size {
public:
  Size(int64_t value = 0) : factor(value) {}
  static Size ofDim(unsigned dim) {
    Size size(1);
    size.dims.push_back(dim);
    return size;
  }

  std::optional<int64_t> value() const {
    return dims.empty() ? std::optional(factor) : std::nullopt;
  }
  bool operator==(const Size &) const = default;
  /// The free dims, in ascending order, each as often as it is a factor.
  llvm::ArrayRef<unsigned> freeDims() const { return dims; }

  friend std::optional<Size> add(const Size &lhs, const Size &rhs);
  friend std::optional<Size> multiply(const Size &lhs, const Size &rhs);
  friend std::optional<Size> divide(const Size &lhs, const Size &rhs);

private:
  int64_t factor;
  llvm::SmallVector<unsigned, 2> dims;
};

// Nothing where the result is not of this form, or overflows.
std::optional<Size> add(const Size &lhs, const Size &rhs);
std::optional<Size> multiply(const Size &lhs, const Size &rhs);
/// The quotient where it is exact; of integers, where `rhs` is not 0, the one
/// that is truncated towards zero.
std::optional<Size> divide(const Size &lhs, const Size &rhs);

/// The quotient where there is no remainder, whatever the free dims are.
std::optional<Size> divideExactly(const Size &lhs, const Size &rhs);

/// A number without its fraction: the nearest i64, and 0 for NaN.
int64_t toInteger(double value);

using Sizes = llvm::SmallVector<Size, 4>;

/// The product of all; nothing where it overflows.
std::optional<Size> productOf(llvm::ArrayRef<Size> sizes);

} // namespace tandem::importer

#endif // TANDEM_LIB_IMPORT_COMMON_SIZES_H
