//===- ScaledWeights.h - Weights as integers and scales ---------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_DIALECT_TANDEM_TRANSFORMS_INTEGERS_SCALEDWEIGHTS_H
#define TANDEM_LIB_DIALECT_TANDEM_TRANSFORMS_INTEGERS_SCALEDWEIGHTS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

#include <optional>

namespace tandem {

/// Weights that an op multiplies of numbers and scales.
struct ScaledWeights {
  /// In f32, in the shape of the weights. If they are integers of 8 bits, the
  /// weights have factors (ir::WeightFactors).
  mlir::Value numbers;
  /// In f32. They broadcast to `scalesType`.
  mlir::Value scales;
  /// See ir::WeightFactors.
  mlir::RankedTensorType scalesType;
  int64_t inputsPerScale = 0;
};

/// Describes `weights` if each is the product of a number that was an integer
/// of 8 bits or fewer, with or without a zero point, and the scale of a block
/// of inputs, and if a matmul in f32 multiplies by them. Nothing for others.
std::optional<ScaledWeights> matchScaledWeights(mlir::Value weights);

} // namespace tandem

#endif // TANDEM_LIB_DIALECT_TANDEM_TRANSFORMS_INTEGERS_SCALEDWEIGHTS_H
