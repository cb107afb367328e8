//===- FormStatements.cpp - Expressions of a readable size ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tandem::conversion;

/// Ops in one statement, at most: what a reader takes in at once.
static constexpr unsigned maxOpsPerStatement = 6;

/// Whether something may set `variable` between `load`, which reads it, and
/// `user`: an op between them in the load's block, or one in the same op of
/// that block as `user`, which may be a loop.
static bool isSetBetween(Value variable, Operation *load, Operation *user) {
  Block *block = load->getBlock();
  Operation *end = block->findAncestorOpInBlock(*user);
  return !end || llvm::any_of(variable.getUsers(), [&](Operation *assign) {
    if (!isa<emitc::AssignOp>(assign) || assign->getOperand(0) != variable)
      return false;
    Operation *at = block->findAncestorOpInBlock(*assign);
    // `user` itself may set the variable, once it has read it.
    return at && !at->isBeforeInBlock(load) && !end->isBeforeInBlock(at) &&
           !(at == end && end == user);
  });
}

/// Reads variables where they are used, so that `sum + x` need not be
/// `const float sum_1 = sum; sum_1 + x`.
static void readVariablesInPlace(emitc::FuncOp function) {
  SmallVector<emitc::LoadOp> loads;
  function.walk([&](emitc::LoadOp load) {
    if (load.getOperand().getDefiningOp<emitc::VariableOp>())
      loads.push_back(load);
  });
  for (emitc::LoadOp load : loads) {
    for (OpOperand &use : llvm::make_early_inc_range(load->getUses())) {
      if (isSetBetween(load.getOperand(), load, use.getOwner()))
        continue;
      OpBuilder builder(use.getOwner());
      use.set(builder.clone(*load)->getResult(0));
    }
    if (load->use_empty())
      load.erase();
  }
}

/// Loads of memory stay statements of their own, so that they are in flight
/// together and are easy to find.
static bool canBePartOfStatement(Operation *op) {
  if (auto load = dyn_cast<emitc::LoadOp>(op)) {
    return load.getOperand().getDefiningOp<emitc::VariableOp>() &&
           load->hasOneUse() &&
           !isSetBetween(load.getOperand(), load, *load->user_begin());
  }
  return isa<emitc::CExpressionInterface>(op) && op->getNumResults() == 1 &&
         !isa<emitc::ExpressionOp, emitc::ConstantOp>(op);
}

/// Adds to `tree`, in pre-order, `op` and what it alone uses.
static void collectTree(Operation *op, llvm::SetVector<Operation *> &tree) {
  tree.insert(op);
  for (Value operand : op->getOperands()) {
    Operation *producer = operand.getDefiningOp();
    if (!producer || !canBePartOfStatement(producer) || !operand.hasOneUse() ||
        producer->getBlock() != op->getBlock() ||
        tree.size() >= maxOpsPerStatement)
      continue;
    collectTree(producer, tree);
  }
}

/// Moves `tree`, whose root is its first op, into an expression at the root.
static void formExpression(llvm::SetVector<Operation *> &tree) {
  Operation *root = tree.front();
  llvm::SetVector<Value> inputs;
  for (Operation *op : tree)
    for (Value operand : op->getOperands())
      if (!operand.getDefiningOp() || !tree.contains(operand.getDefiningOp()))
        inputs.insert(operand);
  OpBuilder builder(root);
  Type type = root->getResult(0).getType();
  auto expression = emitc::ExpressionOp::create(builder, root->getLoc(), type,
                                                inputs.getArrayRef(),
                                                /*do_not_inline=*/false);
  Block &body = expression.createBody();
  root->getResult(0).replaceAllUsesWith(expression.getResult());
  builder.setInsertionPointToEnd(&body);
  emitc::YieldOp::create(builder, root->getLoc(), root->getResult(0));
  // Pre-order, reversed, has every producer ahead of its one user.
  for (Operation *op : tree)
    op->moveBefore(&body, body.begin());
  IRMapping arguments;
  arguments.map(inputs.getArrayRef(), body.getArguments());
  for (Operation *op : tree)
    for (OpOperand &operand : op->getOpOperands())
      operand.set(arguments.lookupOrDefault(operand.get()));
}

void tandem::conversion::formStatements(emitc::FuncOp function) {
  readVariablesInPlace(function);
  SmallVector<Block *> blocks;
  function.walk([&](Block *block) { blocks.push_back(block); });
  for (Block *block : blocks) {
    // Users come first, so that what remains is the root of a statement.
    Operation *op = block->empty() ? nullptr : &block->back();
    while (op) {
      llvm::SetVector<Operation *> tree;
      if (canBePartOfStatement(op))
        collectTree(op, tree);
      if (!tree.empty()) {
        formExpression(tree);
        // The expression stands where its root stood.
        op = op->getParentOp();
      }
      op = op->getPrevNode();
    }
  }
}
