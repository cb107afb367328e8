//===- OpFusionInfo.h - Properties of one op for fusion ---------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_FUSION_DECISION_OPFUSIONINFO_H
#define TANDEM_LIB_FUSION_DECISION_OPFUSIONINFO_H

#include "tandem/Fusion/FusionDecision.h"
#include "tandem/Fusion/FusionPlan.h"

#include "mlir/IR/Operation.h"

#include "llvm/ADT/SmallVector.h"

namespace tandem {

/// How a loop moves through a value: by `step` indices along dim `dim`, or not
/// at all (-1).
struct AccessStride {
  int64_t dim = -1;
  int64_t step = 0;
  /// Whether an element is read only if its index is inside the value, as in a
  /// pad. Such reads are not transposed in tiles.
  bool isGuarded = false;

  /// The distance of one step, in elements of a row-major value of shape
  /// `shape`.
  int64_t distance(mlir::ArrayRef<int64_t> shape) const;
  /// The stride of the innermost loop over a result of shape `shape`.
  static AccessStride innermost(mlir::ArrayRef<int64_t> shape);
};

/// How one evaluation of an op reads one of its operands.
struct OperandAccess {
  /// The number of elements that are read.
  int64_t reads = 1;
  /// Whether the element is read at the index of the result.
  bool identity = false;
  /// Whether the operand is a constant with equal elements, which becomes part
  /// of the code.
  bool isSplat = false;
  /// Whether the op reads this operand only for a part of the elements of its
  /// result. This holds for pad and concat.
  bool isGuarded = false;
  /// For each dim of the result, the stride in the operand that a step along
  /// the dim causes. Empty if `identity`.
  llvm::SmallVector<AccessStride, 0> strides;

  /// The stride in the operand that a stride through the result causes.
  AccessStride follow(const AccessStride &result) const;
};

/// The properties of a single op that fusion needs. They come from the op's
/// interfaces.
struct OpFusionInfo {
  /// Whether the op can be computed element by element in a kernel.
  FusionDecision inLoop = FusionDecision::allow();
  /// Whether the op costs nothing as an op step, because its result has the
  /// same bytes as its operand, or is a part of a value that is in memory
  /// anyway.
  bool isView = false;
  /// Element reads per element of the result, as in OpCost::reads.
  int64_t reads = 1;
  /// The number of element reads in the code of one element. It equals `reads`,
  /// except for a concat, whose code has one read of each operand and chooses
  /// among them by the element's index.
  int64_t bodyReads = 1;
  int64_t elements = 0;
  double flopsPerElement = 0;
  int64_t elementBytes = 4;
  int64_t resultBytes = 0;
  /// Bytes of all operands.
  int64_t operandBytes = 0;
  /// How each operand is read. Empty for ops that cannot be part of a loop.
  llvm::SmallVector<OperandAccess, 0> accesses;
};

/// The size of a value of static shape, and of one of its elements, in bytes.
int64_t getBytes(mlir::Value value);
int64_t getElementBytes(mlir::Value value);

OpFusionInfo getFusionInfo(mlir::Operation *op, const FusionOptions &options);

} // namespace tandem

#endif // TANDEM_LIB_FUSION_DECISION_OPFUSIONINFO_H
