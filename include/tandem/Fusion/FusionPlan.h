//===- FusionPlan.h - Which ops become one kernel ---------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_FUSION_FUSIONPLAN_H
#define TANDEM_FUSION_FUSIONPLAN_H

#include "tandem/Analysis/CostModel.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Fusion/ContractionModel.h"
#include "tandem/Fusion/FusionDecision.h"

#include "mlir/IR/Operation.h"

#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace tandem {

/// In which order loops are fused. Either is greedy, and each is the better one
/// on some graphs.
enum class FusionOrder {
  /// What saves most first.
  SavedTime,
  /// From the last op of the block to the first.
  Block,
  /// Both, of which the plan of the lower estimate is kept.
  Best,
};

struct FusionOptions {
  /// At most this many decisions are taken; negative: no limit.
  int64_t fuel = -1;
  /// Ops that read more elements per result remain op steps: a convolution
  /// with so many multiply-adds, a window or reduction of that size.
  int64_t maxReads = 32;
  /// A concat of more operands remains an op step.
  int64_t maxConcatOperands = 32;
  /// Bound on the size of a kernel's body: element reads per result, with
  /// windows unrolled.
  int64_t maxBodyReads = 256;
  /// Bound on a window within a window: with strides between its elements the
  /// inner one is no longer computed in vectors.
  int64_t maxNestedReads = 64;
  int64_t maxResults = 8;
  /// The kernels of kind contraction that can be generated; null for none:
  /// those ops are part of a loop or op steps.
  const ContractionModel *contractions = nullptr;
  /// Whether kernels of kind reduction can be generated.
  bool reductions = false;
  FusionOrder order = FusionOrder::Best;
  /// What things cost.
  DeviceModel device = genericDeviceModel();
};

/// Ops that become one kernel.
struct FusionGroup {
  ir::FusionKind kind = ir::FusionKind::loop;
  /// In block order. An op may be in several groups: it is computed in each.
  llvm::SmallVector<mlir::Operation *> ops;
  /// The values needed outside, in block order.
  llvm::SmallVector<mlir::Value> outputs;
  /// By the prices of the plan: the launch, operations with those that are done
  /// again, reads and writes.
  double estimatedNs = 0;
};

/// Decides what is fused in `block`, changing nothing:
///
/// 1. A contraction becomes a kernel with the elementwise ops that follow it.
/// 2. A reduction becomes a kernel with the elementwise ops around it, and with
///    further reductions of the same elements.
/// 3. The elementwise ops before a contraction that no reduction has become
/// part
///    of its kernel, where computing them there costs less than one of their
///    own.
/// 4. What is left becomes loops, in the order that `options` name: a loop is
///    computed within those of all its consumers, where every consumer may have
///    it and computing it there costs less than a kernel of its own; where its
///    values are needed anyway, it is joined with a consumer's loop over the
///    same space; so are loops over one space that read the same value.
///
/// The graph of kernels and op steps stays acyclic: whatever could close a
/// cycle asks first whether a path exists.
///
/// `log`, if given, gets every decision.
std::vector<FusionGroup> planFusion(mlir::Block &block,
                                    const FusionOptions &options,
                                    FusionLog *log = nullptr);

} // namespace tandem

#endif // TANDEM_FUSION_FUSIONPLAN_H
