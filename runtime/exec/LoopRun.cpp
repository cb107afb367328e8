//===- LoopRun.cpp - Running a loop step ----------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopPlan.h"

#include "tandem/Runtime/Program/ProgramLoops.h"

using namespace tandem;
using namespace tandem::exec;

namespace {

class LoopRun {
public:
  LoopRun(const DispatchContext &context, const StepPlan &plan, Frame &outer,
          LoopFrame &own)
      : context(context),
        inner{plan.loop->body,   context.providers, context.stream,
              context.allocator, context.memory,    context.dispatchOnly},
        step(plan), loop(*plan.step->loop), plan(*plan.loop), outer(outer),
        own(own) {}

  Status run();

private:
  Status allocate();
  /// Sets the inputs of the body for iteration `i`. setOutputs sets the memory
  /// of its outputs.
  void setInputs(int64_t i);
  Status setOutputs(int64_t i);
  /// Copies to their places the outputs that the body has not computed there.
  Status settle(int64_t i);
  Status copy(const Tensor &from, const Tensor &to) const {
    if (context.dispatchOnly || from.data() == to.data() || to.bytes() == 0)
      return {};
    return context.stream.copy(from, to);
  }

  const Tensor &operand(size_t i) const {
    return *outer.values[step.step->operands[i]];
  }
  const Tensor &result(size_t i) const {
    return outer.owned[step.step->results[i]];
  }
  /// Returns the tensor where iteration `i` leaves carried value `number`. The
  /// last iteration leaves the value in the result.
  Tensor carried(size_t number, int64_t i) const {
    return (trips - 1 - i) % 2 == 0 ? result(number)
                                    : buffer(number, result(number).type());
  }
  Tensor buffer(size_t number, const TensorType &type) const {
    return Tensor::borrow(type,
                          own.buffers.as<char>() + buffers->offsets[number],
                          context.memory);
  }
  /// The slice of `tensor` that belongs to iteration `i`. `number` counts what
  /// is scanned, then what is stacked.
  Tensor slice(const Tensor &tensor, size_t number, int64_t i) const {
    const TensorType type = sliceOf(tensor.type());
    const int64_t at = loop.reversed[number] ? trips - 1 - i : i;
    return Tensor::borrow(type, tensor.as<char>() + at * type.bytes(),
                          context.memory);
  }
  bool isBuffered(size_t number) const {
    return buffers->offsets[loop.carried + number] != LoopBuffers::kNone;
  }

  const DispatchContext &context;
  const DispatchContext inner;
  const StepPlan &step;
  const fb::LoopT &loop;
  const LoopPlan &plan;
  Frame &outer;
  LoopFrame &own;
  int64_t trips = 0;
  std::optional<LoopBuffers> buffers;
};

Status LoopRun::allocate() {
  Types operands, results = step.resultTypes;
  for (uint32_t slot : step.step->operands)
    operands.push_back(outer.values[slot]->type());
  if (results.empty()) {
    TANDEM_ASSIGN_OR_RETURN(
        results, inferResultTypes(context.program, *step.step, operands));
  }
  trips = tripsOf(loop, operands);
  for (size_t i = 0; i < results.size(); ++i) {
    const uint32_t slot = step.step->results[i];
    TANDEM_RETURN_IF_ERROR(checkWritten(context.program, slot, results[i]));
    TANDEM_ASSIGN_OR_RETURN(outer.owned[slot],
                            makeResult(context, slot, results[i], outer));
  }
  buffers.emplace(plan, loop, operands, results);
  if (buffers->bytes > 0) {
    TANDEM_ASSIGN_OR_RETURN(
        own.buffers,
        Tensor::allocate({DType::i8, {buffers->bytes}}, context.allocator));
  }
  return {};
}

void LoopRun::setInputs(int64_t i) {
  for (size_t k = 0; k < plan.operands.size(); ++k) {
    const size_t number = plan.operands[k];
    own.body.values[plan.body.inputs[k]] = &own.inputs[k];
    if (number < loop.carried)
      own.inputs[k] = i == 0 ? operand(number) : carried(number, i - 1);
    else if (number < loop.carried + loop.scanned)
      own.inputs[k] = slice(operand(number), number - loop.carried, i);
    else if (i == 0)
      own.inputs[k] = operand(number);
  }
}

Status LoopRun::setOutputs(int64_t i) {
  for (size_t k = 0; k < own.inputs.size(); ++k) {
    const size_t number = plan.operands[k] - loop.carried;
    if (plan.operands[k] < loop.carried || number >= loop.scanned ||
        !isBuffered(number))
      continue;
    Tensor there = buffer(loop.carried + number, own.inputs[k].type());
    TANDEM_RETURN_IF_ERROR(copy(own.inputs[k], there));
    own.inputs[k] = there;
  }
  for (size_t k = 0; k < own.outputs.size(); ++k) {
    const size_t number = loop.scanned + k - loop.carried;
    own.outputs[k] =
        k < loop.carried ? carried(k, i) : slice(result(k), number, i);
    if (k >= loop.carried && isBuffered(number))
      own.outputs[k] = buffer(loop.carried + number, own.outputs[k].type());
    if (!plan.targets[k])
      continue;
    const uint32_t target = *plan.targets[k];
    own.body.owned[target] =
        target == plan.body.outputs[k]
            ? own.outputs[k]
            : own.outputs[k].viewAs(fromFlat(*plan.body.slots[target]->type));
  }
  return {};
}

Status LoopRun::settle(int64_t i) {
  for (size_t k = 0; k < own.outputs.size(); ++k)
    TANDEM_RETURN_IF_ERROR(
        copy(*own.body.values[plan.body.outputs[k]], own.outputs[k]));
  for (size_t k = loop.carried; k < own.outputs.size(); ++k)
    TANDEM_RETURN_IF_ERROR(copy(
        own.outputs[k], slice(result(k), loop.scanned + k - loop.carried, i)));
  return {};
}

Status LoopRun::run() {
  TANDEM_RETURN_IF_ERROR(allocate());
  for (int64_t i = 0; i < trips; ++i) {
    setInputs(i);
    TANDEM_RETURN_IF_ERROR(setOutputs(i));
    TANDEM_RETURN_IF_ERROR(runSteps(inner, plan.plans, plan.caches, own.body));
    TANDEM_RETURN_IF_ERROR(settle(i));
  }
  for (size_t k = 0; trips == 0 && k < loop.carried; ++k)
    TANDEM_RETURN_IF_ERROR(copy(operand(k), result(k)));
  return {};
}

} // namespace

Status exec::runLoop(const DispatchContext &context, const StepPlan &plan,
                     size_t index, Frame &frame) {
  std::unique_ptr<LoopFrame> &own = frame.loops[index];
  if (!own)
    own = std::make_unique<LoopFrame>(*plan.loop);
  Status status = LoopRun(context, plan, frame, *own).run();
  own->body.clear();
  own->buffers.reset();
  for (Tensor &tensor : own->inputs)
    tensor.reset();
  return status;
}
