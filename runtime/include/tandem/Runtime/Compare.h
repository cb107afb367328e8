//===- Compare.h - Comparing tensors within error bounds --------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_COMPARE_H
#define TANDEM_RUNTIME_COMPARE_H

#include "tandem/Runtime/Tensor.h"

#include <cstdint>
#include <vector>

namespace tandem {

/// For each element of a tensor, row-major, the largest |actual - expected| of
/// a correct result; infinite where a correct result may be anything. Empty:
/// zero for all. See tandem/Runtime/ErrorBounds.h.
using ErrorBounds = std::vector<double>;

/// The distance from 1 to the next larger float of the type; 0 for integers and
/// i1.
double epsilonOf(DType dtype);
/// The least positive float of the type; 0 for integers and i1.
double leastPositive(DType dtype);

struct Difference {
  /// Elements that were compared: those whose bound is finite.
  int64_t compared = 0;
  /// Elements that were not.
  int64_t unbounded = 0;
  double maxAbsolute = 0;
  double maxRelative = 0;
  /// Units in the last place of the output's dtype.
  double maxUlp = 0;
  /// Elements beyond their bound.
  int64_t mismatches = 0;
  /// The flat index of the element that is farthest beyond its bound, or
  /// nearest to it; -1 where all are equal. Below: what it is, and its bound.
  int64_t worstIndex = -1;
  double expected = 0, actual = 0, bound = 0;
  /// The largest finite bound, and the largest finite |expected| among the
  /// elements that were compared.
  double maxBound = 0, maxExpected = 0;

  /// Every element is within its bound, and there was one to compare, or the
  /// tensor is empty.
  bool agrees() const {
    return mismatches == 0 && (compared > 0 || unbounded == 0);
  }
  /// Whether a bound is so large beside the results that wrong ones could pass:
  /// above a tenth of the largest, or most elements may be anything.
  bool isWeak() const {
    return maxBound > 0.1 * maxExpected || unbounded > compared;
  }
};

/// Compares tensors of equal type, element by element. A NaN equals a NaN and
/// an infinity itself; a number whose bound reaches past the largest of its
/// type may be an infinity.
Difference compare(const Tensor &expected, const Tensor &actual,
                   const ErrorBounds &bounds = {});

/// The same with one bound for all elements, `relative` times the largest
/// finite magnitude in `expected`: where nothing better can be afforded.
Difference compareNormwise(const Tensor &expected, const Tensor &actual,
                           double relative);

/// Fills with a reproducible stream: floats uniform in [-1, 1), integers in
/// [0, 8), i1 fair coins.
void fillRandom(Tensor &tensor, uint64_t seed);

} // namespace tandem

#endif // TANDEM_RUNTIME_COMPARE_H
