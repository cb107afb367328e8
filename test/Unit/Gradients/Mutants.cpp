//===- Mutants.cpp - Gradients that are wrong -----------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Single changes of the ops that a rule has built, each of which a test of the
// rule should notice.
//
//===----------------------------------------------------------------------===//

#include "CheckGradients.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace tandem;
using namespace tandem::test;

namespace {

struct Mutation {
  const char *name;
  /// Whether the op can be changed in this way.
  bool (*applies)(Operation *op);
  void (*apply)(Operation *op);
};

bool isOfFloats(Operation *op) {
  if (op->getNumResults() != 1)
    return false;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  return type && isa<FloatType>(type.getElementType());
}

template <unsigned operand> bool hasTypeOf(Operation *op) {
  return isa<ir::AddOp, ir::SubOp, ir::MulOp, ir::DivOp>(op) &&
         op->getOperand(operand).getType() == op->getResult(0).getType();
}

template <unsigned operand> void replaceBy(Operation *op) {
  op->getResult(0).replaceAllUsesWith(op->getOperand(operand));
}

void negate(Operation *op) {
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  auto negated = ir::NegOp::create(builder, op->getLoc(), op->getResult(0));
  op->getResult(0).replaceAllUsesExcept(negated, negated);
}

void swapBranches(Operation *op) {
  Value first = op->getOperand(1), second = op->getOperand(2);
  op->setOperand(1, second);
  op->setOperand(2, first);
}

ir::ComparePredicate negationOf(ir::ComparePredicate predicate) {
  using enum ir::ComparePredicate;
  switch (predicate) {
  case eq:
    return ne;
  case ne:
    return eq;
  case lt:
    return ge;
  case ge:
    return lt;
  case gt:
    return le;
  case le:
    return gt;
  }
  return predicate;
}

constexpr Mutation kMutations[] = {
    {"negated", isOfFloats, negate},
    {"without its second operand", hasTypeOf<0>, replaceBy<0>},
    {"without its first operand", hasTypeOf<1>, replaceBy<1>},
    {"with swapped branches",
     [](Operation *op) {
       return isa<ir::SelectOp>(op) &&
              op->getOperand(1).getType() == op->getOperand(2).getType();
     },
     swapBranches},
    {"with the opposite predicate",
     [](Operation *op) { return isa<ir::CompareOp>(op); },
     [](Operation *op) {
       auto compare = cast<ir::CompareOp>(op);
       compare.setPredicate(negationOf(compare.getPredicate()));
     }},
};

} // namespace

std::string TestFunction::applyMutant(size_t &number, bool isApplied) {
  auto function = module->lookupSymbol<func::FuncOp>("main");
  llvm::SmallVector<Operation *> ops;
  for (Operation &op : function.getBody().front().without_terminator())
    ops.push_back(&op);
  for (size_t i = numForward; i < ops.size(); ++i)
    for (const Mutation &mutation : kMutations)
      if (mutation.applies(ops[i]) && !ops[i]->use_empty() && number-- == 0) {
        const std::string name = ops[i]->getName().stripDialect().str();
        if (isApplied)
          mutation.apply(ops[i]);
        return name + " " + mutation.name;
      }
  return {};
}

size_t TestFunction::countMutants() {
  for (size_t count = 0;; ++count)
    if (size_t number = count; applyMutant(number, /*isApplied=*/false).empty())
      return count;
}

std::string TestFunction::mutate(size_t number) {
  return applyMutant(number, /*isApplied=*/true);
}
