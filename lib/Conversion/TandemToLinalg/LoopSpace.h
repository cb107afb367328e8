//===- LoopSpace.h - Merging the loops of a kernel --------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_CONVERSION_TANDEMTOLINALG_LOOPSPACE_H
#define TANDEM_LIB_CONVERSION_TANDEMTOLINALG_LOOPSPACE_H

#include "ElementalEmitter.h"

namespace tandem {

/// Maps the loops over which elements were emitted to the final loops of a
/// kernel: adjacent loops are merged where every access steps through them as
/// through one loop.
class LoopSpace {
public:
  /// Begins with every loop by itself. Add all reads and writes, then call
  /// merge.
  explicit LoopSpace(llvm::ArrayRef<int64_t> oldSizes);
  void addReads(const ElementalEmitter &emitter);
  void addAccess(llvm::ArrayRef<mlir::AffineExpr> index,
                 llvm::ArrayRef<int64_t> shape);
  /// Keeps the loops before `loop` apart from `loop` and those after it.
  void splitBefore(unsigned loop);
  void merge();

  llvm::ArrayRef<int64_t> getSizes() const { return sizes; }
  /// The final loop that an original loop belongs to.
  unsigned getNewLoop(unsigned oldLoop) const { return newLoop[oldLoop]; }

  /// Rewrites an expression in terms of the final loops; null where it depends
  /// on merged loops separately.
  mlir::AffineExpr rewrite(mlir::AffineExpr expr) const;

  /// How a tensor is accessed in terms of the final loops: the groups of tensor
  /// dims to collapse (none where every dim has size 1), the collapsed shape,
  /// and an index expression for each group.
  struct Access {
    llvm::SmallVector<llvm::SmallVector<int64_t, 2>> groups;
    llvm::SmallVector<int64_t> shape;
    ElementIndex index;
  };
  Access getAccess(llvm::ArrayRef<mlir::AffineExpr> index,
                   llvm::ArrayRef<int64_t> shape) const;

private:
  /// Whether the coefficients step through original loops `outer` and outer + 1
  /// as through one loop.
  bool isContiguous(const LinearForm &form, unsigned outer) const;
  void separate(mlir::AffineExpr expr);
  /// Whether an original loop is one with a neighbor.
  bool isMerged(unsigned loop) const;

  llvm::SmallVector<int64_t> oldSizes, sizes;
  /// mergeable[i] says whether original loops i and i + 1 are merged.
  llvm::SmallVector<bool> mergeable;
  llvm::SmallVector<unsigned> newLoop;
};

} // namespace tandem

#endif // TANDEM_LIB_CONVERSION_TANDEMTOLINALG_LOOPSPACE_H
