//===- OpDispatch.cpp - Running an op step --------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopPlan.h"

#include "../core/VerifyLoop.h"
#include "tandem/Runtime/Kernels/FusedContraction.h"
#include "tandem/Runtime/Program/ProgramLoops.h"

using namespace tandem;
using namespace tandem::exec;

Expected<Tensor> exec::makeResult(const DispatchContext &context, uint32_t slot,
                                  const TensorType &type, Frame &frame) {
  const fb::SlotT &place = *context.program.slots[slot];
  if (place.arena_offset < 0) {
    // Another slot may have lived in it, or it is the caller's.
    if (frame.owned[slot]) [[unlikely]] {
      if (!frame.placed.empty() && frame.owned[slot].type() != type)
        return fail("output", "the result is " + type.str() +
                                  ", and the tensor for it is " +
                                  frame.owned[slot].type().str());
      return frame.owned[slot];
    }
    return Tensor::allocate(type, context.allocator);
  }
  if (place.host < 0)
    return Tensor::borrow(type, frame.arena.as<char>() + place.arena_offset,
                          context.memory);
  Tensor &host = frame.owned[place.host];
  if (!host) {
    TensorType hostType = fromFlat(*context.program.slots[place.host]->type);
    TANDEM_ASSIGN_OR_RETURN(host,
                            Tensor::allocate(hostType, context.allocator));
  }
  return Tensor::borrow(type, host.as<char>() + place.arena_offset,
                        context.memory);
}

Status exec::checkWritten(const Program &program, uint32_t slot,
                          const TensorType &actual) {
  const TensorType written = fromFlat(*program.slots[slot]->type);
  if (agree(written, actual))
    return {};
  return fail("shape", "the result is " + actual.str() + ", where " +
                           written.str() + " is written");
}

namespace {

bool sameTypes(std::span<const TensorType> lhs,
               std::span<const TensorType> rhs) {
  return std::equal(lhs.begin(), lhs.end(), rhs.begin(), rhs.end());
}

/// Types of the operands at hand, into the frame's buffer.
void gatherTypes(const StepPlan &plan, Frame &frame) {
  frame.operandTypes.clear();
  for (uint32_t slot : plan.step->operands)
    frame.operandTypes.push_back(frame.values[slot]->type());
}

/// The entry for the operands at hand: the frame's last one, or the cache's.
Expected<const PreparedEntry *> lookUp(const DispatchContext &context,
                                       const StepPlan &plan,
                                       PreparedCache &cache,
                                       std::span<const TensorType> results,
                                       PreparedRef &last, Frame &frame) {
  if (last && sameTypes(last->types, frame.operandTypes)) [[likely]]
    return last.get();
  for (size_t i = 0; i < results.size(); ++i)
    TANDEM_RETURN_IF_ERROR(
        checkWritten(context.program, plan.step->results[i], results[i]));
  TANDEM_ASSIGN_OR_RETURN(last, cache.get(*plan.step, frame.operandTypes,
                                          results, context.providers));
  return last.get();
}

/// Allocates the results and runs the op on them.
Status execute(const DispatchContext &context, const StepPlan &plan,
               const PreparedEntry &entry,
               std::span<const TensorType> resultTypes, Frame &frame) {
  const std::vector<uint32_t> &results = plan.step->results;
  frame.operands.clear();
  for (uint32_t slot : plan.step->operands) {
    const Tensor &value = *frame.values[slot];
    frame.operands.push_back(
        Tensor::borrow(value.type(), value.data(), context.memory));
  }
  frame.results.clear();
  for (size_t i = 0; i < results.size(); ++i) {
    TANDEM_ASSIGN_OR_RETURN(
        frame.owned[results[i]],
        makeResult(context, results[i], resultTypes[i], frame));
    frame.results.push_back(Tensor::borrow(
        resultTypes[i], frame.owned[results[i]].data(), context.memory));
  }
  if (context.dispatchOnly)
    return {};
  return tandem::runOp(*entry.op, frame.operands, frame.results, context.stream,
                       plan.label);
}

Status runPrepared(const DispatchContext &context, const StepPlan &plan,
                   Frame &frame) {
  return execute(context, plan, *plan.prepared, plan.resultTypes, frame);
}

/// Makes the result a view of the operand.
Status makeView(const DispatchContext &context, const StepPlan &plan,
                const TensorType &type, Frame &frame) {
  const uint32_t slot = plan.step->results[0];
  if (plan.resultTypes.empty())
    TANDEM_RETURN_IF_ERROR(checkWritten(context.program, slot, type));
  frame.owned[slot] =
      frame.values[plan.step->operands[0]]->partAs(type, plan.viewOffset);
  return {};
}

/// Runs a step with expressions of sizes.
Status runSized(const DispatchContext &context, const StepPlan &plan,
                PreparedCache &cache, PreparedRef &last, Frame &frame) {
  addSymbols(frame.symbols, frame.operandTypes);
  if (!last || !sameTypes(last->types, frame.operandTypes)) {
    TANDEM_ASSIGN_OR_RETURN(PreparedRef entry,
                            cache.getSized(*plan.step, frame.operandTypes,
                                           frame.symbols, plan.isView,
                                           context.providers));
    TANDEM_RETURN_IF_ERROR(checkWritten(context.program, plan.step->results[0],
                                        entry->results[0]));
    last = std::move(entry);
  }
  return plan.isView ? makeView(context, plan, last->results[0], frame)
                     : execute(context, plan, *last, last->results, frame);
}

} // namespace

Status exec::runOp(const DispatchContext &context, const StepPlan &plan,
                   PreparedCache &cache, size_t index, Frame &frame) {
  if (plan.prepared)
    return runPrepared(context, plan, frame);
  gatherTypes(plan, frame);
  if (!plan.step->sizes.empty())
    return runSized(context, plan, cache, frame.last[index], frame);
  TensorType inferred;
  Types several;
  std::span<const TensorType> results = plan.resultTypes;
  if (results.empty() &&
      getOpInfo(plan.step->op->kind).results != Results::one) {
    TANDEM_ASSIGN_OR_RETURN(
        several,
        inferResultTypes(context.program, *plan.step, frame.operandTypes));
    results = several;
  } else if (results.empty()) {
    Expected<TensorType> type = inferStepType(*plan.step, frame.operandTypes);
    if (!type)
      return tl::unexpected<Error>(std::move(type.error()));
    inferred = *type;
    results = {&inferred, 1};
  }
  if (plan.isView)
    return makeView(context, plan, results[0], frame);
  Expected<const PreparedEntry *> entry =
      lookUp(context, plan, cache, results, frame.last[index], frame);
  if (!entry)
    return tl::unexpected<Error>(std::move(entry.error()));
  return execute(context, plan, **entry, results, frame);
}

Status exec::runKernel(const DispatchContext &context, const StepPlan &plan,
                       Frame &frame) {
  const fb::StepT &step = *plan.step;
  frame.args.clear();
  for (uint32_t slot : step.operands)
    frame.args.push_back(frame.values[slot]->data());
  for (size_t i = 0; i < step.results.size(); ++i) {
    uint32_t slot = step.results[i];
    TANDEM_ASSIGN_OR_RETURN(
        frame.owned[slot],
        makeResult(context, slot, plan.resultTypes[i], frame));
    frame.args.push_back(frame.owned[slot].data());
  }
  if (context.dispatchOnly)
    return {};
  const int64_t bytes = plan.loaded->workspaceBytes(*plan.kernel);
  if (bytes == 0)
    return plan.loaded->launch(*plan.kernel, {context.stream, {}, plan.label},
                               frame.args);
  Workspace workspace(context.stream);
  TANDEM_RETURN_IF_ERROR(workspace.reserve(bytes));
  return plan.loaded->launch(*plan.kernel, workspace.context(plan.label),
                             frame.args);
}

Status exec::runStep(const DispatchContext &context, const StepPlan &plan,
                     PreparedCache &cache, size_t index, Frame &frame) {
  Status status = plan.isKernel() ? runKernel(context, plan, frame)
                  : plan.loop     ? runLoop(context, plan, index, frame)
                                  : runOp(context, plan, cache, index, frame);
  if (!status) [[unlikely]]
    return locate(std::move(status.error()), *plan.step);
  return {};
}

Status exec::runSteps(const DispatchContext &context,
                      std::span<const StepPlan> plans,
                      std::deque<PreparedCache> &caches, Frame &frame,
                      const StepObserver *observer,
                      const std::vector<bool> *skipped) {
  if (context.program.arena_bytes > 0 && !frame.arena) {
    TensorType bytes{DType::i8, {context.program.arena_bytes}};
    TANDEM_ASSIGN_OR_RETURN(frame.arena,
                            Tensor::allocate(bytes, context.allocator));
  }
  if (observer)
    TANDEM_RETURN_IF_ERROR((*observer)(0, frame.values));
  for (size_t i = 0; i < plans.size(); ++i) {
    frame.begun = i + 1;
    if (!skipped || skipped->empty() || !(*skipped)[i])
      TANDEM_RETURN_IF_ERROR(runStep(context, plans[i], caches[i], i, frame));
    // Before those that nobody reads are freed.
    if (observer) [[unlikely]]
      TANDEM_RETURN_IF_ERROR((*observer)(i + 1, frame.values));
    for (uint32_t slot : plans[i].dead)
      frame.owned[slot].reset();
  }
  return {};
}
