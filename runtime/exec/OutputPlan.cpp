//===- OutputPlan.cpp - The memory of a program's outputs -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OutputPlan.h"

#include "tandem/Runtime/Program/ProgramUpdates.h"

#include <algorithm>

using namespace tandem;
using namespace tandem::exec;

OutputPlan::OutputPlan(const Program &program)
    : program(program), updated(program.outputs.size(), kNone),
      overwrites(program.outputs.size()), viewsUpdated(program.outputs.size()) {
  const std::vector<uint32_t> owners = findViewRoots(program);
  for (uint32_t slot : program.outputs)
    roots.push_back(owners[slot]);
  const std::vector<std::optional<size_t>> steps = findOverwrites(program);
  for (size_t i = 0; i < steps.size(); ++i) {
    const fb::Update &update = program.updates[i];
    updated[update.output()] = static_cast<int32_t>(update.input());
    overwrites[update.output()] = steps[i];
    for (size_t output = 0; output < roots.size(); ++output)
      if (output != update.output() &&
          roots[output] == program.inputs[update.input()])
        viewsUpdated[output] = true;
  }
}

static std::string nameOf(std::string text, size_t number,
                          const std::vector<std::string> &names) {
  text += ' ' + std::to_string(number);
  return number < names.size() ? text + " ('" + names[number] + "')" : text;
}

std::string OutputPlan::nameOf(size_t output) const {
  return ::nameOf("output", output, program.output_names);
}

std::string OutputPlan::nameOfInput(size_t input) const {
  return ::nameOf("input", input, program.input_names);
}

Expected<std::vector<Tensor>>
OutputPlan::withUpdates(std::span<const Tensor> inputs,
                        std::span<const Tensor> given) const {
  std::vector<Tensor> all(given.begin(), given.end());
  if (given.empty())
    all.resize(roots.size());
  for (size_t i = 0; i < std::min(all.size(), roots.size()); ++i) {
    // A missing input is an error that the run reports.
    if (updated[i] == kNone || size_t(updated[i]) >= inputs.size())
      continue;
    const Tensor &input = inputs[updated[i]];
    if (all[i] && all[i].data() != input.data())
      return fail("output",
                  nameOf(i) + " takes the place of " + nameOfInput(updated[i]) +
                      ", and another tensor is given for it",
                  "give no tensor for this output, or the input itself");
    all[i] = input;
  }
  return all;
}

Status OutputPlan::checkType(size_t output, const Tensor &given,
                             const Device *memory) const {
  const TensorType written =
      fromFlat(*program.slots[program.outputs[output]]->type);
  if (!agree(written, given.type()))
    return fail("output", nameOf(output) + " is " + written.str() +
                              ", and the tensor for it is " +
                              given.type().str());
  if (given.device() != memory)
    return fail("output", nameOf(output) +
                              " is not in the memory of the function's device");
  return {};
}

namespace {
/// The bytes of a tensor, and whose they are.
struct ByteRange {
  uintptr_t begin, end;
  bool isOutput;
  size_t number;

  ByteRange(const Tensor &tensor, bool isOutput, size_t number)
      : begin(reinterpret_cast<uintptr_t>(tensor.data())),
        end(begin + static_cast<uintptr_t>(tensor.bytes())), isOutput(isOutput),
        number(number) {}
};
} // namespace

/// Visits the ranges by address. A range overlaps one of those before it if it
/// begins before the furthest of their ends.
Status OutputPlan::checkOverlaps(std::span<const Tensor> inputs,
                                 std::span<const Tensor> given) const {
  std::vector<ByteRange> ranges;
  ranges.reserve(inputs.size() + given.size());
  std::vector<bool> isOverwritten(inputs.size(), false);
  for (size_t i = 0; i < given.size(); ++i) {
    if (given[i] && given[i].bytes() > 0)
      ranges.emplace_back(given[i], /*isOutput=*/true, i);
    if (const int32_t input = updated[i];
        input != kNone && given[i] && size_t(input) < inputs.size() &&
        given[i].data() == inputs[input].data())
      isOverwritten[input] = true;
  }
  for (size_t i = 0; i < inputs.size(); ++i)
    if (!isOverwritten[i] && inputs[i] && inputs[i].bytes() > 0)
      ranges.emplace_back(inputs[i], /*isOutput=*/false, i);
  std::sort(
      ranges.begin(), ranges.end(),
      [](const ByteRange &a, const ByteRange &b) { return a.begin < b.begin; });
  const auto describe = [&](const ByteRange &range) {
    if (!range.isOutput)
      return nameOfInput(range.number);
    const int32_t input = updated[range.number];
    return input != kNone ? nameOfInput(input) + ", which the call updates,"
                          : nameOf(range.number);
  };
  const ByteRange *furthest[2] = {nullptr,
                                  nullptr}; // Of inputs, and of outputs.
  for (const ByteRange &range : ranges) {
    for (const ByteRange *other : furthest)
      if (other && (range.isOutput || other->isOutput) &&
          range.begin < other->end) {
        const bool isFirst = range.isOutput &&
                             (!other->isOutput || range.number > other->number);
        return fail("output",
                    describe(isFirst ? range : *other) + " overlaps " +
                        describe(isFirst ? *other : range),
                    "give each output memory of its own");
      }
    const ByteRange *&last = furthest[range.isOutput];
    if (!last || range.end > last->end)
      last = &range;
  }
  return {};
}

Status OutputPlan::check(std::span<const Tensor> inputs,
                         std::span<const Tensor> given,
                         const Device *memory) const {
  if (given.size() != roots.size())
    return fail("output", "the graph has " + std::to_string(roots.size()) +
                              " outputs, and " + std::to_string(given.size()) +
                              " tensors are given for them");
  for (size_t i = 0; i < given.size(); ++i)
    if (given[i])
      TANDEM_RETURN_IF_ERROR(checkType(i, given[i], memory));
  return checkOverlaps(inputs, given);
}

bool OutputPlan::isUpdate(size_t output, const Tensor &given,
                          const Frame &frame) const {
  return updated[output] != kNone && given &&
         given.data() == frame.values[program.inputs[updated[output]]]->data();
}

void OutputPlan::place(std::span<const Tensor> given, Frame &frame) const {
  frame.placed.clear();
  for (size_t i = 0; i < given.size(); ++i) {
    if (!given[i] || (isUpdate(i, given[i], frame) && !overwrites[i]))
      continue;
    const uint32_t root = roots[i];
    const bool isWritten = frame.values[root] == &frame.owned[root];
    const bool isFirst =
        std::find(roots.begin(), roots.begin() + static_cast<ptrdiff_t>(i),
                  root) == roots.begin() + static_cast<ptrdiff_t>(i);
    if (!isWritten || !isFirst || program.slots[root]->arena_offset >= 0)
      continue;
    // A view of the output's elements has the type of the root.
    const TensorType type = fromFlat(*program.slots[root]->type);
    if (root == program.outputs[i])
      frame.placed.push_back({root, given[i]});
    else if (type.isStatic())
      frame.placed.push_back({root, given[i].viewAs(type)});
  }
  frame.place();
}

bool OutputPlan::hasOverwritten(std::span<const Tensor> given,
                                const Frame &frame, size_t begun) const {
  const size_t copies = program.steps.size();
  for (size_t i = 0; i < given.size(); ++i)
    if (isUpdate(i, given[i], frame) && overwrites[i].value_or(copies) < begun)
      return true;
  return false;
}

std::vector<uint32_t> OutputPlan::overwritingSlots() const {
  std::vector<uint32_t> slots;
  for (size_t i = 0; i < roots.size(); ++i)
    if (overwrites[i])
      slots.push_back(roots[i]);
  return slots;
}

/// True if the caller or a constant owns the memory of the output, or an
/// earlier output has the same memory.
bool OutputPlan::isShared(size_t output, const Frame &frame) const {
  const uint32_t root = roots[output];
  const auto end = roots.begin() + static_cast<ptrdiff_t>(output);
  return frame.values[root] != &frame.owned[root] ||
         std::find(roots.begin(), end, root) != end;
}

/// Replaces `result` by a copy in the memory of `target`.
static Status copyTo(const Tensor &target, Tensor &result, Stream &stream) {
  if (result.bytes() > 0)
    TANDEM_RETURN_IF_ERROR(stream.copy(result, target));
  result = target;
  return {};
}

/// Replaces `result` by a copy in new memory.
static Status copyToNew(Tensor &result, Stream &stream) {
  TANDEM_ASSIGN_OR_RETURN(Tensor copy,
                          Tensor::allocate(result.type(), stream.allocator()));
  return copyTo(copy, result, stream);
}

Status OutputPlan::copyInto(std::span<const Tensor> given,
                            std::span<Tensor> results, Stream &stream) const {
  for (size_t i = 0; i < results.size(); ++i)
    if (given[i] && given[i].type() != results[i].type())
      return fail("output", nameOf(i) + " is " + results[i].type().str() +
                                ", and the tensor for it is " +
                                given[i].type().str());
  for (size_t i = 0; i < results.size(); ++i)
    if (viewsUpdated[i])
      TANDEM_RETURN_IF_ERROR(copyToNew(results[i], stream));
  for (size_t i = 0; i < results.size(); ++i)
    if (given[i] && given[i].data() != results[i].data())
      TANDEM_RETURN_IF_ERROR(copyTo(given[i], results[i], stream));
  return {};
}

Status OutputPlan::separate(std::span<const Tensor> given, Stream &stream,
                            Frame &frame) const {
  for (size_t i = 0; i < roots.size(); ++i)
    if (isShared(i, frame) && (given.empty() || !given[i]))
      TANDEM_RETURN_IF_ERROR(copyToNew(frame.results[i], stream));
  return {};
}
