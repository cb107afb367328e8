//===- FusionUnits.h - Kernels and op steps in the making ------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_FUSION_FUSIONUNITS_H
#define TANDEM_LIB_FUSION_FUSIONUNITS_H

#include "AcyclicGraph.h"
#include "OpFacts.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"

#include "mlir/IR/Operation.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace tandem {

/// How an op is computed in one kernel.
struct Evaluation {
  /// Times per iteration of the kernel's loops.
  int64_t count = 1;
  /// At the index of the iteration itself, alone.
  bool identity = true;
  /// Elements that it reads each time.
  int64_t reads = 0;
  /// How the kernel's innermost loop moves through its result; where several
  /// of its uses differ, the widest.
  Motion motion;
};

/// How the ops of one kernel would be computed in another.
struct Placement {
  unsigned kernel = 0;
  llvm::SmallVector<std::pair<mlir::Operation *, Evaluation>, 2> ops;
};

/// A kernel, or an op step, in the making.
struct FusionUnit {
  bool isKernel = false;
  ir::FusionKind kind = ir::FusionKind::loop;
  /// The first op that was put in it; its result's shape is the loops' space.
  mlir::Operation *root = nullptr;
  llvm::SmallMapVector<mlir::Operation *, Evaluation, 4> ops;
  /// Values needed by other units or by the terminator.
  llvm::SmallSetVector<mlir::Value, 2> outputs;
  /// What its ops read, computed in it or not: mlir::Value as pointers.
  llvm::SmallPtrSet<const void *, 8> reads;
  /// Of its loops, one after the other.
  int64_t iterations = 0;
  /// Element reads per iteration.
  int64_t bodyReads = 0;
  /// Goes up with each change of its ops or outputs.
  unsigned version = 1;

  /// Whether it is a loop, which takes whatever its elements need.
  bool isLoop() const { return isKernel && kind == ir::FusionKind::loop; }
  /// Whether `value` is read or computed.
  bool has(mlir::Value value) const {
    return reads.contains(value.getAsOpaquePointer()) ||
           ops.contains(value.getDefiningOp());
  }
  mlir::ArrayRef<int64_t> space() const;
};

/// The units of a block, and which unit computes what. Ops not yet visited are
/// in none.
class FusionUnits {
public:
  using Id = unsigned;

  explicit FusionUnits(mlir::Block &block);

  Id create(mlir::Operation *root, bool isKernel, int64_t reads);
  /// Computes `op`, which is in no unit, in `unit` alone. Between them is
  /// nothing (`canAbsorb`).
  void absorb(mlir::Operation *op, Id unit, Evaluation evaluation,
              int64_t reads);
  /// Computes the ops of `producer` in all units that need its one result, and
  /// nowhere else.
  void produce(Id producer, llvm::ArrayRef<Placement> placements);
  /// Moves all of `from` into `into`. Between them is nothing (`canMerge`).
  void merge(Id into, Id from);
  /// Makes the results that are used outside the unit its outputs.
  void updateOutputs(Id unit);
  /// How many outputs two units would have as one.
  int64_t countOutputsMerged(Id a, Id b) const;
  /// The bytes of the operands of `op` that `unit` computes or reads.
  int64_t sharedBytes(mlir::Operation *op, Id unit) const;
  /// How many outputs `unit` would have with `op`.
  int64_t countOutputsWith(Id unit, mlir::Operation *op) const;

  FusionUnit &operator[](Id id) { return units[id]; }
  const FusionUnit &operator[](Id id) const { return units[id]; }
  Id size() const { return units.size(); }
  llvm::ArrayRef<Id> unitsOf(mlir::Operation *op) const;

  /// Whether no path leads from one to the other through a third: as one they
  /// would depend on their own results.
  bool canMerge(Id a, Id b);
  bool canAbsorb(mlir::Operation *op, Id unit);

  /// Position in the block.
  unsigned position(mlir::Operation *op) const { return positions.lookup(op); }

private:
  void add(mlir::Operation *op, Id unit, Evaluation evaluation);
  /// Whether a unit but these that does not compute `value`, or the terminator,
  /// needs it.
  bool isNeededOutside(mlir::Value value, mlir::ArrayRef<Id> except) const;

  mlir::Block &block;
  std::vector<FusionUnit> units;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Id, 1>> membership;
  llvm::DenseMap<mlir::Operation *, unsigned> positions;
  /// Of the ops by position; those of one unit that are in it alone are one
  /// node. An op that is computed in several units is none.
  AcyclicGraph graph;
};

} // namespace tandem

#endif // TANDEM_LIB_FUSION_FUSIONUNITS_H
