//===- RowSpace.h - Whole and reduced shapes of one reduction --*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_FUSION_ROWSPACE_H
#define TANDEM_LIB_FUSION_ROWSPACE_H

#include "tandem/Dialect/Tandem/IR/TandemOps.h"

#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace tandem {

/// The space of a reduction: the shape that is reduced, and its reduced dims. A
/// value of the space has an element for each of its points (it is full) or for
/// each of its rows, the points that differ in the reduced dims alone.
class RowSpace {
public:
  /// Dim of the space by dim of a value; -1 where the value's dim has size 1.
  using Dims = llvm::SmallVector<int64_t, 4>;

  explicit RowSpace(ir::ReduceOp reduce);

  llvm::ArrayRef<int64_t> shape() const { return sizes; }
  int64_t rows() const;
  /// Of a value of the full shape.
  Dims full() const;

  bool isFull(const Dims &dims) const;
  bool isRow(const Dims &dims) const;

  /// Where the result of `op` lies in the space if its operand `index` lies at
  /// `operand`; nothing if it does not, or if `op` is not one that a reduction
  /// kernel computes: elementwise, a broadcast, a reshape of rows, a reduce of
  /// the same dims.
  std::optional<Dims> ofResult(mlir::Operation *op, unsigned index,
                               const Dims &operand) const;
  /// Where operand `index` lies if the result of `op` lies at `result`.
  std::optional<Dims> ofOperand(mlir::Operation *op, unsigned index,
                                const Dims &result) const;

private:
  Dims ofReduce(ir::ReduceOp reduce) const;
  bool reducesSame(ir::ReduceOp reduce) const;

  llvm::SmallVector<int64_t, 4> sizes;
  llvm::SmallVector<bool, 4> reduced;
};

} // namespace tandem

#endif // TANDEM_LIB_FUSION_ROWSPACE_H
