//===- Fuse.cpp - tandem-fuse ---------------------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Dialect/Tandem/Transforms/Passes.h"

#include "FusionPassOptions.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Fusion/FusionPlan.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/SetVector.h"

namespace tandem {
#define GEN_PASS_DEF_TANDEMFUSE
#include "tandem/Dialect/Tandem/Transforms/Passes.h.inc"
} // namespace tandem

using namespace mlir;

namespace tandem {
namespace {

/// A constant that costs a kernel no load.
bool isSplat(Value value) {
  DenseElementsAttr elements;
  return matchPattern(value, m_Constant(&elements)) && elements.isSplat();
}

/// Makes the fusion of `group` in front of its last op, replaces the group's
/// outputs, and leaves its ops behind.
void makeFusion(const FusionGroup &group) {
  llvm::SetVector<Value> inputs, constants;
  SmallPtrSet<Operation *, 16> members(group.ops.begin(), group.ops.end());
  for (Operation *op : group.ops)
    for (Value operand : op->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (!producer || !members.contains(producer))
        (isSplat(operand) ? constants : inputs).insert(operand);
    }

  Operation *root = group.ops.back();
  OpBuilder builder(root);
  auto fusion = ir::FusionOp::create(builder, root->getLoc(),
                                     TypeRange(ValueRange(group.outputs)),
                                     group.kind, inputs.getArrayRef());
  Block &body = fusion.getBody().front();
  IRMapping map;
  map.map(inputs.getArrayRef(), body.getArguments());
  builder.setInsertionPointToEnd(&body);
  for (Value constant : constants)
    builder.clone(*constant.getDefiningOp(), map);
  for (Operation *op : group.ops)
    builder.clone(*op, map);
  SmallVector<Value> yielded;
  for (Value output : group.outputs)
    yielded.push_back(map.lookup(output));
  ir::YieldOp::create(builder, root->getLoc(), yielded);
  for (auto [output, result] :
       llvm::zip_equal(group.outputs, fusion.getOutputs()))
    Value(output).replaceAllUsesWith(result);
}

/// Erases what the fusions have replaced, and the constants cloned into them.
void eraseDead(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

void fuse(Block &block, ArrayRef<FusionGroup> groups) {
  for (const FusionGroup &group : groups)
    makeFusion(group);
  // A kernel stands at its last op, behind what uses its other results.
  if (llvm::any_of(groups, [](const FusionGroup &group) {
        return group.outputs.size() > 1;
      }))
    sortTopologically(&block);
  eraseDead(block);
}

/// What was asked, as a remark at the producer.
void emitRefusal(const FusionLogEntry &entry) {
  static constexpr StringRef kQuestions[] = {
      "not fused into ", "not one more result of ", "not joined with ",
      "not the hero of a kernel", "not part of "};
  InFlightDiagnostic remark = entry.producer->emitRemark()
                              << kQuestions[unsigned(entry.question)];
  if (entry.consumer)
    remark << "the kernel of '" << entry.consumer->getName() << "'";
  else if (entry.question != FusionQuestion::Hero)
    remark << "its consumers";
  remark << ": " << entry.decision.str() << " ["
         << name(entry.decision.reason()) << "]";
  if (entry.consumer)
    remark.attachNote(entry.consumer->getLoc()) << "the kernel's root";
}

struct FusePass : FusionPlanningPass<impl::TandemFuseBase<FusePass>> {
  using FusionPlanningPass::FusionPlanningPass;

  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    for (Block &block : getOperation().getBody()) {
      FusionLog log;
      std::vector<FusionGroup> groups = planFusion(block, fusion, &log);
      if (remarks)
        for (const FusionLogEntry &entry : log)
          if (!entry.decision)
            emitRefusal(entry);
      fuse(block, groups);
    }
  }
};

} // namespace
} // namespace tandem
