//===- IndexConditions.cpp - Branches that depend on indices --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loop/IndexConditions.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tandem {
namespace {

/// factors * indices of loops + constant.
struct LinearIndex {
  SmallVector<int64_t> factors;
  int64_t constant = 0;

  void add(const LinearIndex &other, int64_t factor) {
    for (auto [mine, others] : llvm::zip_equal(factors, other.factors))
      mine += factor * others;
    constant += factor * other.constant;
  }
  bool isConstant() const {
    return llvm::all_of(factors, [](int64_t factor) { return factor == 0; });
  }
};

std::optional<LinearIndex> describeIndex(Value value, unsigned numLoops);

std::optional<LinearIndex> multiply(const std::optional<LinearIndex> &a,
                                    const std::optional<LinearIndex> &b) {
  if (!a || !b || (!a->isConstant() && !b->isConstant()))
    return std::nullopt;
  const LinearIndex &varying = a->isConstant() ? *b : *a;
  LinearIndex product{SmallVector<int64_t>(varying.factors.size(), 0), 0};
  product.add(varying, a->isConstant() ? a->constant : b->constant);
  return product;
}

std::optional<LinearIndex> sum(std::optional<LinearIndex> a,
                               const std::optional<LinearIndex> &b) {
  if (!a || !b)
    return std::nullopt;
  a->add(*b, 1);
  return a;
}

std::optional<LinearIndex> describeExpr(AffineExpr expr, unsigned numDims,
                                        ValueRange operands,
                                        unsigned numLoops) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return LinearIndex{SmallVector<int64_t>(numLoops, 0), constant.getValue()};
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return describeIndex(operands[dim.getPosition()], numLoops);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return describeIndex(operands[numDims + symbol.getPosition()], numLoops);
  auto binary = cast<AffineBinaryOpExpr>(expr);
  auto lhs = describeExpr(binary.getLHS(), numDims, operands, numLoops);
  auto rhs = describeExpr(binary.getRHS(), numDims, operands, numLoops);
  if (expr.getKind() == AffineExprKind::Add)
    return sum(lhs, rhs);
  return expr.getKind() == AffineExprKind::Mul ? multiply(lhs, rhs)
                                               : std::nullopt;
}

/// None where the value is not a linear function of the loops' indices.
std::optional<LinearIndex> describeIndex(Value value, unsigned numLoops) {
  LinearIndex none{SmallVector<int64_t>(numLoops, 0), 0};
  Operation *op = value.getDefiningOp();
  if (auto constant = dyn_cast_or_null<arith::ConstantIndexOp>(op)) {
    none.constant = constant.value();
    return none;
  }
  if (auto index = dyn_cast_or_null<linalg::IndexOp>(op)) {
    none.factors[index.getDim()] = 1;
    return none;
  }
  if (auto apply = dyn_cast_or_null<affine::AffineApplyOp>(op))
    return describeExpr(apply.getAffineMap().getResult(0),
                        apply.getAffineMap().getNumDims(),
                        apply.getMapOperands(), numLoops);
  if (isa_and_nonnull<arith::AddIOp>(op))
    return sum(describeIndex(op->getOperand(0), numLoops),
               describeIndex(op->getOperand(1), numLoops));
  if (isa_and_nonnull<arith::MulIOp>(op))
    return multiply(describeIndex(op->getOperand(0), numLoops),
                    describeIndex(op->getOperand(1), numLoops));
  return std::nullopt;
}

} // namespace

std::optional<bool> evaluateCondition(Value condition,
                                      const KnownConditions &known) {
  if (auto it = known.find(condition); it != known.end())
    return it->second;
  auto both = condition.getDefiningOp<arith::AndIOp>();
  if (!both)
    return std::nullopt;
  std::optional<bool> lhs = evaluateCondition(both.getLhs(), known),
                      rhs = evaluateCondition(both.getRhs(), known);
  if (lhs && rhs)
    return *lhs && *rhs;
  bool isFalse = (lhs && !*lhs) || (rhs && !*rhs);
  return isFalse ? std::optional(false) : std::nullopt;
}

/// Whether it is computed from an index of that loop, or may be.
static bool dependsOn(Value value, unsigned loop, linalg::GenericOp op) {
  llvm::SetVector<Value> sources;
  sources.insert(value);
  for (size_t i = 0; i < sources.size(); ++i) {
    Operation *source = sources[i].getDefiningOp();
    if (auto argument = dyn_cast<BlockArgument>(sources[i])) {
      if (argument.getOwner() != op.getBody() ||
          op.getMatchingIndexingMap(&op->getOpOperand(argument.getArgNumber()))
              .isFunctionOfDim(loop))
        return true;
    } else if (auto index = dyn_cast<linalg::IndexOp>(source)) {
      if (index.getDim() == loop)
        return true;
    } else if (source->getNumRegions() > 0) {
      return true;
    } else {
      sources.insert(source->operand_begin(), source->operand_end());
    }
  }
  return false;
}

std::optional<int64_t> getStepOfIndex(Value index, unsigned loop,
                                      linalg::GenericOp op) {
  if (std::optional<LinearIndex> form = describeIndex(index, op.getNumLoops()))
    return form->factors[loop];
  return dependsOn(index, loop, op) ? std::nullopt : std::optional<int64_t>(0);
}

std::optional<int64_t> getStepOfExpr(AffineExpr expr, unsigned loop,
                                     unsigned numLoops) {
  if (!expr.isFunctionOfDim(loop))
    return 0;
  AffineExpr next = expr.replace(getAffineDimExpr(loop, expr.getContext()),
                                 getAffineDimExpr(loop, expr.getContext()) + 1);
  auto step = dyn_cast<AffineConstantExpr>(
      simplifyAffineExpr(next - expr, numLoops, /*numSymbols=*/0));
  return step ? std::optional(step.getValue()) : std::nullopt;
}

IndexConditions::IndexConditions(linalg::GenericOp op, unsigned laneLoop)
    : body(op.getBody()), sizes(op.getStaticLoopRanges()), laneLoop(laneLoop) {
  if (!sizes.empty())
    op.getBody()->walk([&](arith::CmpIOp compare) { add(compare); });
}

void IndexConditions::add(arith::CmpIOp op) {
  if (!op.getLhs().getType().isIndex())
    return;
  std::optional<LinearIndex> difference =
      describeIndex(op.getLhs(), sizes.size());
  std::optional<LinearIndex> rhs = describeIndex(op.getRhs(), sizes.size());
  if (!difference || !rhs) {
    hasOthers = true;
    return;
  }
  difference->add(*rhs, -1);
  comparisons.push_back({op, difference->factors, difference->constant});
}

bool IndexConditions::Comparison::isOfLoops(unsigned begin,
                                            unsigned end) const {
  return llvm::all_of(llvm::enumerate(factors), [&](const auto &factor) {
    return factor.value() == 0 ||
           (begin <= factor.index() && factor.index() < end);
  });
}

/// Whether it is one of the lanes' loop alone that changes once at most.
bool IndexConditions::isAlongLanes(const Comparison &comparison) const {
  using Predicate = arith::CmpIPredicate;
  return llvm::is_contained(
             {Predicate::slt, Predicate::sle, Predicate::sgt, Predicate::sge},
             arith::CmpIOp(comparison.op).getPredicate()) &&
         comparison.factors[laneLoop] != 0 &&
         comparison.isOfLoops(laneLoop, laneLoop + 1);
}

bool IndexConditions::areConstantInside() const {
  return !hasOthers && llvm::all_of(comparisons, [&](const Comparison &each) {
    return isAlongLanes(each) || each.isOfLoops(0, laneLoop) ||
           each.isOfLoops(laneLoop + 1, sizes.size());
  });
}

bool IndexConditions::Comparison::evaluate(unsigned loop, int64_t index) const {
  int64_t difference = factors[loop] * index + constant;
  return arith::applyCmpPredicate(arith::CmpIOp(op).getPredicate(),
                                  APInt(64, difference, /*isSigned=*/true),
                                  APInt(64, 0));
}

SmallVector<int64_t> IndexConditions::getBorders() const {
  if (sizes.empty())
    return {};
  SmallVector<int64_t> borders = {0, sizes[laneLoop]};
  for (const Comparison &comparison : comparisons) {
    if (!isAlongLanes(comparison))
      continue;
    bool atFirst = comparison.evaluate(laneLoop, 0);
    auto all = llvm::seq<int64_t>(0, sizes[laneLoop]);
    borders.push_back(
        *std::partition_point(all.begin(), all.end(), [&](int64_t i) {
          return comparison.evaluate(laneLoop, i) == atFirst;
        }));
  }
  llvm::sort(borders);
  borders.erase(llvm::unique(borders), borders.end());
  return borders;
}

void IndexConditions::learn(int64_t index, KnownConditions &known) const {
  for (const Comparison &comparison : comparisons)
    if (isAlongLanes(comparison))
      known[arith::CmpIOp(comparison.op).getResult()] =
          comparison.evaluate(laneLoop, index);
}

arith::CmpIOp IndexConditions::findUniform(const KnownConditions &known) const {
  return findUniform(*body, known);
}

arith::CmpIOp IndexConditions::findUniform(Block &block,
                                           const KnownConditions &known) const {
  for (auto branch : block.getOps<scf::IfOp>()) {
    std::optional<bool> taken = evaluateCondition(branch.getCondition(), known);
    if (!taken)
      if (arith::CmpIOp leaf = findUniformLeaf(branch.getCondition(), known))
        return leaf;
    for (bool side : {true, false}) {
      Block *next = side ? branch.thenBlock() : branch.elseBlock();
      if (!next || (taken && *taken != side))
        continue;
      if (arith::CmpIOp found = findUniform(*next, known))
        return found;
    }
  }
  return {};
}

arith::CmpIOp
IndexConditions::findUniformLeaf(Value condition,
                                 const KnownConditions &known) const {
  if (auto both = condition.getDefiningOp<arith::AndIOp>()) {
    arith::CmpIOp found = findUniformLeaf(both.getLhs(), known);
    return found ? found : findUniformLeaf(both.getRhs(), known);
  }
  const auto *it = llvm::find_if(comparisons, [&](const Comparison &each) {
    return arith::CmpIOp(each.op).getResult() == condition;
  });
  bool isOpen = it != comparisons.end() && it->isOfLoops(0, laneLoop) &&
                !known.contains(condition);
  return isOpen ? it->op : arith::CmpIOp();
}

} // namespace tandem
