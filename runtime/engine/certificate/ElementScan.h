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

#include <Eigen/Core>

#include <span>

namespace tandem::tiering {

/// Calls `body` with a value of the type that the floats are stored in; with a
/// float for other dtypes, which have no floats.
template <typename Body> auto withFloatType(DType dtype, Body body) {
  switch (dtype) {
  case DType::f16:
    return body(Eigen::half{});
  case DType::bf16:
    return body(Eigen::bfloat16{});
  case DType::f64:
    return body(double{});
  case DType::f32:
  case DType::i1:
#define TANDEM_INTEGER(name, ...) case DType::name:
#include "tandem/Support/DTypes.def"
    break;
  }
  return body(float{});
}

/// Whether there are several elements, and all have the same bits.
bool isConstant(const Tensor &tensor);
/// Whether no element is infinite or NaN.
bool isFinite(const Tensor &tensor);

/// A tensor whose elements are known to a tolerance.
struct ApproximateTensor {
  const Tensor &tensor;
  /// The bound of element x is relative |x| + floor.
  double relative = 0, floor = 0;

  /// Takes the root mean square of the finite elements where the tolerance
  /// asks for it.
  static ApproximateTensor of(const Tensor &tensor,
                              const ValueTolerance &tolerance);
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
