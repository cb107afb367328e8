//===- FusionUnits.h - Kernels and op steps in the making ------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_FUSION_FUSIONUNITS_H
#define TANDEM_LIB_FUSION_FUSIONUNITS_H

#include "mlir/IR/Operation.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace tandem {

/// How an op is computed in one kernel.
struct Evaluation {
  /// Times per iteration of the kernel's loops.
  int64_t count = 1;
  /// At the index of the iteration itself, alone.
  bool identity = true;
};

/// A kernel, or an op step, in the making.
struct FusionUnit {
  bool isKernel = false;
  /// The first op that was put in it; its result's shape is the loops' space.
  mlir::Operation *root = nullptr;
  llvm::MapVector<mlir::Operation *, Evaluation> ops;
  /// Values needed by other units or by the terminator.
  llvm::SmallSetVector<mlir::Value, 2> outputs;
  /// Element reads per iteration.
  int64_t bodyReads = 0;

  mlir::ArrayRef<int64_t> space() const;
  int64_t iterations() const;
};

/// The units of a block, and which unit computes what. Ops not yet visited are
/// in none.
class FusionUnits {
public:
  using Id = unsigned;

  explicit FusionUnits(mlir::Block &block);

  Id create(mlir::Operation *root, bool isKernel, int64_t reads);
  /// Computes `op` in `unit` as well.
  void add(mlir::Operation *op, Id unit, Evaluation evaluation, int64_t reads);
  /// Moves all of `from` into `into`.
  void merge(Id into, Id from);

  FusionUnit &operator[](Id id) { return units[id]; }
  const FusionUnit &operator[](Id id) const { return units[id]; }
  Id size() const { return units.size(); }
  llvm::ArrayRef<Id> unitsOf(mlir::Operation *op) const;

  /// Whether `to` needs, directly or not, a result of `from`.
  bool reaches(Id from, Id to);
  /// The same for what needs `value`, `except` not counting as such.
  bool usersReach(mlir::Value value, Id except, Id to);

  /// Position in the block.
  unsigned position(mlir::Operation *op) const { return positions.lookup(op); }

private:
  void pushUsers(mlir::Value value, llvm::SmallVectorImpl<Id> &worklist);
  bool search(llvm::SmallVectorImpl<Id> &worklist, Id to);

  std::vector<FusionUnit> units;
  /// The last position of each unit's ops: what it needs comes before.
  std::vector<unsigned> lastPosition;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Id, 1>> membership;
  llvm::DenseMap<mlir::Operation *, unsigned> positions;
  /// By unit: the number of the search that saw it last.
  std::vector<unsigned> visited;
  unsigned searchNumber = 0;
};

} // namespace tandem

#endif // TANDEM_LIB_FUSION_FUSIONUNITS_H
