//===- WeightFactors.h - The factors of weights -----------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The factors of constant weights that are products of integers and scales, as
// an attribute `tandem.factors` of the constant. A target that can multiply by
// the factors need not read the products.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_DIALECT_TANDEM_IR_WEIGHTFACTORS_H
#define TANDEM_DIALECT_TANDEM_IR_WEIGHTFACTORS_H

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/Operation.h"

#include <optional>

namespace tandem::ir {

/// The factors of a matrix of weights in f32. Each weight is, bit for bit, the
/// product of an integer and a scale.
struct WeightFactors {
  /// Integers of type i8, in the shape of the weights.
  mlir::ElementsAttr values;
  /// Scales in f32. The shape is that of the weights, with the number of blocks
  /// of inputs in place of the number of inputs.
  mlir::ElementsAttr scales;
  /// The number of inputs of a block, the last of which may have fewer.
  int64_t inputsPerScale = 0;
};

/// Notes the factors of the result of `constant`.
void setWeightFactors(mlir::Operation *constant, const WeightFactors &factors);

/// The factors that are noted for `constant`, which may be null; nothing if
/// there are none.
std::optional<WeightFactors> getWeightFactors(mlir::Operation *constant);

} // namespace tandem::ir

#endif // TANDEM_DIALECT_TANDEM_IR_WEIGHTFACTORS_H
