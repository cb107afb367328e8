//===- StepPlan.cpp - What an executor prepares per step ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopPlan.h"

#include "tandem/Runtime/Kernels/FusedContraction.h"
#include "tandem/Runtime/Program/Preparation.h"
#include "tandem/Runtime/Program/ProgramMemory.h"
#include "tandem/Runtime/Program/ProgramSizes.h"
#include "tandem/Runtime/Workers.h"

#include <set>

using namespace tandem;
using namespace tandem::exec;

//===----------------------------------------------------------------------===//
// PreparedCache
//===----------------------------------------------------------------------===//

/// With its epilogue, if it has one.
static Expected<std::unique_ptr<PreparedOp>>
prepareStep(const fb::StepT &step, const OpSignature &signature,
            ProviderList providers) {
  if (!step.epilogue)
    return prepareOp(providers, signature);
  return prepareFused(providers, {signature, step.epilogue->has_residual,
                                  step.epilogue->activation});
}

static Expected<PreparedRef> prepare(const fb::StepT &step, Types operands,
                                     Types results, ProviderList providers,
                                     std::span<const Tensor> constants = {}) {
  auto entry = std::make_shared<PreparedEntry>();
  TANDEM_ASSIGN_OR_RETURN(
      entry->op,
      prepareStep(step, {*step.op, operands, results, constants}, providers));
  entry->types = std::move(operands);
  entry->results = std::move(results);
  return PreparedRef(std::move(entry));
}

/// A step whose op has sizes that the symbols give. `key` holds the types of
/// the operands and the symbols.
static Expected<PreparedRef> prepareSized(const fb::StepT &step, Types key,
                                          std::span<const int64_t> symbols,
                                          bool isView, ProviderList providers) {
  auto entry = std::make_shared<PreparedEntry>();
  TANDEM_ASSIGN_OR_RETURN(OpDesc resolved, resolveSizes(step, symbols));
  entry->resolved = std::make_unique<OpDesc>(std::move(resolved));
  const auto operands = std::span(key).first(step.operands.size());
  TANDEM_ASSIGN_OR_RETURN(TensorType result,
                          inferType(*entry->resolved, operands));
  entry->results = {result};
  if (!isView) {
    TANDEM_ASSIGN_OR_RETURN(
        entry->op,
        prepareStep(step, {*entry->resolved, operands, entry->results, {}},
                    providers));
  }
  entry->types = std::move(key);
  return PreparedRef(std::move(entry));
}

template <typename Prepare>
Expected<PreparedRef> PreparedCache::findOr(std::span<const TensorType> key,
                                            const Prepare &prepare) {
  if (PreparedRef known = entries.find(key))
    return known;
  TANDEM_ASSIGN_OR_RETURN(PreparedRef entry, prepare());
  return entries.add(std::move(entry));
}

Expected<PreparedRef> PreparedCache::get(const fb::StepT &step,
                                         std::span<const TensorType> operands,
                                         std::span<const TensorType> results,
                                         ProviderList providers) {
  return findOr(operands, [&] {
    return prepare(step, Types(operands.begin(), operands.end()),
                   Types(results.begin(), results.end()), providers);
  });
}

Expected<PreparedRef> PreparedCache::getSized(
    const fb::StepT &step, std::span<const TensorType> operands,
    std::span<const int64_t> symbols, bool isView, ProviderList providers) {
  return findOr(operands, [&] {
    return prepareSized(step, Types(operands.begin(), operands.end()), symbols,
                        isView, providers);
  });
}

void exec::addSymbols(std::span<const int64_t> symbols, Types &operands) {
  for (; !symbols.empty();
       symbols = symbols.subspan(operands.back().shape.rank()))
    operands.push_back({DType::i64, Shape(symbols)});
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

int64_t exec::workspaceBytes(const StepPlan &plan) {
  if (plan.isKernel())
    return plan.loaded->workspaceBytes(*plan.kernel);
  if (plan.loop)
    return loopBytes(plan);
  return plan.prepared ? plan.prepared->op->workspaceBytes() : 0;
}

bool exec::areStepsPrepared(const Program &program,
                            std::span<const StepPlan> plans) {
  return isCompiled(program) &&
         std::all_of(plans.begin(), plans.end(), [](const StepPlan &plan) {
           return plan.isKernel() || plan.isView || plan.prepared ||
                  (plan.loop &&
                   areStepsPrepared(plan.loop->body, plan.loop->plans));
         });
}

bool exec::isCompiled(const Program &program) { return program.planned; }

tl::unexpected<Error> exec::locate(Error error, const fb::StepT &step) {
  if (error.location.empty())
    error.location = step.location;
  std::string_view what = step.op     ? name(step.op->kind)
                          : step.loop ? "loop"
                                      : "kernel";
  if (error.message.find(what) == std::string::npos)
    error.message = std::string(what) + ": " + error.message;
  return tl::unexpected<Error>(std::move(error));
}

namespace {

Types slotTypes(const Program &program, const std::vector<uint32_t> &slots) {
  Types types;
  for (uint32_t slot : slots)
    types.push_back(fromFlat(*program.slots[slot]->type));
  return types;
}

bool areStatic(const Types &types) {
  return std::all_of(types.begin(), types.end(),
                     [](const TensorType &type) { return type.isStatic(); });
}

Status planKernel(const Program &program, const Kernels &kernels,
                  const ExecutorOptions &options, StepPlan &plan) {
  size_t index = plan.step->kernel;
  plan.kernel = kernels[index].get();
  plan.resultTypes = slotTypes(program, plan.step->results);
  if (options.kernels.size() <= index || !options.kernels[index])
    return fail("load", "kernel " + plan.kernel->name + " is not loaded");
  plan.loaded = options.kernels[index].get();
  return {};
}

/// The values of the step's operands that are constants; of others, nothing.
std::vector<Tensor> constantOperands(const fb::StepT &step,
                                     std::span<const Constant> constants) {
  std::vector<Tensor> values(step.operands.size());
  for (const Constant &constant : constants)
    for (size_t k = 0; k < values.size(); ++k)
      if (step.operands[k] == constant.slot)
        values[k] = constant.data;
  return values;
}

Status planOp(const Program &program, const ExecutorOptions &options,
              std::span<const Constant> constants, StepPlan &plan) {
  const fb::StepT &step = *plan.step;
  const std::optional<int64_t> offset = viewOffset(program, step);
  plan.isView = offset.has_value();
  plan.viewOffset = offset.value_or(0);
  plan.isInPlace = step.op->kind == OpKind::concat &&
                   std::ranges::all_of(findOperandsInPlace(program, step),
                                       [](bool isIt) { return isIt; });
  Types operands = slotTypes(program, step.operands);
  Types results = slotTypes(program, step.results);
  bool ahead = isCompiled(program) && areStatic(operands) && areStatic(results);
  // The operand of a slice that is a view is static, too.
  if (ahead || (step.op->kind == OpKind::custom_call && areStatic(results)) ||
      (plan.isView && step.op->kind == OpKind::slice))
    plan.resultTypes = results;
  // What types are not known of is made ready later (warmUp).
  if (plan.isView || !ahead)
    return {};
  TANDEM_ASSIGN_OR_RETURN(plan.prepared,
                          prepare(step, std::move(operands), std::move(results),
                                  options.providers,
                                  constantOperands(step, constants)));
  return {};
}

Status planLoop(const Program &program, const Kernels &kernels,
                const ExecutorOptions &options,
                std::span<const Constant> constants, StepPlan &plan) {
  if (isCompiled(program))
    plan.resultTypes = slotTypes(program, plan.step->results);
  TANDEM_ASSIGN_OR_RETURN(
      plan.loop,
      LoopPlan::create(*plan.step, slotTypes(program, plan.step->operands),
                       kernels, options,
                       constantOperands(*plan.step, constants)));
  return {};
}

/// One step for each combination of op kind and element types that must be
/// warmed up; other steps of the same combination need nothing more.
std::vector<const fb::StepT *> stepsToWarmUp(const Program &program,
                                             std::span<const StepPlan> plans) {
  std::vector<const fb::StepT *> steps;
  std::set<std::vector<int>> seen;
  for (const StepPlan &plan : plans) {
    if (!plan.step->op || plan.isView || plan.prepared)
      continue;
    std::vector<int> kind = {int(plan.step->op->kind)};
    for (const auto *slots : {&plan.step->operands, &plan.step->results})
      for (uint32_t slot : *slots)
        kind.push_back(int(fromFlat(*program.slots[slot]->type).dtype));
    if (seen.insert(std::move(kind)).second)
      steps.push_back(plan.step);
  }
  return steps;
}

Status warmUp(const Program &program, const fb::StepT &step,
              ProviderList providers) {
  const Types operands = slotTypes(program, step.operands);
  const Types results = slotTypes(program, step.results);
  for (const Provider *provider : providers)
    if (Status status = provider->warmUp({*step.op, operands, results});
        !status)
      return locate(std::move(status.error()), step);
  return {};
}

/// Has providers make ready what op steps of types that are not known yet will
/// need, in parallel: a GPU's may compile kernels. Of several errors, that of
/// the first step is returned.
Status warmUp(const Program &program, ProviderList providers,
              std::span<const StepPlan> plans) {
  const std::vector<const fb::StepT *> steps = stepsToWarmUp(program, plans);
  std::vector<Status> results(steps.size());
  std::vector<PhaseTimes> times(steps.size());
  runTasks(std::ssize(steps), [&](int64_t i) {
    PreparationScope preparation;
    results[i] = warmUp(program, *steps[i], providers);
    times[i] = std::move(preparation.times);
  });
  for (size_t i = 0; i < steps.size(); ++i) {
    PreparationScope::add(times[i]);
    TANDEM_RETURN_IF_ERROR(std::move(results[i]));
  }
  return {};
}

std::string labelOf(const Kernels &kernels, const fb::StepT &step) {
  std::string label = step.op     ? std::string(name(step.op->kind))
                      : step.loop ? "loop"
                                  : kernels[step.kernel]->name;
  return step.location.empty() ? label : label + " at " + step.location;
}

} // namespace

Expected<std::vector<StepPlan>>
exec::planSteps(const Program &program, const Kernels &kernels,
                const ExecutorOptions &options,
                std::span<const Constant> constants) {
  std::vector<StepPlan> plans(program.steps.size());
  for (size_t i = 0; i < plans.size(); ++i) {
    plans[i].step = program.steps[i].get();
    plans[i].label = labelOf(kernels, *plans[i].step);
    Status status =
        plans[i].step->op ? planOp(program, options, constants, plans[i])
        : plans[i].step->loop
            ? planLoop(program, kernels, options, constants, plans[i])
            : planKernel(program, kernels, options, plans[i]);
    if (!status)
      return locate(std::move(status.error()), *plans[i].step);
  }
  TANDEM_RETURN_IF_ERROR(warmUp(program, options.providers, plans));
  std::vector<std::vector<uint32_t>> dead = slotsDeadAfter(program);
  for (size_t i = 0; i < plans.size(); ++i)
    plans[i].dead = std::move(dead[i]);
  return plans;
}
