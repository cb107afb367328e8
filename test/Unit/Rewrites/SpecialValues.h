//===- SpecialValues.h - Values at the edges of types -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TEST_UNIT_REWRITES_SPECIALVALUES_H
#define TANDEM_TEST_UNIT_REWRITES_SPECIALVALUES_H

#include "tandem/Runtime/Tensor.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tandem::test {

/// The bits of a value of `dtype` in its lowest bits.
using Bits = uint64_t;

/// Zeros of both signs, infinities, NaN, subnormal numbers, the least normal
/// and the largest one, and numbers whose powers, sums and products are at the
/// edges; of integers the extremes; both truth values.
std::vector<Bits> specialValues(DType dtype);

/// The bits of the number, rounded to the type. An integer of 64 bits is
/// written by its bits instead.
Bits bitsOf(DType dtype, double value);
/// The value of a float.
double valueOf(DType dtype, Bits bits);
/// The constant as MLIR's dense<> takes it: hexadecimal for floats.
std::string constantText(DType dtype, Bits bits);
/// The value as a person reads it.
std::string describe(DType dtype, Bits bits);

Bits getElement(const Tensor &tensor, int64_t index);
void setElement(Tensor &tensor, int64_t index, Bits bits);

/// How two results may differ that count as equal. Integers and the class of a
/// float (zero, finite, infinite, NaN) never do, nor does a sign, except that
/// of a zero where that is asked for.
struct Agreement {
  /// Units in the last place of the result's type. A zero may be one of the two
  /// least subnormal numbers where these are so near, and the other way round.
  double ulps = 0;
  /// Whether either zero is right, as the dialect's text leaves it open.
  bool eitherZero = false;
  /// Whether a zero, of the right sign, is right for a number that is subnormal
  /// in the type that is computed in.
  bool mayFlush = false;
};

/// The index of an element of `actual` that does not agree with `expected`;
/// nothing where there is none.
std::optional<int64_t> findDifference(const Tensor &expected,
                                      const Tensor &actual,
                                      const Agreement &agreement);

} // namespace tandem::test

#endif // TANDEM_TEST_UNIT_REWRITES_SPECIALVALUES_H
