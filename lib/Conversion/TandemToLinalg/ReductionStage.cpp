//===- ReductionStage.cpp - What a linalg.generic reduces -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Conversion/TandemToLinalg/ReductionStage.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <algorithm>

using namespace mlir;

namespace tandem {

/// Null where the body yields something else.
Operation *getCombiner(linalg::GenericOp stage, unsigned number) {
  BlockArgument before = stage.getRegionOutputArgs()[number];
  Operation *op =
      stage.getBody()->getTerminator()->getOperand(number).getDefiningOp();
  bool isKnown =
      isa_and_present<arith::AddFOp, arith::MulFOp, arith::MaximumFOp,
                      arith::MinimumFOp, arith::AddIOp, arith::MulIOp,
                      arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp,
                      arith::MinUIOp>(op);
  return isKnown && op->getOperand(0) == before && before.hasOneUse() ? op
                                                                      : nullptr;
}

/// What a reduction starts from; null where that is no constant.
static arith::ConstantOp getInit(linalg::GenericOp stage, unsigned number) {
  auto fill =
      stage.getDpsInitOperand(number)->get().getDefiningOp<linalg::FillOp>();
  return fill ? fill.getInputs().front().getDefiningOp<arith::ConstantOp>()
              : nullptr;
}

bool combines(OpOperand &output) {
  auto stage = cast<linalg::GenericOp>(output.getOwner());
  return stage.getNumReductionLoops() > 0 &&
         stage.getMatchingIndexingMap(&output).getNumResults() <
             stage.getNumLoops();
}

/// Whether a result either combines elements in a supported way or is stored at
/// the index of the loops. One that combines nothing must be returned.
static LogicalResult verifyStageOutput(OpOperand &output, bool isReturned) {
  auto stage = cast<linalg::GenericOp>(output.getOwner());
  unsigned number = stage.getTiedOpResult(&output).getResultNumber();
  AffineMap map = stage.getMatchingIndexingMap(&output);
  if (combines(output)) {
    if (!getCombiner(stage, number))
      return stage.emitOpError("combines elements in an unknown way");
    if (!getInit(stage, number))
      return stage.emitOpError("starts from other than a constant");
    return success();
  }
  if (!stage.getMatchingBlockArgument(&output).use_empty())
    return stage.emitOpError("reads what it writes");
  if (stage.getNumReductionLoops() > 0 ? !map.isIdentity() : !isReturned)
    return stage.emitOpError("has a result that the kernel does not return");
  return success();
}

LogicalResult verifyReductionStage(linalg::GenericOp stage,
                                   ArrayRef<linalg::GenericOp> before,
                                   function_ref<bool(Value)> hasMemory) {
  if (llvm::is_contained(stage.getStaticLoopRanges(), ShapedType::kDynamic))
    return stage.emitOpError("has a loop of unknown size");
  linalg::GenericOp first = before.empty() ? stage : before.front();
  SmallVector<int64_t> all = first.getStaticLoopRanges();
  SmallVector<int64_t> own = stage.getStaticLoopRanges();
  unsigned numKept = first.getNumParallelLoops();
  bool isWhole = own == all;
  bool isOfRows = ArrayRef(own) == ArrayRef(all).take_front(numKept);
  auto iterators = stage.getIteratorTypesArray();
  bool reducesLast = llvm::all_of(llvm::enumerate(iterators), [&](auto item) {
    return (item.value() == utils::IteratorType::parallel) ==
           (item.index() < numKept);
  });
  if (!isWhole && !isOfRows)
    return stage.emitOpError("has other loops than the kernel's first op");
  if (stage.getNumReductionLoops() > 0 ? !reducesLast || !isWhole
                                       : before.empty())
    return stage.emitOpError("does not reduce the kernel's last loops");
  for (OpOperand *input : stage.getDpsInputOperands()) {
    auto producer = input->get().getDefiningOp<linalg::GenericOp>();
    if (isa<RankedTensorType>(input->get().getType()) &&
        !hasMemory(input->get()) && !llvm::is_contained(before, producer) &&
        !stage.getMatchingBlockArgument(input).use_empty())
      return stage.emitOpError("reads a tensor that is not an argument");
  }
  bool isCombined = true;
  for (OpOperand &output : stage.getDpsInitsMutable()) {
    bool isReturned = hasMemory(stage.getTiedOpResult(&output));
    if (failed(verifyStageOutput(output, isReturned)))
      return failure();
    bool combinesNext = combines(output);
    if (combinesNext && !isCombined)
      return stage.emitOpError("combines elements behind other results");
    isCombined = combinesNext;
  }
  return success();
}

TypedAttr getNeutral(linalg::GenericOp stage, unsigned number) {
  return cast<TypedAttr>(getInit(stage, number).getValue());
}

Value combine(OpBuilder &builder, linalg::GenericOp stage, unsigned number,
              Value a, Value b) {
  Operation *combiner = getCombiner(stage, number);
  OperationState state(stage.getLoc(), combiner->getName(), {a, b},
                       {a.getType()});
  state.propertiesAttr = combiner->getPropertiesAsAttribute();
  return builder.create(state)->getResult(0);
}

bool addsFloats(linalg::GenericOp stage) {
  return llvm::any_of(stage.getDpsInitsMutable(), [&](OpOperand &output) {
    unsigned number = stage.getTiedOpResult(&output).getResultNumber();
    return combines(output) &&
           isa_and_present<arith::AddFOp>(getCombiner(stage, number));
  });
}

unsigned chooseContiguousLoop(ArrayRef<linalg::GenericOp> stages,
                              unsigned numLoops, unsigned numKept) {
  SmallVector<double> votes(numLoops, 0);
  // The last loop is chosen if nothing is read.
  votes.back() = 0.5;
  for (linalg::GenericOp stage : stages)
    for (OpOperand &operand : stage->getOpOperands()) {
      AffineMap map = stage.getMatchingIndexingMap(&operand);
      bool isResult = stage.getNumReductionLoops() == 0 &&
                      stage.getNumLoops() == numLoops &&
                      stage.isDpsInit(&operand);
      auto dim = map.getNumResults() == 0
                     ? AffineDimExpr(nullptr)
                     : dyn_cast<AffineDimExpr>(map.getResults().back());
      if (!dim || dim.getPosition() + 1 < numKept)
        continue;
      if (isResult)
        return dim.getPosition();
      votes[dim.getPosition()] += static_cast<double>(
          cast<RankedTensorType>(operand.get().getType()).getNumElements());
    }
  return std::max_element(votes.begin(), votes.end()) - votes.begin();
}

} // namespace tandem
