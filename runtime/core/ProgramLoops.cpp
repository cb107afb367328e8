//===- ProgramLoops.cpp - The loops of a Program --------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/Program/ProgramLoops.h"

#include "tandem/Runtime/CustomCall.h"
#include "tandem/Runtime/Kernels/FusedContraction.h"
#include "tandem/Runtime/Program/ProgramSizes.h"

using namespace tandem;

bool tandem::hasLoops(const fb::ProgramT &program) {
  return std::any_of(program.steps.begin(), program.steps.end(),
                     [](const auto &step) { return step->loop != nullptr; });
}

bool tandem::isFlat(const fb::ProgramT &program) {
  return std::none_of(
      program.steps.begin(), program.steps.end(),
      [](const auto &step) { return step->loop || !step->sizes.empty(); });
}

int64_t tandem::tripsOf(const fb::LoopT &loop,
                        std::span<const TensorType> operands) {
  return loop.trips >= 0 ? loop.trips : operands[loop.carried].shape[0];
}

TensorType tandem::sliceOf(const TensorType &type) {
  return {type.dtype, Shape(type.shape.span().subspan(1))};
}

TensorType tandem::stackOf(const TensorType &slice, int64_t size) {
  TensorType type{slice.dtype, {size}};
  for (int64_t dim : slice.shape)
    type.shape.push_back(dim);
  return type;
}

bool tandem::agree(const TensorType &declared, const TensorType &given) {
  bool agrees = declared.dtype == given.dtype &&
                declared.shape.rank() == given.shape.rank();
  for (int i = 0; agrees && i < declared.shape.rank(); ++i)
    agrees = declared.shape[i] == given.shape[i] ||
             declared.shape[i] == kDynamic || given.shape[i] == kDynamic;
  return agrees;
}

std::vector<TensorType>
tandem::bodyInputs(const fb::LoopT &loop,
                   std::span<const TensorType> operands) {
  std::vector<TensorType> types(operands.begin(), operands.end());
  for (size_t i = loop.carried; i < loop.carried + loop.scanned; ++i)
    types[i] = sliceOf(types[i]);
  return types;
}

/// The types of all slots of a program for inputs of these types.
static Expected<std::vector<TensorType>>
inferSlots(const fb::ProgramT &program, std::span<const TensorType> inputs) {
  std::vector<TensorType> types(program.slots.size());
  for (size_t i = 0; i < inputs.size(); ++i)
    types[program.inputs[i]] = inputs[i];
  for (const auto &step : program.steps) {
    std::vector<TensorType> operands;
    for (uint32_t slot : step->operands)
      operands.push_back(types[slot]);
    TANDEM_ASSIGN_OR_RETURN(std::vector<TensorType> results,
                            inferResultTypes(program, *step, operands));
    for (size_t i = 0; i < results.size(); ++i)
      types[step->results[i]] = results[i];
  }
  return types;
}

static Expected<std::vector<TensorType>>
inferLoop(const fb::LoopT &loop, std::span<const TensorType> operands) {
  const fb::ProgramT &body = *loop.body;
  const int64_t trips = tripsOf(loop, operands);
  for (size_t i = loop.carried; i < loop.carried + loop.scanned; ++i)
    if (operands[i].shape[0] != trips)
      return fail("shape", "loop: operand " + std::to_string(i) + " is " +
                               operands[i].str() + ", where there are " +
                               std::to_string(trips) + " iterations");
  TANDEM_ASSIGN_OR_RETURN(std::vector<TensorType> types,
                          inferSlots(body, bodyInputs(loop, operands)));
  std::vector<TensorType> results;
  for (size_t i = 0; i < body.outputs.size(); ++i) {
    const TensorType &type = types[body.outputs[i]];
    if (i < loop.carried && type != operands[i])
      return fail("shape", "loop: carried value " + std::to_string(i) + " is " +
                               operands[i].str() + ", but an iteration makes " +
                               type.str() + " of it");
    results.push_back(i < loop.carried ? type : stackOf(type, trips));
  }
  return results;
}

Expected<std::vector<TensorType>>
tandem::inferResultTypes(const fb::ProgramT &program, const fb::StepT &step,
                         std::span<const TensorType> operands) {
  if (step.loop)
    return inferLoop(*step.loop, operands);
  if (step.op && step.op->kind == OpKind::custom_call)
    return inferCustomCall(*step.op->attrs.AsCustomCallAttrs(), operands);
  if (step.op)
    return inferStepTypes(step, operands);
  std::vector<TensorType> types;
  for (uint32_t slot : step.results)
    types.push_back(fromFlat(*program.slots[slot]->type));
  return types;
}

//===----------------------------------------------------------------------===//
// Unrolling
//===----------------------------------------------------------------------===//

namespace {

using Slots = std::vector<uint32_t>;

class Unroller {
public:
  /// `isFlat`: one iteration stands for all.
  Unroller(const Program &from, bool isFlat) : from(from), isFlat(isFlat) {}
  Expected<FlatProgram> run(std::span<const TensorType> inputs);

private:
  uint32_t addSlot(const TensorType &type);
  const TensorType &typeOf(uint32_t slot) const { return types[slot]; }
  /// Appends a step with results of its own.
  Expected<Slots> add(const fb::ProgramT &part, const fb::StepT &step,
                      const Slots &operands);
  template <typename Attrs>
  Expected<uint32_t> addOp(OpKind kind, Attrs attrs, const Slots &operands,
                           const std::string &location);
  /// Appends the steps of a program; its slots stand for `slots`.
  Status addSteps(const fb::ProgramT &part, Slots &slots);
  Expected<Slots> addLoop(const fb::StepT &step, const Slots &operands);
  /// One iteration's slice of what is scanned.
  Expected<uint32_t> addSlice(uint32_t slot, int64_t at,
                              const std::string &location);
  Expected<uint32_t> addStack(const Slots &slices, const TensorType &type,
                              const std::string &location);

  const Program &from;
  const bool isFlat;
  /// The sizes that expressions refer to.
  std::vector<int64_t> symbols;
  Program result;
  std::vector<TensorType> types;
  /// By step, and of those to come, how often they run.
  std::vector<double> allTimes;
  double times = 1;
};

uint32_t Unroller::addSlot(const TensorType &type) {
  auto slot = std::make_unique<fb::SlotT>();
  slot->type = std::make_unique<fb::TensorTypeT>(toFlat(type));
  result.slots.push_back(std::move(slot));
  types.push_back(type);
  return static_cast<uint32_t>(types.size() - 1);
}

Expected<Slots> Unroller::add(const fb::ProgramT &part, const fb::StepT &step,
                              const Slots &operands) {
  std::vector<TensorType> operandTypes;
  for (uint32_t slot : operands)
    operandTypes.push_back(typeOf(slot));
  auto copy = std::make_unique<fb::StepT>(step);
  if (!step.sizes.empty()) {
    TANDEM_ASSIGN_OR_RETURN(*copy->op, resolveSizes(step, symbols));
    copy->sizes.clear();
  }
  TANDEM_ASSIGN_OR_RETURN(std::vector<TensorType> resultTypes,
                          inferResultTypes(part, *copy, operandTypes));
  copy->operands = operands;
  copy->results.clear();
  for (const TensorType &type : resultTypes)
    copy->results.push_back(addSlot(type));
  result.steps.push_back(std::move(copy));
  allTimes.push_back(times);
  return result.steps.back()->results;
}

template <typename Attrs>
Expected<uint32_t> Unroller::addOp(OpKind kind, Attrs attrs,
                                   const Slots &operands,
                                   const std::string &location) {
  fb::StepT step;
  step.op = std::make_unique<fb::OpT>();
  step.op->kind = kind;
  step.op->attrs.Set(std::move(attrs));
  step.location = location;
  TANDEM_ASSIGN_OR_RETURN(Slots results, add(result, step, operands));
  return results[0];
}

Expected<uint32_t> Unroller::addSlice(uint32_t slot, int64_t at,
                                      const std::string &location) {
  const TensorType type = typeOf(slot);
  fb::SliceAttrsT slice;
  slice.starts.assign(type.shape.rank(), 0);
  slice.limits.assign(type.shape.begin(), type.shape.end());
  slice.strides.assign(type.shape.rank(), 1);
  slice.starts[0] = at;
  slice.limits[0] = at + 1;
  TANDEM_ASSIGN_OR_RETURN(
      uint32_t row, addOp(OpKind::slice, std::move(slice), {slot}, location));
  fb::ReshapeAttrsT reshape;
  reshape.shape.assign(type.shape.begin() + 1, type.shape.end());
  return addOp(OpKind::reshape, std::move(reshape), {row}, location);
}

Expected<uint32_t> Unroller::addStack(const Slots &slices,
                                      const TensorType &type,
                                      const std::string &location) {
  if (slices.empty()) {
    TANDEM_ASSIGN_OR_RETURN(Tensor data, Tensor::allocate(type));
    result.constants.push_back({addSlot(type), std::move(data)});
    return result.constants.back().slot;
  }
  Slots rows;
  for (uint32_t slice : slices) {
    fb::ReshapeAttrsT reshape;
    const TensorType row = stackOf(typeOf(slice), 1);
    reshape.shape.assign(row.shape.begin(), row.shape.end());
    TANDEM_ASSIGN_OR_RETURN(
        rows.emplace_back(),
        addOp(OpKind::reshape, std::move(reshape), {slice}, location));
  }
  if (!isFlat)
    return addOp(OpKind::concat, fb::AxisAttrsT(), rows, location);
  fb::BroadcastAttrsT broadcast;
  for (int i = 0; i < type.shape.rank(); ++i) {
    broadcast.shape.push_back(type.shape[i]);
    broadcast.dims.push_back(i);
  }
  return addOp(OpKind::broadcast, std::move(broadcast), rows, location);
}

Expected<Slots> Unroller::addLoop(const fb::StepT &step,
                                  const Slots &operands) {
  const fb::LoopT &loop = *step.loop;
  std::vector<TensorType> operandTypes;
  for (uint32_t slot : operands)
    operandTypes.push_back(typeOf(slot));
  TANDEM_ASSIGN_OR_RETURN(std::vector<TensorType> resultTypes,
                          inferLoop(loop, operandTypes));
  const int64_t trips = tripsOf(loop, operandTypes);
  Slots results(operands.begin(), operands.begin() + loop.carried);
  std::vector<Slots> stacks(resultTypes.size() - loop.carried);
  const double outerTimes = times;
  for (int64_t i = 0; i < (isFlat ? std::min<int64_t>(trips, 1) : trips); ++i) {
    Slots slots(loop.body->slots.size());
    for (size_t k = 0; k < operands.size(); ++k) {
      uint32_t &slot = slots[loop.body->inputs[k]];
      slot = k < loop.carried ? results[k] : operands[k];
      if (k < loop.carried || k >= loop.carried + loop.scanned)
        continue;
      const int64_t at = loop.reversed[k - loop.carried] ? trips - 1 - i : i;
      TANDEM_ASSIGN_OR_RETURN(slot, addSlice(slot, at, step.location));
    }
    times = isFlat ? outerTimes * static_cast<double>(trips) : 1;
    TANDEM_RETURN_IF_ERROR(addSteps(*loop.body, slots));
    times = outerTimes;
    for (size_t k = 0; k < resultTypes.size(); ++k)
      if (uint32_t slot = slots[loop.body->outputs[k]]; k < loop.carried)
        results[k] = slot;
      else
        stacks[k - loop.carried].push_back(slot);
  }
  for (size_t k = 0; k < stacks.size(); ++k) {
    if (loop.reversed[loop.scanned + k])
      std::reverse(stacks[k].begin(), stacks[k].end());
    TANDEM_ASSIGN_OR_RETURN(
        results.emplace_back(),
        addStack(stacks[k], resultTypes[loop.carried + k], step.location));
  }
  return results;
}

Status Unroller::addSteps(const fb::ProgramT &part, Slots &slots) {
  for (const auto &step : part.steps) {
    Slots operands;
    for (uint32_t slot : step->operands)
      operands.push_back(slots[slot]);
    TANDEM_ASSIGN_OR_RETURN(Slots results, step->loop
                                               ? addLoop(*step, operands)
                                               : add(part, *step, operands));
    for (size_t i = 0; i < results.size(); ++i)
      slots[step->results[i]] = results[i];
  }
  return {};
}

Expected<FlatProgram> Unroller::run(std::span<const TensorType> inputs) {
  TANDEM_RETURN_IF_ERROR(checkInputs(from, inputs));
  result.name = from.name;
  symbols = symbolSizes(from, inputs);
  Slots slots(from.slots.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    slots[from.inputs[i]] = addSlot(inputs[i]);
    result.inputs.push_back(slots[from.inputs[i]]);
  }
  for (const Constant &constant : from.constants) {
    slots[constant.slot] = addSlot(fromFlat(*from.slots[constant.slot]->type));
    result.constants.push_back({slots[constant.slot], constant.data});
  }
  TANDEM_RETURN_IF_ERROR(addSteps(from, slots));
  for (uint32_t slot : from.outputs)
    result.outputs.push_back(slots[slot]);
  return FlatProgram{std::move(result), std::move(allTimes)};
}

} // namespace

Expected<Program> tandem::unrollLoops(const Program &program,
                                      std::span<const TensorType> inputs) {
  TANDEM_ASSIGN_OR_RETURN(FlatProgram unrolled,
                          Unroller(program, /*isFlat=*/false).run(inputs));
  return std::move(unrolled.program);
}

Expected<FlatProgram> tandem::flattenLoops(const Program &program,
                                           std::span<const TensorType> inputs) {
  return Unroller(program, /*isFlat=*/true).run(inputs);
}
