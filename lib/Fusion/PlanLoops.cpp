//===- PlanLoops.cpp - Which ops become one loop --------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanState.h"
#include "Prices.h"

#include "mlir/IR/Block.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tandem {
namespace {

using Id = FusionUnits::Id;

class LoopPlanner {
public:
  explicit LoopPlanner(PlanState &state)
      : state(state), block(state.block), options(state.options),
        units(state.units) {}

  void plan();

private:
  /// Who needs a value.
  struct Consumers {
    SmallVector<Id> kernels;
    /// An op step or the terminator.
    bool outside = false;
  };

  void visit(Operation *op);
  Consumers consumersOf(Value value) const;

  /// How `op` would be computed in a kernel that has all its users.
  Evaluation evaluationIn(Operation *op, Id kernel);
  /// Whether the body may compute `op`, which may be a window within a window.
  FusionDecision checkBody(Id kernel, Operation *op, Evaluation evaluation);

  bool tryProduce(Operation *op, const Consumers &consumers);
  FusionDecision checkProduce(Operation *op, const Consumers &consumers,
                              ArrayRef<Evaluation> evaluations,
                              const FusionPrice &price);
  FusionPrice priceIn(Operation *op, ArrayRef<Id> kernels,
                      ArrayRef<Evaluation> evaluations);

  bool tryExtraResult(Operation *op, ArrayRef<Id> kernels);
  FusionDecision checkExtraResult(Operation *op, Id kernel,
                                  Evaluation evaluation);

  void joinReaders(Value value);
  FusionDecision checkJoin(Id a, Id b);

  PlanState &state;
  Block &block;
  const FusionOptions &options;
  FusionUnits &units;
};

LoopPlanner::Consumers LoopPlanner::consumersOf(Value value) const {
  Consumers consumers;
  for (Operation *user : value.getUsers()) {
    Operation *inBlock = block.findAncestorOpInBlock(*user);
    ArrayRef<Id> ids = units.unitsOf(inBlock);
    consumers.outside |= ids.empty();
    for (Id id : ids) {
      if (!units[id].isLoop())
        consumers.outside = true;
      else if (!llvm::is_contained(consumers.kernels, id))
        consumers.kernels.push_back(id);
    }
  }
  return consumers;
}

Evaluation LoopPlanner::evaluationIn(Operation *op, Id kernel) {
  FusionUnit &unit = units[kernel];
  int64_t same = 0, other = 0;
  for (OpOperand &use : op->getResult(0).getUses()) {
    auto it = unit.ops.find(use.getOwner());
    if (it == unit.ops.end())
      continue;
    OperandAccess access = getAccess(use, state.factsOf(use.getOwner()));
    // What is asked for at one index several times is computed once.
    if (access.identity && it->second.identity)
      same = std::max(same, it->second.count);
    else
      other += it->second.count * access.reads;
  }
  return {std::max<int64_t>(1, same + other), other == 0};
}

FusionDecision LoopPlanner::checkBody(Id kernel, Operation *op,
                                      Evaluation evaluation) {
  int64_t reads = state.factsOf(op).reads;
  int64_t total = evaluation.count * reads;
  bool isNested = reads > 1 && evaluation.count > 1;
  if (isNested && total > options.maxNestedReads)
    return FusionDecision::refuse(FusionRefusal::BodyTooLarge, total,
                                  options.maxNestedReads);
  return state.checkBody(kernel, total);
}

//===----------------------------------------------------------------------===//
// A producer within the kernels of its consumers
//===----------------------------------------------------------------------===//

FusionPrice LoopPlanner::priceIn(Operation *op, ArrayRef<Id> kernels,
                                 ArrayRef<Evaluation> evaluations) {
  const OpFacts &facts = state.factsOf(op);
  if (!facts.inLoop || kernels.empty())
    return {};
  double computed = 0;
  for (auto [kernel, evaluation] : llvm::zip_equal(kernels, evaluations))
    computed += double(evaluation.count) * double(units[kernel].iterations());
  return priceProduce(options.device, facts, int64_t(kernels.size()), computed);
}

FusionDecision LoopPlanner::checkProduce(Operation *op,
                                         const Consumers &consumers,
                                         ArrayRef<Evaluation> evaluations,
                                         const FusionPrice &price) {
  const OpFacts &facts = state.factsOf(op);
  if (!facts.inLoop)
    return facts.inLoop;
  if (consumers.kernels.empty())
    return FusionDecision::refuse(FusionRefusal::ConsumerNotFusible);
  if (consumers.outside)
    return FusionDecision::refuse(FusionRefusal::NeededOutside);
  for (auto [kernel, evaluation] :
       llvm::zip_equal(consumers.kernels, evaluations))
    if (FusionDecision decision = checkBody(kernel, op, evaluation); !decision)
      return decision;
  if (price.fusedNs > price.unfusedNs)
    return FusionDecision::refuse(FusionRefusal::RecomputeCostsMore,
                                  int64_t(price.fusedNs),
                                  int64_t(price.unfusedNs));
  return FusionDecision::allow();
}

bool LoopPlanner::tryProduce(Operation *op, const Consumers &consumers) {
  SmallVector<Evaluation> evaluations;
  for (Id kernel : consumers.kernels)
    evaluations.push_back(evaluationIn(op, kernel));
  Operation *consumer = consumers.kernels.size() == 1
                            ? units[consumers.kernels.front()].root
                            : nullptr;
  FusionPrice price = priceIn(op, consumers.kernels, evaluations);
  if (!state.decide(FusionQuestion::Produce, op, consumer,
                    checkProduce(op, consumers, evaluations, price), price))
    return false;
  units.produce(op, consumers.kernels, evaluations, state.factsOf(op).reads);
  return true;
}

//===----------------------------------------------------------------------===//
// A producer as one more result of a consumer's kernel
//===----------------------------------------------------------------------===//

FusionDecision LoopPlanner::checkExtraResult(Operation *op, Id kernel,
                                             Evaluation evaluation) {
  FusionUnit &unit = units[kernel];
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (!evaluation.identity || evaluation.count != 1 ||
      type.getShape() != unit.space())
    return FusionDecision::refuse(FusionRefusal::DifferentIterationSpace);
  int64_t results = unit.outputs.size() + 1;
  if (results > options.maxResults)
    return FusionDecision::refuse(FusionRefusal::TooManyResults, results,
                                  options.maxResults);
  if (FusionDecision decision = checkBody(kernel, op, evaluation); !decision)
    return decision;
  if (!units.canAbsorb(op, kernel))
    return FusionDecision::refuse(FusionRefusal::WouldCycle);
  return FusionDecision::allow();
}

bool LoopPlanner::tryExtraResult(Operation *op, ArrayRef<Id> kernels) {
  for (Id kernel : kernels) {
    Evaluation evaluation = evaluationIn(op, kernel);
    if (!state.decide(FusionQuestion::ExtraResult, op, units[kernel].root,
                      checkExtraResult(op, kernel, evaluation),
                      priceShared(options.device, state.factsOf(op),
                                  units.sharedBytes(op, kernel))))
      continue;
    units.absorb(op, kernel, evaluation, state.factsOf(op).reads);
    units[kernel].outputs.insert(op->getResult(0));
    return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Siblings
//===----------------------------------------------------------------------===//

FusionDecision LoopPlanner::checkJoin(Id a, Id b) {
  FusionUnit &first = units[a], &second = units[b];
  if (first.space() != second.space())
    return FusionDecision::refuse(FusionRefusal::DifferentIterationSpace);
  int64_t results = first.outputs.size() + second.outputs.size();
  if (results > options.maxResults)
    return FusionDecision::refuse(FusionRefusal::TooManyResults, results,
                                  options.maxResults);
  if (FusionDecision decision = state.checkBody(a, second.bodyReads); !decision)
    return decision;
  if (!units.canMerge(a, b))
    return FusionDecision::refuse(FusionRefusal::WouldCycle);
  return FusionDecision::allow();
}

void LoopPlanner::joinReaders(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape())
    return;
  SmallVector<Id> readers;
  // Where the value is small beside the loops, sharing it saves nothing.
  for (Id id : consumersOf(value).kernels)
    if (type.getNumElements() * 2 >= units[id].iterations())
      readers.push_back(id);
  for (size_t i = 0; i < readers.size(); ++i)
    for (size_t j = i + 1; j < readers.size();) {
      Operation *root = units[readers[j]].root;
      if (state.decide(FusionQuestion::Siblings, root, units[readers[i]].root,
                       checkJoin(readers[i], readers[j]),
                       priceJoin(options.device, getBytes(value)))) {
        units.merge(readers[i], readers[j]);
        readers.erase(readers.begin() + j);
      } else {
        ++j;
      }
    }
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

void LoopPlanner::visit(Operation *op) {
  const OpFacts &opFacts = state.factsOf(op);
  for (Value result : op->getResults())
    joinReaders(result);
  Consumers consumers;
  for (Value result : op->getResults()) {
    Consumers more = consumersOf(result);
    consumers.outside |= more.outside;
    llvm::append_range(consumers.kernels, more.kernels);
  }
  bool inLoop = bool(opFacts.inLoop) && !op->use_empty();
  bool isView = opFacts.isView;
  int64_t reads = opFacts.reads;
  if (tryProduce(op, consumers))
    return;
  // Where its one consumer alone needs it, storing it there saves nothing.
  bool neededByOthers = consumers.outside || consumers.kernels.size() > 1;
  if (inLoop && !isView && neededByOthers &&
      tryExtraResult(op, consumers.kernels))
    return;
  units.create(op, inLoop && !isView, reads);
}

void LoopPlanner::plan() {
  for (Operation &op : llvm::reverse(block.without_terminator())) {
    bool isPlaced =
        !units.unitsOf(&op).empty() || matchPattern(&op, m_Constant());
    if (!isPlaced)
      visit(&op);
    else
      for (Value result : op.getResults())
        joinReaders(result);
  }
  for (BlockArgument argument : block.getArguments())
    joinReaders(argument);
}

} // namespace

void planLoops(PlanState &state) { LoopPlanner(state).plan(); }

} // namespace tandem
