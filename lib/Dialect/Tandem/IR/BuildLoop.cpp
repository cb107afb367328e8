//===- BuildLoop.cpp - Loops from their parts -----------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Dialect/Tandem/IR/BuildOp.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"

using namespace mlir;
using namespace tandem;
using namespace tandem::ir;

/// Moves ops that are the same in all iterations in front of the loop.
static void hoist(Block &body, OpBuilder &builder) {
  for (Operation &op : llvm::make_early_inc_range(body))
    if (op.getNumOperands() > 0 &&
        llvm::none_of(op.getOperands(), [&](Value operand) {
          return operand.getParentBlock() == &body;
        }))
      op.moveBefore(builder.getInsertionBlock(), builder.getInsertionPoint());
}

/// Makes the body use no values but its own. Returns the values from outside
/// for which arguments were added.
static SmallVector<Value> capture(Block &body, OpBuilder builder,
                                  function_ref<Value(Value)> addArgument) {
  SmallVector<Value> fixed;
  llvm::DenseMap<Value, Value> inside;
  builder.setInsertionPointToStart(&body);
  auto find = [&](Value value) -> Value {
    Operation *op = value.getDefiningOp();
    if (value.getParentBlock() == &body)
      return value;
    Value &known = inside[value];
    if (known)
      return known;
    if (op && op->hasTrait<OpTrait::ConstantLike>())
      return known = builder.clone(*op)->getResult(0);
    fixed.push_back(value);
    return known = addArgument(value);
  };
  SmallVector<Operation *> ops;
  for (Operation &op : body)
    ops.push_back(&op);
  for (Operation *op : ops)
    for (OpOperand &operand : op->getOpOperands())
      operand.set(find(operand.get()));
  return fixed;
}

LoopOp ir::buildLoop(OpBuilder &builder, Location location, TypeRange results,
                     const LoopParts &parts,
                     function_ref<Value(Value)> addArgument) {
  Block &body = parts.body.front();
  hoist(body, builder);
  OpBuilder inside(builder.getContext());
  inside.setInsertionPointToEnd(&body);
  YieldOp::create(inside, location, parts.yielded);
  const SmallVector<Value> fixed = capture(body, inside, addArgument);
  auto loop = LoopOp::create(
      builder, location, results, parts.carried, parts.scanned, fixed,
      parts.trips ? builder.getI64IntegerAttr(*parts.trips) : IntegerAttr(),
      llvm::is_contained(parts.reversed, true)
          ? builder.getDenseBoolArrayAttr(parts.reversed)
          : DenseBoolArrayAttr());
  loop.getBody().takeBody(parts.body);
  return loop;
}
