//===- Compare.h - Comparing tensors within the tolerance model -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_COMPARE_H
#define TANDEM_RUNTIME_COMPARE_H

#include "tandem/Runtime/Program.h"
#include "tandem/Runtime/Tensor.h"

namespace tandem {

/// The tolerance of one output: |actual - expected| <= relative *
/// max(|expected|, scale), scale being the largest magnitude in `expected` (a
/// normwise bound; Higham, Accuracy and Stability of Numerical Algorithms, 2nd
/// ed., ch. 3). Integers and i1 must be equal. NaN equals NaN, infinities their
/// equals.
struct Tolerance {
  double relative = 0;
};

/// eps * (8 * D + 2 * sqrt(K)) for a float output, 0 for others: eps of the
/// coarsest float type on the way from the inputs, D the most rounding ops on
/// any way, K the longest chain of additions, that is the sum of reduction
/// sizes along the worst way. `program` is an eager program: of kernel steps
/// nothing is known. Documented in docs/Measuring.md.
Tolerance toleranceFor(const Program &program, size_t output,
                       std::span<const TensorType> inputs);

struct Difference {
  double maxAbsolute = 0;
  double maxRelative = 0;
  /// Units in the last place of the output's dtype.
  double maxUlp = 0;
  /// Elements beyond the tolerance, and the flat index of the worst.
  int64_t mismatches = 0;
  int64_t worstIndex = -1;
  double expected = 0, actual = 0;
};

/// The types of both must be equal.
Difference compare(const Tensor &expected, const Tensor &actual,
                   Tolerance tolerance);

/// Fills with a reproducible stream: floats uniform in [-1, 1), integers in
/// [0, 8), i1 fair coins.
void fillRandom(Tensor &tensor, uint64_t seed);

} // namespace tandem

#endif // TANDEM_RUNTIME_COMPARE_H
