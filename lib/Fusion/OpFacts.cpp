//===- OpFacts.cpp - What fusion asks of one op ---------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpFacts.h"

#include "tandem/Dialect/Tandem/IR/TandemInterfaces.h"
#include "tandem/Dialect/Tandem/IR/TandemTypes.h"
#include "tandem/Fusion/LibraryChoice.h"

#include "mlir/IR/AffineExpr.h"

using namespace mlir;

namespace tandem {
namespace {

/// Whether the element that is read is found with additions and
/// multiplications alone.
bool hasSimpleIndexing(ir::IndexingOpInterface op) {
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    AffineMap map = op.getOperandIndexing(i);
    if (!map)
      return false;
    for (AffineExpr result : map.getResults()) {
      WalkResult walk = result.walk([](AffineExpr expr) {
        bool divides = expr.getKind() == AffineExprKind::FloorDiv ||
                       expr.getKind() == AffineExprKind::CeilDiv ||
                       expr.getKind() == AffineExprKind::Mod;
        return divides ? WalkResult::interrupt() : WalkResult::advance();
      });
      if (walk.wasInterrupted())
        return false;
    }
  }
  return true;
}

FusionDecision checkTypes(Operation *op) {
  auto isStatic = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape();
  };
  if (!llvm::all_of(op->getOperandTypes(), isStatic) ||
      !llvm::all_of(op->getResultTypes(), isStatic))
    return FusionDecision::refuse(FusionRefusal::DynamicShape);
  if (cast<RankedTensorType>(op->getResult(0).getType()).getNumElements() == 0)
    return FusionDecision::refuse(FusionRefusal::NoElements);
  return FusionDecision::allow();
}

FusionDecision checkReads(int64_t reads, int64_t limit) {
  if (reads == kSharedWork)
    return FusionDecision::refuse(FusionRefusal::NotElementwise);
  if (reads > limit)
    return FusionDecision::refuse(FusionRefusal::TooManyReads, reads, limit);
  return FusionDecision::allow();
}

FusionDecision refuseForLibrary(const ContractionPrices &prices) {
  return FusionDecision::refuse(FusionRefusal::LibraryCostsLess,
                                prices.libraryNs, prices.generatedNs);
}

/// What choosing between elements costs (pad, concat, gather), in the currency
/// of flops.
constexpr double kChoiceFlops = 4;

} // namespace

int64_t getBytes(Value value) {
  return ir::toTandemType(cast<RankedTensorType>(value.getType())).bytes();
}

OpFacts getFacts(Operation *op, const FusionOptions &options) {
  OpFacts facts;
  auto tableOp = dyn_cast<ir::TandemOpInterface>(op);
  if (!tableOp || op->getNumResults() != 1) {
    facts.inLoop = FusionDecision::refuse(FusionRefusal::NotAnOp);
    return facts;
  }
  facts.isView = tableOp.getOpDesc().kind == OpKind::reshape;
  facts.inLoop = checkTypes(op);
  if (!facts.inLoop)
    return facts;
  OpCost cost = *tableOp.getCost();
  facts.reads = cost.reads;
  facts.elements =
      cast<RankedTensorType>(op->getResult(0).getType()).getNumElements();
  facts.flopsPerElement = double(cost.flops) / double(facts.elements);
  facts.resultBytes = getBytes(op->getResult(0));
  facts.elementBytes = facts.resultBytes / facts.elements;
  for (Value operand : op->getOperands())
    facts.operandBytes += getBytes(operand);
  facts.inLoop = checkReads(cost.reads, options.maxReads);
  if (std::optional<ContractionPrices> prices = getLibraryChoice(op))
    facts.inLoop = refuseForLibrary(*prices);
  auto indexing = dyn_cast<ir::IndexingOpInterface>(op);
  if (!indexing && facts.reads == 1)
    facts.flopsPerElement += kChoiceFlops;
  if (facts.inLoop && indexing && !hasSimpleIndexing(indexing))
    facts.inLoop = FusionDecision::refuse(FusionRefusal::NoSimpleIndexing);
  return facts;
}

OperandAccess getAccess(OpOperand &operand, const OpFacts &facts) {
  unsigned index = operand.getOperandNumber();
  if (auto indexing = dyn_cast<ir::IndexingOpInterface>(operand.getOwner())) {
    AffineMap map = indexing.getOperandIndexing(index);
    return {1, map && map.isIdentity()};
  }
  // A contraction reads its two operands alike; a bias follows, read once.
  return {index < 2 ? facts.reads : 1, false};
}

} // namespace tandem
