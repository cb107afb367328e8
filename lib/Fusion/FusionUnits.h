//===- FusionUnits.h - Kernels and op steps while planning ------*- C++ -*-===//
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

/// How one kernel computes an op that may have been fused into it.
struct Evaluation {
  /// How many times it is computed per iteration of the kernel's loops.
  int64_t count = 1;
  /// Whether it is computed only at the index of the iteration itself.
  bool identity = true;
  /// The number of elements that it reads each time.
  int64_t reads = 0;
  /// How the kernel's innermost loop moves through its result; where several
  /// uses of the result differ, the largest step.
  Motion motion;
};

/// How the ops of one kernel would be computed in kernel `kernel`.
struct Placement {
  unsigned kernel = 0;
  llvm::SmallVector<std::pair<mlir::Operation *, Evaluation>, 2> ops;
};

/// A future kernel or op step, to which the planner adds ops.
struct FusionUnit {
  bool isKernel = false;
  ir::FusionKind kind = ir::FusionKind::loop;
  /// The first op that was added. The shape of its result is the iteration
  /// space.
  mlir::Operation *root = nullptr;
  llvm::SmallMapVector<mlir::Operation *, Evaluation, 4> ops;
  /// The values that other units or the terminator need.
  llvm::SmallSetVector<mlir::Value, 2> outputs;
  /// All values that its ops read, whether it computes them or not, as opaque
  /// pointers of mlir::Value.
  llvm::SmallPtrSet<const void *, 8> reads;
  /// The number of iterations of all its loops.
  int64_t iterations = 0;
  /// The number of element reads per iteration.
  int64_t bodyReads = 0;
  /// A counter that increases with each change of its ops or outputs.
  unsigned version = 1;

  /// Whether it is a loop kernel, into which producers of any kind can be
  /// fused.
  bool isLoop() const { return isKernel && kind == ir::FusionKind::loop; }
  /// Whether the unit reads or computes `value`.
  bool has(mlir::Value value) const {
    return reads.contains(value.getAsOpaquePointer()) ||
           ops.contains(value.getDefiningOp());
  }
  mlir::ArrayRef<int64_t> space() const;
};

/// The units of a block, and which units compute each op. Ops that have not
/// been visited yet are in no unit.
class FusionUnits {
public:
  using Id = unsigned;

  explicit FusionUnits(mlir::Block &block);

  /// Creates a unit of one op, which reads `reads` elements per result.
  Id create(mlir::Operation *root, bool isKernel, int64_t reads);
  /// Adds `op`, which must be in no unit, to `unit`. canAbsorb must hold.
  void absorb(mlir::Operation *op, Id unit, Evaluation evaluation,
              int64_t reads);
  /// Computes the ops of `producer`, which has one result, in all units that
  /// need that result, and removes `producer`.
  void produce(Id producer, llvm::ArrayRef<Placement> placements);
  /// Moves all ops of `from` into `into`. canMerge must hold.
  void merge(Id into, Id from);
  /// Sets the outputs of the unit to the results that are used outside it.
  void updateOutputs(Id unit);
  /// The number of outputs that two units would have together.
  int64_t countOutputsMerged(Id a, Id b) const;
  /// The number of bytes of those operands of `op` that `unit` computes or
  /// reads.
  int64_t sharedBytes(mlir::Operation *op, Id unit) const;
  /// The number of outputs that `unit` would have with `op` in it.
  int64_t countOutputsWith(Id unit, mlir::Operation *op) const;

  FusionUnit &operator[](Id id) { return units[id]; }
  const FusionUnit &operator[](Id id) const { return units[id]; }
  Id size() const { return units.size(); }
  llvm::ArrayRef<Id> unitsOf(mlir::Operation *op) const;

  /// Whether no path leads from one unit to the other through a third one.
  /// Otherwise the merged unit would depend on its own results.
  bool canMerge(Id a, Id b);
  bool canAbsorb(mlir::Operation *op, Id unit);

  /// The position of an op in the block.
  unsigned position(mlir::Operation *op) const { return positions.lookup(op); }

private:
  void add(mlir::Operation *op, Id unit, Evaluation evaluation);
  /// Whether the terminator, or a unit that is not in `except` and does not
  /// compute `value` itself, needs `value`.
  bool isNeededOutside(mlir::Value value, mlir::ArrayRef<Id> except) const;

  mlir::Block &block;
  std::vector<FusionUnit> units;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Id, 1>> membership;
  llvm::DenseMap<mlir::Operation *, unsigned> positions;
  /// The dependencies between ops, by position. The ops of a unit that are in
  /// no other unit form one node. An op that several units compute has no node.
  AcyclicGraph graph;
};

} // namespace tandem

#endif // TANDEM_LIB_FUSION_FUSIONUNITS_H
