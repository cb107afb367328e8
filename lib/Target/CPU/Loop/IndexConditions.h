//===- IndexConditions.h - Branches that depend on indices ------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a pad or a concat, the index of an element decides where it comes from.
// Conditions that are constant along a row are evaluated once per row (loop
// unswitching), and rows are split where the other conditions change (index set
// splitting), so that no branches are left in the loops over vectors. See Allen
// and Kennedy, Optimizing Compilers for Modern Architectures, 2001, ch. 5.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_LOOP_INDEXCONDITIONS_H
#define TANDEM_LIB_TARGET_CPU_LOOP_INDEXCONDITIONS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace tandem {

/// Comparisons of a body with their known results.
using KnownConditions = llvm::DenseMap<mlir::Value, bool>;

/// The value of `condition`, a comparison or a conjunction of comparisons; none
/// where it is not known.
std::optional<bool> evaluateCondition(mlir::Value condition,
                                      const KnownConditions &known);

/// By how much an index in the body of `op` increases per iteration of `loop`;
/// none where that is not constant.
std::optional<int64_t> getStepOfIndex(mlir::Value index, unsigned loop,
                                      mlir::linalg::GenericOp op);
/// The same of an expression of the loops.
std::optional<int64_t> getStepOfExpr(mlir::AffineExpr expr, unsigned loop,
                                     unsigned numLoops);

/// The comparisons of indices in the body of `op`, whose loops have known
/// sizes. The lanes of a vector run along loop `laneLoop` and through all loops
/// inside it; the indices of the inner loops are constant in each lane.
class IndexConditions {
public:
  IndexConditions(mlir::linalg::GenericOp op, unsigned laneLoop);

  /// Whether, within the ranges of getBorders, every comparison that involves
  /// an index of the lanes' loops is constant in each lane.
  bool areConstantInside() const;

  /// The ranges of the lanes' loop within which no comparison of its index
  /// alone changes, as ascending borders from 0 to the loop's size.
  llvm::SmallVector<int64_t> getBorders() const;
  /// Adds to `known` the results of these comparisons at `index`.
  void learn(int64_t index, KnownConditions &known) const;

  /// Finds a comparison that is the same in all lanes and that decides a
  /// reachable branch; null where there is none.
  mlir::arith::CmpIOp findUniform(const KnownConditions &known) const;

private:
  /// A comparison as a linear form: lhs - rhs as a sum over the loops' indices.
  struct Comparison {
    mlir::arith::CmpIOp op;
    llvm::SmallVector<int64_t> factors;
    int64_t constant = 0;

    /// Whether all loops with a factor that is not 0 are within [begin, end).
    bool isOfLoops(unsigned begin, unsigned end) const;
    bool evaluate(unsigned loop, int64_t index) const;
  };
  bool isAlongLanes(const Comparison &comparison) const;
  void add(mlir::arith::CmpIOp op);
  mlir::arith::CmpIOp findUniform(mlir::Block &block,
                                  const KnownConditions &known) const;
  mlir::arith::CmpIOp findUniformLeaf(mlir::Value condition,
                                      const KnownConditions &known) const;

  mlir::Block *body;
  llvm::SmallVector<int64_t> sizes;
  unsigned laneLoop;
  llvm::SmallVector<Comparison> comparisons;
  /// Whether the body has comparisons that are not of this form.
  bool hasOthers = false;
};

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_LOOP_INDEXCONDITIONS_H
