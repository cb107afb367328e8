//===- ReductionStage.cpp - What a linalg.generic reduces -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reduction/ReductionStage.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tandem {

/// The op that combines what there is with an element; null where the body
/// yields something else.
static Operation *getCombiner(linalg::GenericOp stage, unsigned number) {
  BlockArgument before = stage.getRegionOutputArgs()[number];
  Operation *op =
      stage.getBody()->getTerminator()->getOperand(number).getDefiningOp();
  bool isKnown =
      isa_and_present<arith::AddFOp, arith::MulFOp, arith::MaximumFOp,
                      arith::MinimumFOp, arith::AddIOp, arith::MulIOp,
                      arith::MaxSIOp, arith::MinSIOp>(op);
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

LogicalResult verifyStageOutput(OpOperand &output, bool isReturned) {
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

Value createNeutral(OpBuilder &builder, linalg::GenericOp stage,
                    unsigned number, int64_t lanes) {
  auto value = cast<TypedAttr>(getInit(stage, number).getValue());
  auto type = VectorType::get({lanes}, value.getType());
  return arith::ConstantOp::create(builder, stage.getLoc(),
                                   SplatElementsAttr::get(type, value));
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

Value fold(OpBuilder &builder, linalg::GenericOp stage, unsigned number,
           Value vector, int64_t lanes) {
  Location loc = stage.getLoc();
  int64_t count = cast<VectorType>(vector.getType()).getNumElements();
  for (int64_t half = count / 2; half >= std::max<int64_t>(lanes, 2);
       half /= 2) {
    SmallVector<int32_t> low, high;
    for (int64_t i = 0; i < half; ++i) {
      low.push_back(i);
      high.push_back(half + i);
    }
    vector = combine(
        builder, stage, number,
        LLVM::ShuffleVectorOp::create(builder, loc, vector, vector, low),
        LLVM::ShuffleVectorOp::create(builder, loc, vector, vector, high));
  }
  if (lanes > 1)
    return vector;
  auto extract = [&](int64_t lane) -> Value {
    Value position = LLVM::ConstantOp::create(
        builder, loc, builder.getI64Type(), builder.getI64IntegerAttr(lane));
    return LLVM::ExtractElementOp::create(builder, loc, vector, position);
  };
  return combine(builder, stage, number, extract(0), extract(1));
}

} // namespace tandem
