//===- LoopSpace.h - Which loops of a kernel become one --------*- C++ -*-===//
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

/// The map from the loops of emission to those of the kernel: runs of adjacent
/// loops become one where every read steps through them as through one.
class LoopSpace {
public:
  /// Every loop by itself; `add` what reads and writes, then `merge`.
  explicit LoopSpace(llvm::ArrayRef<int64_t> oldSizes);
  void addReads(const ElementalEmitter &emitter);
  void addAccess(llvm::ArrayRef<mlir::AffineExpr> index,
                 llvm::ArrayRef<int64_t> shape);
  /// No loop before `loop` merges with one from there on.
  void splitBefore(unsigned loop);
  void merge();

  llvm::ArrayRef<int64_t> getSizes() const { return sizes; }
  /// The new loop that an old one belongs to.
  unsigned getNewLoop(unsigned oldLoop) const { return newLoop[oldLoop]; }

  /// The expression over new loops; null where it tells merged loops apart.
  mlir::AffineExpr rewrite(mlir::AffineExpr expr) const;

  /// How `index` reads a tensor of `shape` in terms of the new loops: the
  /// groups of tensor dims to collapse (none where every dim is of size 1), and
  /// an expression for each.
  struct Access {
    llvm::SmallVector<llvm::SmallVector<int64_t, 2>> groups;
    llvm::SmallVector<int64_t> shape;
    ElementIndex index;
  };
  Access getAccess(llvm::ArrayRef<mlir::AffineExpr> index,
                   llvm::ArrayRef<int64_t> shape) const;

private:
  /// Whether the coefficients step through old loops `outer` and outer + 1 as
  /// through one.
  bool isContiguous(const LinearForm &form, unsigned outer) const;
  void separate(mlir::AffineExpr expr);

  llvm::SmallVector<int64_t> oldSizes, sizes;
  /// mergeable[i]: old loops i and i + 1 become one.
  llvm::SmallVector<bool> mergeable;
  llvm::SmallVector<unsigned> newLoop;
};

} // namespace tandem

#endif // TANDEM_LIB_CONVERSION_TANDEMTOLINALG_LOOPSPACE_H
