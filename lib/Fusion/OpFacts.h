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

#include "llvm/ADT/SmallVector.h"

namespace tandem {

/// How a loop moves through a value: by `step` along one of its dims, or not at
/// all (-1).
struct Motion {
  int64_t dim = -1;
  int64_t step = 0;

  /// In elements of a row-major value of such a shape.
  int64_t stride(mlir::ArrayRef<int64_t> shape) const;
  /// Of the innermost loop over a result of such a shape.
  static Motion innermost(mlir::ArrayRef<int64_t> shape);
};

/// How one evaluation of an op reads one of its operands.
struct OperandAccess {
  /// Elements read.
  int64_t reads = 1;
  /// At the index of the result's element itself.
  bool identity = false;
  /// One number, which is part of the code.
  bool isSplat = false;
  /// By dim of the result: where a step along it leads in the operand. Empty
  /// where identity.
  llvm::SmallVector<Motion, 0> motions;

  /// Where what leads so through the result leads in the operand.
  Motion follow(const Motion &result) const;
};

/// What fusion needs to know of an op by itself, asked of its interfaces.
struct OpFacts {
  /// Whether the op can be computed element by element in a kernel.
  FusionDecision inLoop = FusionDecision::allow();
  /// Its result has the operand's bytes: it costs nothing as an op step.
  bool isView = false;
  /// As OpCost::reads.
  int64_t reads = 1;
  /// Reads in the code of one element: `reads`; of a concat one of each
  /// operand, among which the element's index chooses.
  int64_t bodyReads = 1;
  int64_t elements = 0;
  double flopsPerElement = 0;
  int64_t elementBytes = 4;
  int64_t resultBytes = 0;
  /// Of all operands.
  int64_t operandBytes = 0;
  /// By operand; of ops that can be part of a loop.
  llvm::SmallVector<OperandAccess, 0> accesses;
};

/// Of a value of static shape.
int64_t getBytes(mlir::Value value);
int64_t getElementBytes(mlir::Value value);

OpFacts getFacts(mlir::Operation *op, const FusionOptions &options);

} // namespace tandem

#endif // TANDEM_LIB_FUSION_OPFACTS_H
