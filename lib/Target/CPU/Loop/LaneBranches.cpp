//===- LaneBranches.cpp - Branches on vectors of lanes --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loop/LaneEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tandem {

/// Whether a branch guards little else than reads, and has no other side.
static bool isCheapGuard(scf::IfOp branch) {
  constexpr unsigned kFewOps = 12;
  if (!branch.elseBlock()->without_terminator().empty())
    return false;
  unsigned numOps = 0;
  for (Operation &op : branch.thenBlock()->without_terminator()) {
    auto extract = dyn_cast<tensor::ExtractOp>(op);
    if (extract && extract.getTensor().getType().getNumElements() == 0)
      return false;
    if (op.getNumRegions() > 0 || isa<math::MathDialect>(op.getDialect()) ||
        isa<arith::DivSIOp, arith::RemSIOp>(op) || ++numOps > kFewOps)
      return false;
  }
  return true;
}

void LaneEmitter::emitIf(Operation &op) {
  if (known)
    if (auto isTaken = evaluateCondition(op.getOperand(0), *known))
      return emitKnownIf(op, *isTaken);
  LaneValue condition = lookUp(op.getOperand(0));
  APInt constant;
  if (matchPattern(condition.value, m_ConstantInt(&constant)))
    return emitKnownIf(op, constant.isOne());
  if (condition.kind == LaneValue::Varying)
    emitMaskedIf(op, condition.value);
  else if (isCheapGuard(cast<scf::IfOp>(op)) && !uniformGuard && !guardMask)
    emitGuardedIf(op, condition.value);
  else
    emitUniformIf(op, condition.value);
}

void LaneEmitter::emitKnownIf(Operation &op, bool isTaken) {
  auto branch = cast<scf::IfOp>(op);
  Block *side = isTaken ? branch.thenBlock() : branch.elseBlock();
  emitOps(*side);
  for (auto [result, yielded] :
       llvm::zip_equal(op.getResults(), side->getTerminator()->getOperands()))
    values[result] = lookUp(yielded);
}

/// Emits a branch that guards a read and that all lanes take or none does. If
/// it is safe, the read happens in any case, and its value is selected by the
/// condition.
void LaneEmitter::emitGuardedIf(Operation &op, Value condition) {
  auto branch = cast<scf::IfOp>(op);
  uniformGuard = condition;
  emitOps(*branch.thenBlock());
  uniformGuard = {};
  for (unsigned i = 0; i < op.getNumResults(); ++i) {
    LaneValue onTrue = lookUp(branch.thenYield().getOperand(i));
    LaneValue onFalse = lookUp(branch.elseYield().getOperand(i));
    bool isUniform =
        onTrue.kind == LaneValue::Uniform && onFalse.kind == LaneValue::Uniform;
    Value chosen = arith::SelectOp::create(
        builder, loc, condition, isUniform ? onTrue.value : toVector(onTrue),
        isUniform ? onFalse.value : toVector(onFalse));
    values[op.getResult(i)] = {
        isUniform ? LaneValue::Uniform : LaneValue::Varying, chosen};
  }
}

/// A branch that all lanes take together.
void LaneEmitter::emitUniformIf(Operation &op, Value condition) {
  auto branch = cast<scf::IfOp>(op);
  bool isVector = lanes > 1;
  SmallVector<Type> types;
  for (Type type : op.getResultTypes())
    types.push_back(isVector ? vectorOf(type) : type);
  auto emitted = scf::IfOp::create(builder, loc, types, condition,
                                   /*addThenBlock=*/true,
                                   /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(builder);
  auto emitRegion = [&](Block *from, Block *to) {
    builder.setInsertionPointToStart(to);
    emitOps(*from);
    SmallVector<Value> results;
    for (Value result : from->getTerminator()->getOperands())
      results.push_back(isVector ? toVector(lookUp(result))
                                 : lookUp(result).value);
    scf::YieldOp::create(builder, loc, results);
  };
  emitRegion(branch.thenBlock(), emitted.thenBlock());
  emitRegion(branch.elseBlock(), emitted.elseBlock());
  for (auto [from, to] : llvm::zip(op.getResults(), emitted.getResults()))
    values[from] = {isVector ? LaneValue::Varying : LaneValue::Uniform, to};
}

/// Both sides under masks; a select where they meet.
void LaneEmitter::emitMaskedIf(Operation &op, Value mask) {
  auto branch = cast<scf::IfOp>(op);
  Value outer = guardMask;
  auto emitUnder = [&](Block *block, Value condition) {
    guardMask = outer
                    ? builder.createOrFold<arith::AndIOp>(loc, outer, condition)
                    : condition;
    emitOps(*block);
    guardMask = outer;
  };
  // The other side is emitted first, because a masked load may use its value
  // for the lanes that it does not load.
  Block *otherwise = branch.elseBlock();
  if (!otherwise->without_terminator().empty()) {
    Value ones = arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(vectorOf(builder.getI1Type()), true));
    emitUnder(otherwise, builder.createOrFold<arith::XOrIOp>(loc, mask, ones));
  }
  emitUnder(branch.thenBlock(), mask);
  for (unsigned i = 0; i < op.getNumResults(); ++i) {
    LaneValue then = lookUp(branch.thenYield().getOperand(i));
    Value onFalse = toVector(lookUp(branch.elseYield().getOperand(i)));
    Value onTrue = toVector(then);
    values[op.getResult(i)] = {
        LaneValue::Varying,
        arith::SelectOp::create(builder, loc, mask, onTrue, onFalse)};
  }
}

} // namespace tandem
