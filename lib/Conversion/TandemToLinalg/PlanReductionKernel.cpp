//===- PlanReductionKernel.cpp - Stages of kernels of reductions ----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReductionKernel.h"

#include "tandem/Conversion/TandemToLinalg/TandemToLinalg.h"
#include "tandem/Dialect/Tandem/IR/ValueTypes.h"

using namespace mlir;

namespace tandem {

/// Columns that the target may compute at once.
static constexpr int64_t kMaxColumns = 128;

static SmallVector<int64_t> withoutOnes(ArrayRef<int64_t> shape) {
  return llvm::to_vector(
      llvm::make_filter_range(shape, [](int64_t size) { return size != 1; }));
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

/// How many reductions, one after the other, `value` needs.
unsigned ReductionKernel::getLevel(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return 0;
  if (auto it = levels.find(op); it != levels.end())
    return it->second;
  unsigned level = 0;
  for (Value operand : op->getOperands())
    level = std::max(level, getLevel(operand));
  level += isa<ir::ReduceOp>(op) ? 1 : 0;
  levels[op] = level;
  return level;
}

LogicalResult ReductionKernel::collectReductions() {
  for (auto reduce : kernel.getBody().front().getOps<ir::ReduceOp>()) {
    if (Status can = checkReduction(reduce); !can)
      return reduce.emitOpError(can.error().message);
    SmallVector<bool> dims(reduce.getInput().getType().getRank(), false);
    for (int64_t dim : reduce.getDims())
      dims[dim] = true;
    if (stages.empty()) {
      fullShape = reduce.getInput().getType().getShape();
      isReduced = dims;
    } else if (fullShape != reduce.getInput().getType().getShape() ||
               isReduced != dims) {
      return reduce.emitOpError(
          "reduces another shape or other dims than the kernel's first");
    }
    unsigned level = getLevel(reduce);
    if (stages.size() < level)
      stages.resize(level);
    stages[level - 1].reduces.push_back(reduce);
  }
  if (stages.empty())
    return kernel.emitOpError("is of kind reduction and has none");
  return success();
}

void ReductionKernel::assignDims() {
  fullLoops.resize(withoutOnes(fullShape).size());
  for (bool reduced : {false, true}) {
    unsigned position = 0;
    for (auto [dim, size] : llvm::enumerate(fullShape)) {
      if (size == 1)
        continue;
      if (isReduced[dim] == reduced) {
        fullLoops[position] = getAffineDimExpr(loops.size(), context);
        if (!reduced)
          keptLoops.push_back(fullLoops[position]);
        loops.push_back(size);
      }
      ++position;
    }
    if (!reduced)
      numKept = loops.size();
  }
}

LogicalResult ReductionKernel::collectResults() {
  SmallVector<int64_t> full = withoutOnes(fullShape);
  ir::ReduceOp reduce = stages.front().reduces.front();
  Operation *terminator = kernel.getBody().front().getTerminator();
  for (OpOperand &operand : terminator->getOpOperands()) {
    RankedTensorType type = typeOf(operand.get());
    if (Status can = checkReductionResult(reduce, type); !can)
      return terminator->emitOpError(can.error().message);
    bool isFull = withoutOnes(type.getShape()) == full;
    (isFull ? fullResults : rowResults).roots.push_back(&operand);
  }
  return success();
}

/// The index at which the stages compute `value`, of the full shape or a row's.
ElementIndex ReductionKernel::indexOf(Value value) const {
  ArrayRef<int64_t> shape = typeOf(value).getShape();
  bool isFull = withoutOnes(shape).size() == fullLoops.size();
  return assignLoops(shape, isFull ? fullLoops : keptLoops, context);
}

//===----------------------------------------------------------------------===//
// What is stored between stages
//===----------------------------------------------------------------------===//

/// Whether loading is cheaper than computing, and a row is small.
bool ReductionKernel::isWorthKeeping(Value value) const {
  auto op = dyn_cast<ir::TandemOpInterface>(value.getDefiningOp());
  if (!op)
    return false;
  FailureOr<OpCost> cost = op.getCost();
  RankedTensorType type = typeOf(value);
  return succeeded(cost) &&
         cost->flops / type.getNumElements() >= kTranscendentalFlops;
}

/// Notes what `stage` computes for `roots`, and what of it an earlier one does.
void ReductionKernel::keepAcrossStages(ArrayRef<Value> roots, unsigned stage) {
  bool isByColumns = numKept > 0 && keptLoops.back() == fullLoops.back();
  int64_t rowElements = isByColumns ? kMaxColumns : 1;
  for (int64_t size : ArrayRef(loops).drop_front(numKept))
    rowElements *= size;
  SmallVector<Value> worklist(roots);
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || isa<ir::ReduceOp>(op) || typeOf(value).getShape() != fullShape)
      continue;
    auto [it, isNew] = firstStage.try_emplace(op, stage);
    if (!isNew && it->second == stage)
      continue;
    if (!isNew) {
      SmallVector<Value> &kept = stages[it->second].kept;
      if (llvm::is_contained(kept, value))
        continue;
      Type type = getComputeType(typeOf(value).getElementType());
      int64_t bytes = rowElements * ((type.getIntOrFloatBitWidth() + 7) / 8);
      if (keptBytes + bytes <= maxKeptBytes && isWorthKeeping(value)) {
        keptBytes += bytes;
        kept.push_back(value);
        continue;
      }
    }
    llvm::append_range(worklist, op->getOperands());
  }
}

void ReductionKernel::planKeeping() {
  for (auto [number, stage] : llvm::enumerate(stages)) {
    SmallVector<Value> roots;
    for (ir::ReduceOp reduce : stage.reduces)
      roots.push_back(reduce.getInput());
    keepAcrossStages(roots, number);
  }
  SmallVector<Value> roots;
  for (OpOperand *root : fullResults.roots)
    roots.push_back(root->get());
  keepAcrossStages(roots, stages.size());
}

} // namespace tandem
