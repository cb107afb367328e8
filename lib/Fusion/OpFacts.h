//===- OpFacts.h - What fusion asks of one op ------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_FUSION_OPFACTS_H
#define TANDEM_LIB_FUSION_OPFACTS_H

#include "tandem/Fusion/FusionDecision.h"
#include "tandem/Fusion/FusionPlan.h"

#include "mlir/IR/Operation.h"

namespace tandem {

/// What fusion needs to know of an op by itself, asked of its interfaces.
struct OpFacts {
  /// Whether the op can be computed element by element in a kernel.
  FusionDecision inLoop = FusionDecision::allow();
  /// Its result has the operand's bytes: it costs nothing as an op step.
  bool isView = false;
  /// As OpCost::reads.
  int64_t reads = 1;
  int64_t elements = 0;
  double flopsPerElement = 0;
  int64_t elementBytes = 4;
  int64_t resultBytes = 0;
  /// Of all operands.
  int64_t operandBytes = 0;
};

/// Of a value of static shape.
int64_t getBytes(mlir::Value value);

OpFacts getFacts(mlir::Operation *op, const FusionOptions &options);

/// How one evaluation of an op reads one of its operands.
struct OperandAccess {
  /// Elements read.
  int64_t reads = 1;
  /// At the index of the result's element itself.
  bool identity = false;
};
OperandAccess getAccess(mlir::OpOperand &operand, const OpFacts &facts);

} // namespace tandem

#endif // TANDEM_LIB_FUSION_OPFACTS_H
