//===- AssignLayouts.cpp - tandem-assign-layouts --------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass tandem-cpu-assign-layouts. LayoutProblem chooses the layouts, and
// LayoutRewriter rewrites a block to them.
//
//===----------------------------------------------------------------------===//

#include "tandem/Target/CPU/Passes.h"

#include "ReadCPUDevice.h"
#include "Transforms/LayoutProblem.h"
#include "Transforms/LayoutReport.h"
#include "Transforms/PermuteDims.h"
#include "Transforms/WeightPacking.h"

#include "tandem/Dialect/Tandem/IR/ValueTypes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"

#include "llvm/Support/Debug.h"
#include "llvm/Support/FormatVariadic.h"

#define DEBUG_TYPE "tandem-layout"

using namespace mlir;

namespace tandem {
#define GEN_PASS_DEF_ASSIGNLAYOUTS
#include "tandem/Target/CPU/Passes.h.inc"

namespace {

class LayoutRewriter {
public:
  /// `report` may be null.
  LayoutRewriter(Block &block, const LayoutProblem &problem, bool remarks,
                 LayoutReport *report)
      : block(block), problem(problem), costs(problem.getCosts()),
        remarks(remarks), report(report),
        builder(block.getParentOp()->getContext()) {}

  void run();

private:
  void rewrite(Operation *op);
  void rewriteConv(ir::ConvOp conv);
  void rewriteConversion(ir::TransposeOp transpose,
                         LayoutConversion conversion);
  void reportConv(ir::ConvOp conv);
  /// Returns `value` with channels last, or in its given layout. Creates a
  /// transpose if the value does not exist in this layout yet.
  Value get(Value value, bool isLast);
  /// Records that `value` replaces the result of `op`, with channels last if
  /// `isLast` is set. run() erases `op` at the end.
  void replace(Operation *op, bool isLast, Value value) {
    versions[op->getResult(0)][isLast] = value;
    replaced.push_back(op);
  }

  Block &block;
  const LayoutProblem &problem;
  const LayoutCostModel &costs;
  bool remarks;
  LayoutReport *report;
  OpBuilder builder;
  /// The versions of each value: in the given layout, and with channels last.
  DenseMap<Value, std::array<Value, 2>> versions;
  SmallVector<Operation *> replaced;
};

} // namespace

Value LayoutRewriter::get(Value value, bool isLast) {
  std::array<Value, 2> known = versions.lookup(value);
  if (!known[0] && !known[1])
    known[0] = value;
  if (!known[isLast]) {
    Value from = known[!isLast];
    Permutation permutation = getChannelsLast(typeOf(from).getRank());
    if (report && !matchPattern(from, m_Constant()))
      report->addInserted(from, isLast, problem.getTransposeNs(value));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfterValue(from);
    known[isLast] = createTransposed(
        builder, from, isLast ? permutation : invert(permutation));
  }
  versions[value] = known;
  return known[isLast];
}

static std::string describe(const ConvLayoutNote &note) {
  constexpr StringRef kNames[] = {"channels first", "channels last"};
  return llvm::formatv("reads {0}, writes {1}: {2:f1} us; as given {3:f1} us, "
                       "channels last {4:f1} us",
                       kNames[note.isInputLast], kNames[note.isOutputLast],
                       note.ns / 1000, note.givenNs / 1000, note.lastNs / 1000);
}

void LayoutRewriter::reportConv(ir::ConvOp conv) {
  bool isPrinted = false;
  LLVM_DEBUG(isPrinted = true);
  if (!remarks && !report && !isPrinted)
    return;
  ConvLayoutNote note;
  note.isInputLast = problem.isInputLast(conv);
  note.isOutputLast = problem.isOutputLast(conv);
  note.ns = costs.getConvNs(conv, note.isInputLast, note.isOutputLast);
  note.givenNs = costs.getConvNs(conv, false, false);
  note.lastNs = costs.getConvNs(conv, true, true);
  LLVM_DEBUG(llvm::dbgs() << conv << "\n  " << describe(note) << "\n");
  if (remarks)
    conv.emitRemark() << describe(note);
  if (report)
    report->addConv(conv, note);
}

void LayoutRewriter::rewriteConv(ir::ConvOp conv) {
  reportConv(conv);
  bool isInputLast = problem.isInputLast(conv);
  bool isOutputLast = problem.isOutputLast(conv);
  Permutation last = getChannelsLast(typeOf(conv.getInput()).getRank());
  ir::ConvLayoutAttr layout = conv.getLayout();
  auto created = cast<ir::ConvOp>(builder.clone(*conv));
  std::string input = layout.getInput().str(),
              output = layout.getOutput().str();
  if (isInputLast)
    input = permute(input, last);
  if (isOutputLast) {
    output = permute(output, last);
    created.getResult().setType(permute(typeOf(conv.getResult()), last));
  }
  for (OpOperand &operand : created->getOpOperands())
    operand.set(
        get(operand.get(), operand.getOperandNumber() == 0 && isInputLast));
  created.setLayoutAttr(ir::ConvLayoutAttr::get(conv.getContext(), input,
                                                layout.getKernel(), output));
  replace(conv, isOutputLast, created.getResult());
}

void LayoutRewriter::rewriteConversion(ir::TransposeOp transpose,
                                       LayoutConversion conversion) {
  // If the transpose converts to channels last, its result in the given layout
  // is its operand with channels last. Otherwise, its result with channels last
  // is its operand in the given layout.
  bool isToLast = conversion == LayoutConversion::ToLast;
  if (report)
    report->addCancelled(transpose, isToLast,
                         problem.getTransposeNs(transpose.getInput()));
  replace(transpose, !isToLast, get(transpose.getInput(), isToLast));
}

void LayoutRewriter::rewrite(Operation *op) {
  builder.setInsertionPoint(op);
  LayoutConversion conversion = getLayoutConversion(op);
  if (conversion != LayoutConversion::None)
    return rewriteConversion(cast<ir::TransposeOp>(op), conversion);
  if (auto conv = dyn_cast<ir::ConvOp>(op); conv && problem.isAssigned(conv))
    return rewriteConv(conv);
  bool isLast = problem.isInputLast(op);
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands())
    operands.push_back(get(operand.get(), isLast && hasPermutedDims(operand)));
  if (!isLast)
    return op->setOperands(operands);
  Operation *created = createPermuted(builder, op, operands,
                                      getChannelsLast(getPermutedRank(op)));
  replace(op, !dropsDims(op), created->getResult(0));
}

void LayoutRewriter::run() {
  SmallVector<Operation *> ops;
  for (Operation &op : block)
    ops.push_back(&op);
  for (Operation *op : ops)
    rewrite(op);
  for (Operation *op : llvm::reverse(replaced))
    op->erase();
}

/// Transposes the constant kernels of grouped convolutions whose results have
/// channels last, in the graph or by assignment.
static void transposeKernels(Block &block) {
  for (auto conv : block.getOps<ir::ConvOp>()) {
    if (!conv.getLayout().getOutput().ends_with("C") ||
        !transposesKernel(conv, /*isOutputLast=*/true))
      continue;
    OpBuilder builder(conv);
    setPlainWeights(conv, createTransposed(builder, conv.getKernel(),
                                           getWeights(conv)->permutation));
  }
}

namespace {
struct AssignLayoutsPass : impl::AssignLayoutsBase<AssignLayoutsPass> {
  using AssignLayoutsBase::AssignLayoutsBase;

  LogicalResult initialize(MLIRContext *context) override {
    costs.useWinograd = winograd;
    return readCPUDevice(context, deviceSpec.getValue(), costs.device);
  }

  void runOnOperation() override {
    LayoutReport report(&getContext());
    for (Block &block : getOperation().getBody()) {
      LayoutProblem problem(block, costs);
      if (!problem.isEmpty()) {
        problem.solve();
        LayoutRewriter(block, problem, remarks, notes ? &report : nullptr)
            .run();
      }
      transposeKernels(block);
    }
    report.leaveAt(getOperation());
  }

private:
  LayoutCostModel costs;
};
} // namespace

} // namespace tandem
