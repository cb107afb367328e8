//===- ZeroGradients.cpp - Ops whose gradients are zero -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Dialect/Tandem/IR/GradientBuilder.h"

using namespace mlir;

namespace tandem::ir {

/// Defines the gradient of a function that is constant between jumps, or that
/// is not of floats: nothing is added, which stands for zero.
#define TANDEM_ZERO_GRADIENT(OP)                                               \
  LogicalResult OP::buildGradients(GradientBuilder &) { return success(); }
TANDEM_ZERO_GRADIENT(SignOp)
TANDEM_ZERO_GRADIENT(FloorOp)
TANDEM_ZERO_GRADIENT(CeilOp)
TANDEM_ZERO_GRADIENT(RoundOp)
TANDEM_ZERO_GRADIENT(LogicalNotOp)
TANDEM_ZERO_GRADIENT(BitwiseNotOp)
TANDEM_ZERO_GRADIENT(BitcastOp)
TANDEM_ZERO_GRADIENT(CompareOp)
TANDEM_ZERO_GRADIENT(LogicalAndOp)
TANDEM_ZERO_GRADIENT(LogicalOrOp)
TANDEM_ZERO_GRADIENT(BitwiseAndOp)
TANDEM_ZERO_GRADIENT(BitwiseOrOp)
TANDEM_ZERO_GRADIENT(BitwiseXorOp)
TANDEM_ZERO_GRADIENT(ShiftLeftOp)
TANDEM_ZERO_GRADIENT(ShiftRightOp)
TANDEM_ZERO_GRADIENT(RandomOp)
TANDEM_ZERO_GRADIENT(StopGradientOp)
#undef TANDEM_ZERO_GRADIENT

} // namespace tandem::ir
