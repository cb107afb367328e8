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

/// For each element of a tensor, in row-major order, the largest value of
/// |actual - expected| that a correct result may have. The bound is infinite if
/// a correct result may have any value at that element. An empty vector means a
/// bound of 0 for all elements. evaluateWithBounds
/// (tandem/Runtime/ErrorBounds.h) computes these bounds.
using ErrorBounds = std::vector<double>;

/// The distance from 1 to the next larger number of a floating-point type; 0
/// for integers and i1.
double epsilonOf(DType dtype);
/// The largest relative error of rounding to the nearest number of a
/// floating-point type; 0 for integers and i1.
inline double unitRoundoff(DType dtype) { return epsilonOf(dtype) / 2; }
/// The smallest positive (subnormal) number of a floating-point type; 0 for
/// integers and i1.
double leastPositive(DType dtype);

/// The threshold for weak error bounds, as a fraction of the largest expected
/// magnitude of a tensor. A bound above this threshold is weak, because wrong
/// results could be within the bound.
inline constexpr double kWeakBound = 0.1;

/// The differences between two tensors, measured against error bounds.
struct Difference {
  /// Number of elements that were compared, which are the elements with a
  /// finite bound.
  int64_t compared = 0;
  /// Number of elements that were not compared because their bound is infinite.
  int64_t unbounded = 0;
  /// The largest absolute difference, and the largest difference divided by
  /// |expected|. Both are infinite if one of two compared elements is a NaN or
  /// an infinity and the other element differs from it.
  double maxAbsolute = 0;
  double maxRelative = 0;
  /// The largest difference in units in the last place of the tensors' dtype.
  double maxUlp = 0;
  /// Number of elements whose difference exceeds their bound.
  int64_t mismatches = 0;
  /// Flat row-major index of the element with the largest ratio of difference
  /// to bound; -1 if all compared elements are equal. `expected`, `actual` and
  /// `bound` belong to this element.
  int64_t worstIndex = -1;
  double expected = 0, actual = 0, bound = 0;
  /// The largest finite bound, and the largest finite |expected|, of all
  /// compared elements.
  double maxBound = 0, maxExpected = 0;

  /// True if every element is within its bound. False for a non-empty tensor in
  /// which no element could be compared.
  bool agrees() const {
    return mismatches == 0 && (compared > 0 || unbounded == 0);
  }
  /// True if the bounds are so large that wrong results could pass: the largest
  /// finite bound exceeds kWeakBound times the largest |expected|, or most
  /// elements have an infinite bound.
  bool isWeak() const {
    return maxBound > kWeakBound * maxExpected || unbounded > compared;
  }
};

/// The largest finite |element| of a tensor in host memory; 0 if there is none.
double largestMagnitude(const Tensor &tensor);

/// Compares two tensors of equal type in host memory, element by element.
/// `bounds` is empty or has one entry per element. Two NaNs are equal, and two
/// infinities of the same sign are equal. If the expected value plus its bound
/// exceeds the largest finite number of the type, an infinity with the sign
/// of the expected value is also accepted.
Difference compare(const Tensor &expected, const Tensor &actual,
                   const ErrorBounds &bounds = {});

/// Compares two tensors with the same bound for all elements: `relative` times
/// the largest finite magnitude in `expected`. The bound is 0 for integers and
/// i1. Use this function for graphs whose error bounds would take too long to
/// compute.
Difference compareNormwise(const Tensor &expected, const Tensor &actual,
                           double relative);

/// Fills a tensor in host memory with reproducible pseudo-random values. Floats
/// are uniform in [-1, 1), integers are uniform in [0, 8), and an i1 is true
/// with probability 1/2. Each element depends only on `seed` and on its index.
/// The generator is SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
void fillRandom(Tensor &tensor, uint64_t seed);

/// Does the same, except that integers of 8 bits are uniform in the whole range
/// of their type. Sums of products of smaller integers cannot show that a
/// kernel saturates, or confuses signed and unsigned integers.
void fillRandomBytes(Tensor &tensor, uint64_t seed);

} // namespace tandem

#endif // TANDEM_RUNTIME_COMPARE_H
