//===- FusionCandidates.h - Kernels and op steps while planning -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_FUSION_DECISION_FUSIONCANDIDATES_H
#define TANDEM_LIB_FUSION_DECISION_FUSIONCANDIDATES_H

#include "Decision/AcyclicGraph.h"
#include "Decision/OpFusionInfo.h"

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
struct RecomputeInfo {
  /// How many times the op is computed per iteration of the kernel's loops.
  int64_t count = 1;
  /// Whether the op is computed only at the index of the iteration itself.
  bool identity = true;
  /// The number of elements that the op reads each time.
  int64_t reads = 0;
  /// How the kernel's innermost loop moves through the result of the op. If
  /// several uses of the result differ, this is the largest step.
  AccessStride stride;
};

/// How the ops of one kernel would be computed in kernel `kernel`.
struct Placement {
  unsigned kernel = 0;
  llvm::SmallVector<std::pair<mlir::Operation *, RecomputeInfo>, 2> ops;
};

/// A future kernel or op step, to which the planner adds ops.
struct FusionCandidate {
  bool isKernel = false;
  ir::FusionKind kind = ir::FusionKind::loop;
  /// The first op that was added. The shape of its result is the iteration
  /// space.
  mlir::Operation *root = nullptr;
  llvm::SmallMapVector<mlir::Operation *, RecomputeInfo, 4> ops;
  /// The values that other candidates or the terminator need.
  llvm::SmallSetVector<mlir::Value, 2> outputs;
  /// All values that the ops of the candidate read, as opaque pointers of
  /// mlir::Value. Some of these values are computed by the candidate itself.
  llvm::SmallPtrSet<const void *, 8> reads;
  /// The number of iterations of all its loops.
  int64_t iterations = 0;
  /// The number of element reads per iteration.
  int64_t bodyReads = 0;
  /// A counter that increases with each change of its ops or outputs.
  unsigned version = 1;

  /// Whether the candidate is a loop kernel, into which producers of any kind
  /// can be fused.
  bool isLoop() const { return isKernel && kind == ir::FusionKind::loop; }
  /// Whether the candidate reads or computes `value`.
  bool has(mlir::Value value) const {
    return reads.contains(value.getAsOpaquePointer()) ||
           ops.contains(value.getDefiningOp());
  }
  mlir::ArrayRef<int64_t> space() const;
};

/// The candidates of a block, and which candidates compute each op. Ops that
/// have not been visited yet are in no candidate.
class FusionCandidates {
public:
  using Id = unsigned;

  explicit FusionCandidates(mlir::Block &block);

  /// Creates a candidate of one op, which reads `reads` elements per result.
  Id create(mlir::Operation *root, bool isKernel, int64_t reads);
  /// Adds `op`, which must be in no candidate, to `candidate`. canAbsorb must
  /// hold.
  void absorb(mlir::Operation *op, Id candidate, RecomputeInfo recompute,
              int64_t reads);
  /// Computes the ops of `producer`, which has one result, in all candidates
  /// that need that result, and removes `producer`.
  void produce(Id producer, llvm::ArrayRef<Placement> placements);
  /// Moves all ops of `from` into `into`. canMerge must hold.
  void merge(Id into, Id from);
  /// Sets the outputs of the candidate to the results that are used outside it.
  void updateOutputs(Id candidate);
  /// The number of outputs that two candidates would have together.
  int64_t countOutputsMerged(Id a, Id b) const;
  /// The number of bytes of those operands of `op` that `candidate` computes or
  /// reads.
  int64_t sharedBytes(mlir::Operation *op, Id candidate) const;
  /// The number of outputs that `candidate` would have with `op` in it.
  int64_t countOutputsWith(Id candidate, mlir::Operation *op) const;

  FusionCandidate &operator[](Id id) { return candidates[id]; }
  const FusionCandidate &operator[](Id id) const { return candidates[id]; }
  Id size() const { return candidates.size(); }
  llvm::ArrayRef<Id> candidatesOf(mlir::Operation *op) const;

  /// Whether no path leads from one candidate to the other through a third one.
  /// Otherwise the merged candidate would depend on its own results.
  bool canMerge(Id a, Id b);
  bool canAbsorb(mlir::Operation *op, Id candidate);

  /// The position of an op in the block.
  unsigned position(mlir::Operation *op) const { return positions.lookup(op); }

private:
  void add(mlir::Operation *op, Id candidate, RecomputeInfo recompute);
  /// Whether the terminator, or a candidate that is not in `except` and does
  /// not compute `value` itself, needs `value`.
  bool isNeededOutside(mlir::Value value, mlir::ArrayRef<Id> except) const;

  mlir::Block &block;
  std::vector<FusionCandidate> candidates;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Id, 1>> membership;
  llvm::DenseMap<mlir::Operation *, unsigned> positions;
  /// The dependencies between ops, by position. The ops of a candidate that are
  /// in no other candidate form one node. An op that several candidates compute
  /// has no node.
  AcyclicGraph graph;
};

} // namespace tandem

#endif // TANDEM_LIB_FUSION_DECISION_FUSIONCANDIDATES_H
