//===- IndexConditions.h - Branches that depend on indices ------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pad or a concat decides by an element's index where it comes from. What is
// the same along a row is decided once for each row (loop unswitching), and a
// row is cut where the rest changes (index set splitting), so that the loops
// over vectors have no branches left: Allen and Kennedy, Optimizing Compilers
// for Modern Architectures, 2001, ch. 5.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_LOOP_INDEXCONDITIONS_H
#define TANDEM_LIB_TARGET_CPU_LOOP_INDEXCONDITIONS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace tandem {

/// Comparisons of a body whose results are known.
using KnownConditions = llvm::DenseMap<mlir::Value, bool>;

/// What `condition`, a comparison or a conjunction of such, is; none where that
/// is open.
std::optional<bool> evaluateCondition(mlir::Value condition,
                                      const KnownConditions &known);

/// By how much an index of the body of `op` grows with the index of `loop`;
/// none where that is not constant.
std::optional<int64_t> getStepOfIndex(mlir::Value index, unsigned loop,
                                      mlir::linalg::GenericOp op);
/// The same of an expression of the loops.
std::optional<int64_t> getStepOfExpr(mlir::AffineExpr expr, unsigned loop,
                                     unsigned numLoops);

/// The comparisons of indices in the body of `op`, which has loops of known
/// sizes. The lanes of a vector lie along loop `laneLoop`, and through all
/// loops inside it, which have constant indices in each lane.
class IndexConditions {
public:
  IndexConditions(mlir::linalg::GenericOp op, unsigned laneLoop);

  /// Whether the lanes know every comparison that involves an index of their
  /// loops, within the ranges below.
  bool areConstantInside() const;

  /// Ranges of the lanes' loop, as their ascending borders from 0 to its size,
  /// within which no comparison of its index alone changes.
  llvm::SmallVector<int64_t> getBorders() const;
  /// Adds to `known` what these comparisons are at an index.
  void learn(int64_t index, KnownConditions &known) const;

  /// A comparison that is the same in all lanes and decides a
  /// branch that may be reached; null where there is none.
  mlir::arith::CmpIOp findUniform(const KnownConditions &known) const;

private:
  /// lhs - rhs, as a sum over the loops' indices.
  struct Comparison {
    mlir::arith::CmpIOp op;
    llvm::SmallVector<int64_t> factors;
    int64_t constant = 0;

    /// Whether the loops that count are all within [begin, end).
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
  /// Whether there are some that are none of these.
  bool hasOthers = false;
};

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_LOOP_INDEXCONDITIONS_H
