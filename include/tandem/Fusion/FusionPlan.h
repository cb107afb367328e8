//===- FusionPlan.h - The plan of which ops become one kernel ---*- C++ -*-===//
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
#include "tandem/Fusion/LibraryModel.h"

#include "mlir/IR/Operation.h"

#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace tandem {

/// The order in which loops are fused. Both greedy orders are the better one on
/// some graphs.
enum class FusionOrder {
  /// Fusions that save most time first.
  SavedTime,
  /// From the last op of the block to the first.
  Block,
  /// Tries both orders and keeps the plan with the lower estimated time.
  Best,
};

/// Limits, capabilities and the cost model that a plan is made for.
struct FusionOptions {
  /// The most fusions that are done; negative for no limit.
  int64_t fuel = -1;
  /// The maximum number of elements that an op reads per result element: the
  /// number of multiply-adds of a convolution, or the size of a window or
  /// reduction. Ops that read more remain op steps, unless they can be the hero
  /// of a kernel.
  int64_t maxReads = 32;
  /// The maximum number of operands of a concat in a kernel. A concat with more
  /// operands remains an op step.
  int64_t maxConcatOperands = 32;
  /// The largest body of a kernel, in element reads per result, with windows
  /// unrolled.
  int64_t maxBodyReads = 256;
  /// The largest window within a window, in element reads per result. The inner
  /// window is read with strides and is therefore not vectorized.
  int64_t maxNestedReads = 64;
  /// The most results of a kernel.
  int64_t maxResults = 8;
  /// The kernels of kind contraction that the target can generate; null for
  /// none. Contractions then become part of a loop, or op steps.
  const ContractionModel *contractions = nullptr;
  /// Describes the epilogues that libraries can compute in one call with a
  /// contraction that is an op step. Null if there are none.
  const LibraryModel *libraries = nullptr;
  /// Whether the target can generate kernels of kind reduction. Otherwise
  /// reductions become part of a loop, or op steps.
  bool reductions = false;
  /// Whether ops of different phases of a training step stay in different
  /// kernels.
  bool keepsPhasesApart = false;
  FusionOrder order = FusionOrder::Best;
  /// The device that costs are estimated for.
  DeviceModel device = genericDeviceModel();
};

/// The ops that become one kernel.
struct FusionGroup {
  ir::FusionKind kind = ir::FusionKind::loop;
  /// The ops, in block order. An op may be in several groups, and is then
  /// computed in each.
  llvm::SmallVector<mlir::Operation *> ops;
  /// The values that are needed outside the group, in block order.
  llvm::SmallVector<mlir::Value> outputs;
  /// The estimated time of the kernel, in nanoseconds: the launch, all
  /// operations including repeated ones, reads and writes.
  double estimatedNs = 0;
};

/// Decides which ops of `block` are fused. Changes nothing. The steps are:
///
/// 1. A contraction becomes a kernel together with the elementwise ops that
///    follow it, or one library call together with the following ops that the
///    call can compute.
/// 2. A reduction becomes a kernel with the elementwise ops around it, and with
///    further reductions of the same elements.
/// 3. The elementwise ops before a contraction, unless they belong to a
///    reduction, become part of its kernel, if computing them there costs less
///    than a separate kernel.
/// 4. The remaining ops become loops, which are fused in the order that
///    `options` name. A loop is computed within the loops of all its consumers
///    if that is possible for each consumer and costs less than a separate
///    kernel. If the values of a loop are needed in memory anyway, the loop is
///    joined with a consumer's loop over the same iteration space. Loops over
///    the same space that read the same value are joined too.
///
/// The graph of kernels and op steps stays acyclic: before a fusion that could
/// close a cycle, a search looks for a path.
///
/// If `log` is not null, every decision is appended to it.
std::vector<FusionGroup> planFusion(mlir::Block &block,
                                    const FusionOptions &options,
                                    FusionLog *log = nullptr);

} // namespace tandem

#endif // TANDEM_FUSION_FUSIONPLAN_H
