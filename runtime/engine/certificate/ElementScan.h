//===- ElementScan.h - One pass over the elements of tensors ----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to TandemTiering: the passes over inputs and outputs that a
// certificate takes, and the values near jumps.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_ENGINE_CERTIFICATE_ELEMENTSCAN_H
#define TANDEM_RUNTIME_ENGINE_CERTIFICATE_ELEMENTSCAN_H

#include "engine/certificate/Tolerance.h"

#include "tandem/Runtime/Compare.h"

#include <span>
#include <vector>

namespace tandem::tiering {

/// Whether there are several elements, and all have the same bits.
bool isConstant(const Tensor &tensor);
/// Whether no element is infinite or NaN.
bool isFinite(const Tensor &tensor);

/// The elements of a tensor of floats, which are known to a tolerance.
struct ApproximateElements {
  ApproximateElements(const Tensor &tensor, const ValueTolerance &tolerance);

  Shape shape;
  std::vector<double> values;
  /// The bound of element x is relative |x| + floor.
  double relative = 0, floor = 0;
  double boundOf(double x) const;
};

/// Whether all elements are certainly within tolerance: one pass, without a
/// list of bounds. Where it is false, compareWithin says which are not.
bool agree(const Tensor &expected, const Tensor &actual,
           const ValueTolerance &tolerance);
Difference compareWithin(const Tensor &expected, const Tensor &actual,
                         const ValueTolerance &tolerance);
/// Whether all elements are within tolerance.
bool isWithin(const Tensor &expected, const Tensor &actual,
              const ValueTolerance &tolerance);
/// The most by which each element of `actual` may differ. A weak tolerance
/// (ValueTolerance::isWeak) never allows for an infinity in place of a number.
ErrorBounds toleranceBounds(const Tensor &expected, const Tensor &actual,
                            const ValueTolerance &tolerance);

/// The elements of the result of a jump (Jump) whose operands are within
/// tolerance of the jump.
int64_t countNearJump(const OpDesc &op, const TensorType &result,
                      std::span<const Tensor> operands,
                      std::span<const ValueTolerance> tolerances);

} // namespace tandem::tiering

#endif // TANDEM_RUNTIME_ENGINE_CERTIFICATE_ELEMENTSCAN_H
