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

/// For each element of a tensor, in row-major order, the largest |actual -
/// expected| that a correct result may have. A bound is infinite where a
/// correct result may be anything. An empty vector means a bound of zero for
/// all elements. tandem/Runtime/ErrorBounds.h computes them.
using ErrorBounds = std::vector<double>;

/// The distance from 1 to the next larger float of the type; 0 for integers and
/// i1.
double epsilonOf(DType dtype);
/// The smallest positive (subnormal) float of the type; 0 for integers and i1.
double leastPositive(DType dtype);

/// A bound larger than this share of the largest result is weak: it would let
/// wrong results pass.
inline constexpr double kWeakBound = 0.1;

/// How two tensors differ, measured against error bounds.
struct Difference {
  /// Number of elements that were compared: those whose bound is finite.
  int64_t compared = 0;
  /// Number of elements that were not compared, because their bound is
  /// infinite.
  int64_t unbounded = 0;
  /// The largest absolute and the largest relative difference.
  double maxAbsolute = 0;
  double maxRelative = 0;
  /// The largest difference in units in the last place of the output's dtype.
  double maxUlp = 0;
  /// Number of elements whose difference exceeds their bound.
  int64_t mismatches = 0;
  /// The flat index of the element that exceeds its bound by most, or else
  /// comes nearest to it; -1 where all elements are equal. `expected`, `actual`
  /// and `bound` are of this element.
  int64_t worstIndex = -1;
  double expected = 0, actual = 0, bound = 0;
  /// The largest finite bound, and the largest finite |expected| among the
  /// elements that were compared.
  double maxBound = 0, maxExpected = 0;

  /// Whether every element is within its bound. A non-empty tensor in which no
  /// element could be compared does not agree.
  bool agrees() const {
    return mismatches == 0 && (compared > 0 || unbounded == 0);
  }
  /// Whether the bounds are so large that wrong results could pass: some bound
  /// is more than kWeakBound times the largest result, or most elements may be
  /// anything.
  bool isWeak() const {
    return maxBound > kWeakBound * maxExpected || unbounded > compared;
  }
};

/// The largest finite magnitude of the elements; 0 where there is none.
double largestMagnitude(const Tensor &tensor);

/// Compares two tensors of equal type, element by element. A NaN equals any
/// NaN, and an infinity equals itself. Where the expected value plus its bound
/// exceeds the largest finite number of the type, an infinity is accepted too.
Difference compare(const Tensor &expected, const Tensor &actual,
                   const ErrorBounds &bounds = {});

/// Compares with one bound for all elements: `relative` times the largest
/// finite magnitude in `expected`. For graphs whose error bounds would take too
/// long to compute.
Difference compareNormwise(const Tensor &expected, const Tensor &actual,
                           double relative);

/// Fills `tensor` with reproducible pseudo-random values: floats are uniform in
/// [-1, 1), integers uniform in [0, 8), and i1 is true with probability one
/// half.
void fillRandom(Tensor &tensor, uint64_t seed);

} // namespace tandem

#endif // TANDEM_RUNTIME_COMPARE_H
