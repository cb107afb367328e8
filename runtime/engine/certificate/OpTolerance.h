//===- OpTolerance.h - The tolerance of one op's result ---------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_ENGINE_CERTIFICATE_OPTOLERANCE_H
#define TANDEM_RUNTIME_ENGINE_CERTIFICATE_OPTOLERANCE_H

#include "engine/certificate/Tolerance.h"

#include "tandem/Support/ShapeRules.h"

namespace tandem::tiering {

/// An op of a program, one of its results, and what is known of its operands.
struct OpView {
  const OpDesc &op;
  std::vector<TensorType> types;
  std::vector<ValueTolerance> operands;
  const TensorType &result;

  double elements(size_t operand) const {
    return static_cast<double>(types[operand].shape.numElements());
  }
  double elements() const {
    return static_cast<double>(result.shape.numElements());
  }
  /// Whether all executions give the op the same operands.
  bool hasExactOperands() const;
};

/// Returns the tolerance of the result.
ValueTolerance toleranceOf(const OpView &view, Precision precision);

/// Returns the largest number of elements of the result that depend on one
/// element of an operand.
double reach(const OpView &view, size_t operand);

} // namespace tandem::tiering

#endif // TANDEM_RUNTIME_ENGINE_CERTIFICATE_OPTOLERANCE_H
