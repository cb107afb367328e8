//===- OutputPlan.cpp - The memory of a program's outputs -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OutputPlan.h"

#include "tandem/Runtime/Program/ProgramMemory.h"

#include <algorithm>
#include <numeric>

using namespace tandem;
using namespace tandem::exec;

OutputPlan::OutputPlan(const Program &program) : program(program) {
  std::vector<uint32_t> owners(program.slots.size());
  std::iota(owners.begin(), owners.end(), 0);
  for (const auto &step : program.steps)
    if (isView(program, *step))
      owners[step->results[0]] = owners[step->operands[0]];
  for (uint32_t slot : program.outputs)
    roots.push_back(owners[slot]);
}

std::string OutputPlan::nameOf(size_t output) const {
  std::string text = "output " + std::to_string(output);
  if (output < program.output_names.size())
    text += " ('" + program.output_names[output] + "')";
  return text;
}

/// True if the tensors have a byte in common.
static bool overlap(const Tensor &lhs, const Tensor &rhs) {
  const auto begin = [](const Tensor &tensor) {
    return reinterpret_cast<uintptr_t>(tensor.data());
  };
  return lhs.bytes() > 0 && rhs.bytes() > 0 &&
         begin(lhs) < begin(rhs) + static_cast<uintptr_t>(rhs.bytes()) &&
         begin(rhs) < begin(lhs) + static_cast<uintptr_t>(lhs.bytes());
}

Status OutputPlan::check(std::span<const Tensor> inputs,
                         std::span<const Tensor> given,
                         const Device *memory) const {
  if (given.size() != roots.size())
    return fail("output", "the graph has " + std::to_string(roots.size()) +
                              " outputs, and " + std::to_string(given.size()) +
                              " tensors are given for them");
  for (size_t i = 0; i < given.size(); ++i) {
    const TensorType written =
        fromFlat(*program.slots[program.outputs[i]]->type);
    if (!given[i])
      return fail("output", nameOf(i) + " has no data");
    if (!agree(written, given[i].type()))
      return fail("output", nameOf(i) + " is " + written.str() +
                                ", and the tensor for it is " +
                                given[i].type().str());
    if (given[i].device() != memory)
      return fail("output",
                  nameOf(i) + " is not in the memory of the function's device");
    for (size_t k = 0; k < inputs.size(); ++k)
      if (overlap(given[i], inputs[k]))
        return fail("output",
                    nameOf(i) + " overlaps input " + std::to_string(k) +
                        (k < program.input_names.size()
                             ? " ('" + program.input_names[k] + "')"
                             : ""),
                    "give each output memory of its own");
    for (size_t k = 0; k < i; ++k)
      if (overlap(given[i], given[k]))
        return fail("output", nameOf(i) + " overlaps " + nameOf(k),
                    "give each output memory of its own");
  }
  return {};
}

void OutputPlan::place(std::span<const Tensor> given, Frame &frame) const {
  frame.placed.clear();
  for (size_t i = 0; i < given.size(); ++i) {
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

Status OutputPlan::copyInto(std::span<const Tensor> given,
                            std::span<Tensor> results, Stream &stream) const {
  for (size_t i = 0; i < results.size(); ++i) {
    if (given[i].type() != results[i].type())
      return fail("output", nameOf(i) + " is " + results[i].type().str() +
                                ", and the tensor for it is " +
                                given[i].type().str());
    if (given[i].data() != results[i].data())
      TANDEM_RETURN_IF_ERROR(copyTo(given[i], results[i], stream));
  }
  return {};
}

Status OutputPlan::separate(Stream &stream, Frame &frame) const {
  for (size_t i = 0; i < roots.size(); ++i) {
    Tensor &result = frame.results[i];
    if (!isShared(i, frame))
      continue;
    TANDEM_ASSIGN_OR_RETURN(
        Tensor copy, Tensor::allocate(result.type(), stream.allocator()));
    TANDEM_RETURN_IF_ERROR(copyTo(copy, result, stream));
  }
  return {};
}
