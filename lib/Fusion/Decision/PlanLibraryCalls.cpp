//===- PlanLibraryCalls.cpp - Contractions as calls of libraries ----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decision/PlanState.h"
#include "Models/FusionCosts.h"

#include "tandem/Dialect/Tandem/IR/LibraryCall.h"
#include "tandem/Dialect/Tandem/IR/TandemTypes.h"
#include "tandem/Dialect/Tandem/IR/ValueTypes.h"
#include "tandem/Runtime/Kernels/FusedContraction.h"

using namespace mlir;

namespace tandem {
namespace {

class LibraryCallPlanner {
public:
  explicit LibraryCallPlanner(PlanState &state)
      : state(state), candidates(state.candidates),
        model(*state.options.libraries) {}

  void visit(ir::ContractionOpInterface hero);

private:
  /// An op of an epilogue, and the call that ends with it.
  struct Step {
    Operation *op;
    ir::LibraryCall call;
  };
  using Steps = SmallVector<Step, 3>;

  Steps collect(ir::ContractionOpInterface hero);
  Operation *findNext(ir::ContractionOpInterface hero, Value result);
  void refuse(Operation *op, Operation *hero, FusionRefusal reason,
              std::string text = {});
  FusionCost estimateCost(Operation *op, Operation *hero);

  PlanState &state;
  FusionCandidates &candidates;
  const LibraryModel &model;
};

void LibraryCallPlanner::refuse(Operation *op, Operation *hero,
                                FusionRefusal reason, std::string text) {
  state.note({FusionQuestion::PrologueOrEpilogue,
              op,
              hero,
              FusionDecision::refuse(reason, std::move(text)),
              {}});
}

/// The only op that reads `result`; null where there is none, or several.
Operation *LibraryCallPlanner::findNext(ir::ContractionOpInterface hero,
                                        Value result) {
  SmallPtrSet<Operation *, 2> users;
  for (Operation *user : result.getUsers())
    users.insert(user);
  auto isOutside = [&](Operation *user) {
    return user->getBlock() != &state.block ||
           user->hasTrait<OpTrait::IsTerminator>();
  };
  if (users.size() == 1)
    return isOutside(*users.begin()) ? nullptr : *users.begin();
  for (Operation *user : result.getUsers())
    if (users.erase(user) && !isOutside(user))
      refuse(user, hero, FusionRefusal::NeededOutside);
  return nullptr;
}

/// The ops after `hero` that have the form of an epilogue.
LibraryCallPlanner::Steps
LibraryCallPlanner::collect(ir::ContractionOpInterface hero) {
  Steps steps;
  ir::LibraryCall call(hero);
  while (Operation *op = findNext(hero, call.result)) {
    if (!candidates.candidatesOf(op).empty()) {
      refuse(op, hero, FusionRefusal::Taken);
      break;
    }
    if (!state.checkPhases(op, hero)) {
      refuse(op, hero, FusionRefusal::OtherPhase);
      break;
    }
    if (Status added = call.add(op); !added) {
      refuse(op, hero, FusionRefusal::NotInLibraryCall, added.error().message);
      break;
    }
    steps.push_back({op, call});
  }
  return steps;
}

/// Whether the library computes the whole of `call`.
Status check(const ir::LibraryCall &call, const LibraryModel &model) {
  auto op = cast<ir::TandemOpInterface>(*call.contraction);
  const OpDesc desc = op.getOpDesc();
  std::vector<TensorType> operands;
  for (Value operand : call.operands())
    operands.push_back(ir::toTandemType(typeOf(operand)));
  // The bias is one of its dims, whatever dims of size 1 it has.
  if (call.bias)
    operands[2].shape = {operands[2].shape.numElements()};
  const TensorType result = ir::toTandemType(typeOf(call.result));
  FusedContraction fused{{desc, operands, {&result, 1}}, bool(call.residual)};
  if (call.activation)
    fused.activation = isa<ir::ReluOp>(call.activation) ? Activation::relu
                                                        : Activation::gelu_tanh;
  return model.check(fused);
}

/// That of a kernel of its own, which reads what the contraction stores.
FusionCost LibraryCallPlanner::estimateCost(Operation *op, Operation *hero) {
  const OpFusionInfo &info = state.infoOf(op);
  if (!info.inLoop)
    return {};
  return estimateSharedCost(state.options.device, info,
                            getBytes(hero->getResult(0)));
}

void LibraryCallPlanner::visit(ir::ContractionOpInterface hero) {
  if (state.infoOf(hero).inLoop || !candidates.candidatesOf(hero).empty() ||
      !hasStaticTypes(hero))
    return;
  Steps steps = collect(hero);
  // From the longest: a library is asked once where it computes all, and is
  // then about to do so.
  while (!steps.empty()) {
    Status can = check(steps.back().call, model);
    if (can)
      break;
    refuse(steps.back().op, hero, FusionRefusal::NotInLibraryCall,
           can.error().message);
    steps.pop_back();
  }
  std::optional<FusionCandidates::Id> id;
  for (const Step &step : steps) {
    if (!state.decide(FusionQuestion::PrologueOrEpilogue, step.op, hero,
                      FusionDecision::allow(), estimateCost(step.op, hero)))
      break;
    if (!id) {
      id = candidates.create(hero, /*isKernel=*/true, /*reads=*/1);
      candidates[*id].kind = ir::FusionKind::library;
    }
    candidates.absorb(step.op, *id, RecomputeInfo{},
                      state.infoOf(step.op).reads);
  }
  if (id)
    candidates.updateOutputs(*id);
}

} // namespace

void planLibraryCalls(PlanState &state) {
  LibraryCallPlanner planner(state);
  for (Operation &op : state.block)
    if (auto hero = dyn_cast<ir::ContractionOpInterface>(op);
        hero && !op.use_empty())
      planner.visit(hero);
}

} // namespace tandem
