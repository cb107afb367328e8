//===- Fuse.cpp - tandem-fuse ---------------------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Fusion/Passes.h"

#include "Passes/FusionPassOptions.h"

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
#include "tandem/Fusion/Passes.h.inc"
} // namespace tandem

using namespace mlir;

namespace tandem {
namespace {

/// Whether an operand is a constant that a kernel need not load. A contraction
/// reads its operands from memory, except for the bias, because weights are
/// packed for it. Libraries read all operands from memory.
bool isFreeConstant(OpOperand &operand, ir::FusionKind kind) {
  if (kind == ir::FusionKind::library)
    return false;
  if (kind == ir::FusionKind::contraction &&
      isa<ir::ContractionOpInterface>(operand.getOwner()) &&
      operand.getOperandNumber() < 2)
    return false;
  DenseElementsAttr elements;
  return matchPattern(operand.get(), m_Constant(&elements)) &&
         elements.isSplat();
}

/// For each op that is still in the block, the number of groups that contain
/// it.
using Counts = DenseMap<Operation *, unsigned>;

/// Puts `op` at the end of `body`, or a copy where other groups need it, too.
void moveOrCopy(Operation *op, Block &body, Counts &counts, IRMapping &map) {
  if (--counts[op] > 0) {
    OpBuilder::atBlockEnd(&body).clone(*op, map);
    return;
  }
  op->moveBefore(&body, body.end());
  for (OpOperand &operand : op->getOpOperands())
    operand.set(map.lookupOrDefault(operand.get()));
}

/// Replaces `output` where another block reads it.
void replaceOutside(Value output, Value result, Block &body) {
  output.replaceUsesWithIf(result, [&](OpOperand &use) {
    return use.getOwner()->getBlock() != &body;
  });
}

/// Makes the fusion of `group` in front of its last op, and replaces the
/// group's outputs.
void makeFusion(const FusionGroup &group, Counts &counts) {
  llvm::SetVector<Value> inputs, constants;
  SmallPtrSet<Operation *, 16> members(group.ops.begin(), group.ops.end());
  for (Operation *op : group.ops)
    for (OpOperand &operand : op->getOpOperands()) {
      Operation *producer = operand.get().getDefiningOp();
      if (!producer || !members.contains(producer))
        (isFreeConstant(operand, group.kind) ? constants : inputs)
            .insert(operand.get());
    }
  constants.set_subtract(inputs);

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
    moveOrCopy(op, body, counts, map);
  SmallVector<Value> yielded;
  for (Value output : group.outputs)
    yielded.push_back(map.lookupOrDefault(output));
  for (auto [output, result] :
       llvm::zip_equal(group.outputs, fusion.getOutputs()))
    replaceOutside(output, result, body);
  builder.setInsertionPointToEnd(&body);
  ir::YieldOp::create(builder, fusion.getLoc(), yielded);
}

/// Erases what the fusions have copies of.
void eraseDead(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

void fuse(Block &block, ArrayRef<FusionGroup> groups) {
  Counts counts;
  for (const FusionGroup &group : groups)
    for (Operation *op : group.ops)
      ++counts[op];
  for (const FusionGroup &group : groups)
    makeFusion(group, counts);
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
      std::vector<FusionGroup> groups =
          planFusion(block, fusion, remarks ? &log : nullptr);
      for (const FusionLogEntry &entry : log)
        if (!entry.decision)
          emitRefusal(entry);
      fuse(block, groups);
    }
  }
};

} // namespace
} // namespace tandem
