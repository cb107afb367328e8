//===- LoopPlan.cpp - What an executor prepares per loop ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopPlan.h"

#include "tandem/Runtime/Memory/AlignedBytes.h"
#include "tandem/Runtime/Program/ProgramLoops.h"
#include "tandem/Runtime/Program/ProgramMemory.h"

using namespace tandem;
using namespace tandem::exec;

/// Follows views from `slot` to the slot whose memory it is in, if a step of
/// the body computes that slot in memory of its own. Otherwise nothing.
static std::optional<uint32_t> findComputed(const LoopPlan &plan,
                                            uint32_t slot) {
  for (size_t i = plan.plans.size(); i-- > 0;) {
    const std::vector<uint32_t> &results = plan.plans[i].step->results;
    if (std::find(results.begin(), results.end(), slot) == results.end())
      continue;
    if (!plan.plans[i].isView)
      return plan.body.slots[slot]->arena_offset < 0 ? std::optional(slot)
                                                     : std::nullopt;
    // The type of a view's operand is known in compiled programs alone.
    if (!isCompiled(plan.body))
      return std::nullopt;
    slot = plan.plans[i].step->operands[0];
  }
  return std::nullopt;
}

static void findTargets(LoopPlan &plan) {
  for (uint32_t output : plan.body.outputs) {
    std::optional<uint32_t> target = findComputed(plan, output);
    if (std::find(plan.targets.begin(), plan.targets.end(), target) !=
        plan.targets.end())
      target.reset();
    plan.targets.push_back(target);
  }
}

Expected<std::shared_ptr<LoopPlan>>
LoopPlan::create(const fb::StepT &step, Types types, const Kernels &kernels,
                 const ExecutorOptions &options,
                 std::span<const Tensor> constants) {
  auto plan = std::make_shared<LoopPlan>();
  const fb::LoopT &loop = *step.loop;
  static_cast<fb::ProgramT &>(plan->body) = *loop.body;
  plan->body.inputs.clear();
  plan->body.input_dims.clear();
  plan->body.input_names.clear();
  for (size_t i = 0; i < step.operands.size(); ++i) {
    const uint32_t slot = loop.body->inputs[i];
    if (i >= loop.carried + loop.scanned && constants[i]) {
      plan->body.constants.push_back({slot, constants[i]});
      continue;
    }
    plan->body.inputs.push_back(slot);
    plan->operands.push_back(i);
  }
  plan->types = std::move(types);
  plan->takesAnyAddress = options.stream->device().isHost();
  TANDEM_ASSIGN_OR_RETURN(plan->plans, planSteps(plan->body, kernels, options,
                                                 plan->body.constants));
  plan->caches = std::deque<PreparedCache>(plan->plans.size());
  findTargets(*plan);
  return plan;
}

LoopBuffers::LoopBuffers(const LoopPlan &plan, const fb::LoopT &loop,
                         std::span<const TensorType> operands,
                         std::span<const TensorType> results) {
  auto add = [&](const TensorType &type, bool isNeeded) {
    offsets.push_back(isNeeded ? bytes : kNone);
    bytes += isNeeded ? alignedBytes(type.bytes()) : 0;
  };
  auto addSlice = [&](const TensorType &type) {
    const TensorType slice = sliceOf(type);
    add(slice,
        !plan.takesAnyAddress && slice.bytes() != alignedBytes(slice.bytes()));
  };
  const int64_t trips = tripsOf(loop, operands);
  for (size_t i = 0; i < loop.carried; ++i)
    add(operands[i], trips > 1);
  for (size_t i = 0; i < loop.scanned; ++i)
    addSlice(operands[loop.carried + i]);
  for (size_t i = loop.carried; i < results.size(); ++i)
    addSlice(results[i]);
}

int64_t exec::loopBytes(const StepPlan &plan) {
  const LoopPlan &loop = *plan.loop;
  std::vector<int64_t> workspaces;
  for (const StepPlan &step : loop.plans)
    workspaces.push_back(workspaceBytes(step));
  std::vector<uint32_t> given;
  for (std::optional<uint32_t> target : loop.targets)
    if (target)
      given.push_back(*target);
  const LoopBuffers buffers(loop, *plan.step->loop, loop.types,
                            plan.resultTypes);
  return buffers.bytes + plannedPeakBytes(loop.body, workspaces, given);
}
