//===- RowSpace.h - The iteration space of reductions -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_FUSION_DECISION_ROWSPACE_H
#define TANDEM_LIB_FUSION_DECISION_ROWSPACE_H

#include "tandem/Dialect/Tandem/IR/TandemOps.h"

#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace tandem {

/// The iteration space of a reduction: the shape that is reduced, and which
/// dims are reduced. A row is the set of points that differ in reduced dims
/// only. A value of the space has either one element for each point (it is
/// full) or one for each row.
class RowSpace {
public:
  /// For each dim of a value, the corresponding dim of the space, or -1 if the
  /// value's dim has size 1.
  using Dims = llvm::SmallVector<int64_t, 4>;

  explicit RowSpace(ir::ReduceOp reduce);

  llvm::ArrayRef<int64_t> shape() const { return sizes; }
  int64_t rows() const;
  /// The dims of a value of the full shape.
  Dims full() const;

  bool isFull(const Dims &dims) const;
  bool isRow(const Dims &dims) const;

  /// Returns the dims of the result of `op` if its operand number `index` has
  /// the dims `operand`. Returns nothing if the result is not a value of the
  /// space, or if a reduction kernel cannot compute the op. Reduction kernels
  /// compute elementwise ops, broadcasts, reshapes of rows, and reductions of
  /// the same dims.
  std::optional<Dims> ofResult(mlir::Operation *op, unsigned index,
                               const Dims &operand) const;
  /// The dims of operand number `index` if the result of `op` has the dims
  /// `result`.
  std::optional<Dims> ofOperand(mlir::Operation *op, unsigned index,
                                const Dims &result) const;

private:
  Dims ofReduce(ir::ReduceOp reduce) const;
  bool reducesSame(ir::ReduceOp reduce) const;

  llvm::SmallVector<int64_t, 4> sizes;
  llvm::SmallVector<bool, 4> reduced;
};

} // namespace tandem

#endif // TANDEM_LIB_FUSION_DECISION_ROWSPACE_H
