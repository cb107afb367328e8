//===- CapturedRuns.cpp - Runs of a program as captured work --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CapturedRuns.h"

#include <algorithm>

using namespace tandem;
using namespace tandem::exec;

static TensorType typeOf(const Program &program, uint32_t slot) {
  return fromFlat(*program.slots[slot]->type);
}

CapturedRuns::CapturedRuns(const DispatchContext &context,
                           const std::vector<StepPlan> &plans,
                           RunSteps runSteps)
    : context(context), plans(plans), runSteps(std::move(runSteps)) {
  classifySlots();
  for (const StepPlan &plan : plans)
    workspaceBytes = std::max(workspaceBytes, exec::workspaceBytes(plan));
}

/// Finds out whose memory the caller gets: the outputs', and that of values of
/// which outputs are views.
void CapturedRuns::classifySlots() {
  std::vector<bool> escapes(context.program.slots.size(), false);
  for (uint32_t slot : context.program.outputs)
    escapes[slot] = true;
  for (size_t i = plans.size(); i-- > 0;) {
    const StepPlan &plan = plans[i];
    for (uint32_t slot : plan.step->results)
      if (plan.isView && escapes[slot]) {
        escapes[plan.step->operands[0]] = true;
        views.insert(views.begin(), {{slot, typeOf(context.program, slot)},
                                     plan.step->operands[0]});
      } else if (!plan.isView &&
                 context.program.slots[slot]->arena_offset < 0) {
        const TensorType type = typeOf(context.program, slot);
        (escapes[slot] ? results : kept).push_back({slot, type});
        (escapes[slot] ? resultBytes : keptBytes) += type.bytes();
      }
  }
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

int64_t CapturedRuns::peakBytes() const {
  return context.program.arena_bytes + keptBytes + workspaceBytes + resultBytes;
}

static Expected<Tensor> allocateBytes(int64_t bytes, Allocator &allocator) {
  return Tensor::allocate({DType::i8, {bytes}}, allocator);
}

Status CapturedRuns::hold(Frame &frame) {
  if (!arena && context.program.arena_bytes > 0) {
    TANDEM_ASSIGN_OR_RETURN(
        arena, allocateBytes(context.program.arena_bytes, context.allocator));
  }
  while (keptTensors.size() < kept.size()) {
    TANDEM_ASSIGN_OR_RETURN(
        Tensor tensor,
        Tensor::allocate(kept[keptTensors.size()].type, context.allocator));
    keptTensors.push_back(std::move(tensor));
  }
  frame.arena = arena;
  for (size_t i = 0; i < kept.size(); ++i)
    frame.owned[kept[i].slot] = keptTensors[i];
  return {};
}

Status CapturedRuns::allocateResults(Frame &frame) const {
  for (const auto &[slot, type] : results) {
    if (frame.owned[slot]) // The caller's.
      continue;
    TANDEM_ASSIGN_OR_RETURN(frame.owned[slot],
                            Tensor::allocate(type, context.allocator));
  }
  return {};
}

void CapturedRuns::makeViews(Frame &frame) const {
  for (const View &view : views)
    if (!frame.owned[view.slot]) // Or the capture has just made it.
      frame.owned[view.slot] = frame.values[view.operand]->viewAs(view.type);
}

std::vector<void *> CapturedRuns::findAddresses(const Frame &frame) const {
  const Program &program = context.program;
  std::vector<void *> addresses(program.slots.size(), nullptr);
  for (uint32_t slot : program.inputs)
    addresses[slot] = frame.values[slot]->data();
  for (const Constant &constant : program.constants)
    addresses[constant.slot] = frame.values[constant.slot]->data();
  for (const StepPlan &plan : plans)
    for (uint32_t slot : plan.step->results) {
      const fb::SlotT &place = *program.slots[slot];
      const Tensor &memory =
          place.host < 0 ? frame.arena : frame.owned[place.host];
      addresses[slot] =
          plan.isView ? static_cast<char *>(addresses[plan.step->operands[0]]) +
                            plan.viewOffset
          : place.arena_offset < 0 ? frame.owned[slot].data()
                                   : memory.as<char>() + place.arena_offset;
    }
  return addresses;
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

Status CapturedRuns::run(Frame &frame, int64_t *heldBytes) {
  *heldBytes = 0;
  State now = state.load(std::memory_order_acquire);
  if (now == State::cold && state.compare_exchange_strong(now, State::warming))
    return runFirst(frame);
  return now == State::warm ? runCaptured(frame, heldBytes)
                            : runStepByStep(frame);
}

Status CapturedRuns::runStepByStep(Frame &frame) {
  ++stepByStep;
  frame.clear();
  frame.place();
  return runSteps(context.stream, frame);
}

/// Runs the program in the memory that later captured runs use.
Status CapturedRuns::runFirst(Frame &frame) {
  auto run = [&]() -> Status {
    TANDEM_RETURN_IF_ERROR(hold(frame));
    TANDEM_RETURN_IF_ERROR(allocateResults(frame));
    ++stepByStep;
    TANDEM_RETURN_IF_ERROR(runSteps(context.stream, frame));
    if (workspaceBytes == 0)
      return {};
    TANDEM_ASSIGN_OR_RETURN(workspace,
                            allocateBytes(workspaceBytes, context.allocator));
    return {};
  };
  Status status = run();
  state.store(status ? State::warm : State::cold, std::memory_order_release);
  return status;
}

Status CapturedRuns::runCaptured(Frame &frame, int64_t *heldBytes) {
  TANDEM_RETURN_IF_ERROR(allocateResults(frame));
  frame.key.clear();
  for (uint32_t slot : context.program.inputs)
    frame.key.push_back(frame.values[slot]->data());
  for (const TypedSlot &result : results)
    frame.key.push_back(frame.owned[result.slot].data());
  auto found = std::find_if(
      frame.captured.begin(), frame.captured.end(),
      [&](const CapturedRun &run) { return run.key == frame.key; });
  CapturedRun *run =
      found == frame.captured.end() ? obtain(frame) : std::to_address(found);
  if (!run)
    return runStepByStep(frame);
  run->lastUse = ++frame.clock;
  *heldBytes = peakBytes() - resultBytes;
  ++launches;
  frame.begun = plans.size();
  TANDEM_RETURN_IF_ERROR(run->work->launch(context.stream));
  makeViews(frame);
  return {};
}

//===----------------------------------------------------------------------===//
// Capturing
//===----------------------------------------------------------------------===//

CapturedRun *CapturedRuns::obtain(Frame &frame) {
  if (!hold(frame)) // All is there already.
    return nullptr;
  if (frame.captured.size() < Executor::kMaxCaptured)
    return add(frame);
  CapturedRun &oldest = *std::min_element(
      frame.captured.begin(), frame.captured.end(),
      [](const auto &a, const auto &b) { return a.lastUse < b.lastUse; });
  if (patch(oldest, findAddresses(frame))) {
    oldest.key = frame.key;
    ++patches;
    return &oldest;
  }
  // Capturing costs more than a run, so a set of addresses is only captured
  // when it recurs.
  auto &missed = frame.missed;
  auto before = std::find(missed.begin(), missed.end(), frame.key);
  if (before != missed.end()) {
    missed.erase(before);
    return replace(frame, oldest);
  }
  if (missed.size() == Executor::kMaxCaptured)
    missed.erase(missed.begin());
  missed.push_back(frame.key);
  return nullptr;
}

bool CapturedRuns::capture(Frame &frame, CapturedRun &run) {
  run.key = frame.key;
  run.addresses = findAddresses(frame);
  auto work = context.stream.capture(
      [&](Stream &recorder) { return runSteps(recorder, frame); },
      {workspace.as<std::byte>(), size_t(workspaceBytes)}, std::move(run.work));
  if (!work)
    refuse(std::move(work.error()));
  else
    run.work = std::move(*work);
  return run.work != nullptr;
}

CapturedRun *CapturedRuns::add(Frame &frame) {
  CapturedRun run;
  if (!capture(frame, run))
    return nullptr;
  ++captures;
  return &frame.captured.emplace_back(std::move(run));
}

CapturedRun *CapturedRuns::replace(Frame &frame, CapturedRun &run) {
  if (!capture(frame, run)) {
    std::erase_if(frame.captured,
                  [](const CapturedRun &one) { return !one.work; });
    return nullptr;
  }
  ++recaptures;
  return &run;
}

/// The arguments of a kernel step.
static void gather(const fb::StepT &step, const std::vector<void *> &addresses,
                   std::vector<void *> &args) {
  args.clear();
  for (const std::vector<uint32_t> *slots : {&step.operands, &step.results})
    for (uint32_t slot : *slots)
      args.push_back(addresses[slot]);
}

bool CapturedRuns::patch(CapturedRun &run, std::vector<void *> addresses) {
  std::vector<void *> args, former;
  auto isChanged = [&](const StepPlan &plan) {
    gather(*plan.step, addresses, args);
    gather(*plan.step, run.addresses, former);
    return args != former;
  };
  for (const StepPlan &plan : plans)
    if (!plan.isKernel() && !plan.isView && !plan.isInPlace && isChanged(plan))
      return false;
  size_t number = 0;
  for (const StepPlan &plan : plans) {
    if (!plan.isKernel())
      continue;
    if (isChanged(plan) && !run.work->setArguments(number, args)) {
      // Some kernels already have the new arguments, so the captured run is
      // valid for neither set of addresses.
      run.key.clear();
      run.addresses.assign(addresses.size(), nullptr);
      return false;
    }
    ++number;
  }
  run.addresses = std::move(addresses);
  return true;
}

void CapturedRuns::refuse(Error error) {
  std::lock_guard lock(mutex);
  if (!reason)
    reason = std::move(error);
  state.store(State::refused, std::memory_order_release);
}

std::optional<Error> CapturedRuns::failure() const {
  std::lock_guard lock(mutex);
  return reason;
}

CaptureCounts CapturedRuns::counts() const {
  return {launches, captures, patches, recaptures, stepByStep};
}
