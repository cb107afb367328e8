//===- ProgramUpdates.cpp - Outputs in the place of inputs ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/Program/ProgramUpdates.h"

#include "VerifyLoop.h"

#include "tandem/Runtime/Program/ProgramMemory.h"

#include <algorithm>
#include <numeric>

using namespace tandem;

/// The type of one of the slots `slots`, by number.
static TensorType typeOf(const fb::ProgramT &program,
                         const std::vector<uint32_t> &slots, uint32_t number) {
  return fromFlat(*program.slots[slots[number]]->type);
}

Status tandem::verifyUpdates(const fb::ProgramT &program) {
  std::vector<bool> isUpdated(program.inputs.size(), false);
  std::vector<bool> isUsed(program.outputs.size(), false);
  for (const fb::Update &update : program.updates) {
    const uint32_t input = update.input(), output = update.output();
    if (input >= program.inputs.size() || output >= program.outputs.size())
      return invalid("update of input ", input, " by output ", output,
                     ": there is no such input or output");
    if (isUpdated[input] || isUsed[output])
      return invalid("update of input ", input, " by output ", output,
                     ": one of the two is in another update");
    isUpdated[input] = isUsed[output] = true;
    const TensorType before = typeOf(program, program.inputs, input),
                     after = typeOf(program, program.outputs, output);
    if (before != after)
      return invalid("update of input ", input, " by output ", output,
                     ": the input is ", before.str(), ", and the output is ",
                     after.str());
  }
  return {};
}

std::vector<uint32_t> tandem::findViewRoots(const fb::ProgramT &program) {
  std::vector<uint32_t> roots(program.slots.size());
  std::iota(roots.begin(), roots.end(), 0);
  for (const auto &step : program.steps)
    if (isView(program, *step))
      roots[step->results[0]] = roots[step->operands[0]];
  return roots;
}

namespace {

/// Who writes and reads the memory of each slot.
class Overwrites {
public:
  explicit Overwrites(const Program &program);

  std::optional<size_t> find(const fb::Update &update) const;

private:
  static constexpr size_t kNever = static_cast<size_t>(-1);

  /// Whether `step` reads `old` only where it writes the result `slot`.
  bool mayComputeInPlace(const fb::StepT &step, uint32_t old,
                         uint32_t slot) const;
  bool mayComputeInPlace(const fb::StepT &step, size_t operand,
                         size_t result) const;

  const Program &program;
  const std::vector<uint32_t> roots;
  /// By slot, the step that computes the slot. By root, the last step that
  /// reads the memory; kNever if there is none.
  std::vector<size_t> writers, lastReaders;
  /// By slot, whether steps write other slots to its memory.
  std::vector<bool> isHost;
  /// By root, how many outputs are in its memory.
  std::vector<int> outputs;
};

Overwrites::Overwrites(const Program &program)
    : program(program), roots(findViewRoots(program)),
      writers(roots.size(), kNever), lastReaders(roots.size(), kNever),
      isHost(roots.size(), false), outputs(roots.size(), 0) {
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const fb::StepT &step = *program.steps[i];
    if (isView(program, step))
      continue;
    for (uint32_t slot : step.operands)
      lastReaders[roots[slot]] = i;
    for (uint32_t slot : step.results) {
      writers[slot] = i;
      if (const int32_t host = program.slots[slot]->host; host >= 0)
        isHost[host] = true;
    }
  }
  for (uint32_t slot : program.outputs)
    ++outputs[roots[slot]];
}

bool Overwrites::mayComputeInPlace(const fb::StepT &step, size_t operand,
                                   size_t result) const {
  // A part of the old value does not lie where the new value is written.
  const auto bytes = [&](uint32_t slot) {
    const TensorType type = fromFlat(*program.slots[slot]->type);
    return type.isStatic() ? std::optional(type.bytes()) : std::nullopt;
  };
  if (bytes(step.operands[operand]) != bytes(step.results[result]))
    return false;
  if (step.kernel >= 0)
    return std::ranges::any_of(
        program.kernels[step.kernel]->in_place, [&](fb::InPlace pair) {
          return pair.operand() == operand && pair.result() == result;
        });
  if (!step.op || step.epilogue || !getOpInfo(step.op->kind).isElementwise())
    return false;
  const TensorType type = fromFlat(*program.slots[step.results[result]]->type);
  return type.isStatic() &&
         type == fromFlat(*program.slots[step.operands[operand]]->type);
}

bool Overwrites::mayComputeInPlace(const fb::StepT &step, uint32_t old,
                                   uint32_t slot) const {
  const auto result = static_cast<size_t>(
      std::ranges::find(step.results, slot) - step.results.begin());
  for (size_t i = 0; i < step.operands.size(); ++i)
    if (roots[step.operands[i]] == old && !mayComputeInPlace(step, i, result))
      return false;
  return true;
}

std::optional<size_t> Overwrites::find(const fb::Update &update) const {
  const uint32_t old = roots[program.inputs[update.input()]],
                 slot = roots[program.outputs[update.output()]];
  const size_t writer = writers[slot], reader = lastReaders[old];
  if (writer == kNever || program.slots[slot]->arena_offset >= 0 ||
      isHost[slot] || outputs[slot] > 1 || outputs[old] > 0)
    return std::nullopt;
  if (reader != kNever &&
      (reader > writer ||
       (reader == writer &&
        !mayComputeInPlace(*program.steps[writer], old, slot))))
    return std::nullopt;
  return writer;
}

} // namespace

std::vector<std::optional<size_t>>
tandem::findOverwrites(const Program &program) {
  std::vector<std::optional<size_t>> steps;
  if (program.updates.empty())
    return steps;
  const Overwrites overwrites(program);
  for (const fb::Update &update : program.updates)
    steps.push_back(overwrites.find(update));
  return steps;
}
