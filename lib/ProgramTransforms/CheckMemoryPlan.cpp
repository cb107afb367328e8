//===- CheckMemoryPlan.cpp - Replaying a memory plan ----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/ProgramTransforms/MemoryPlan.h"

#include "tandem/Runtime/Program/ProgramMemory.h"
#include "tandem/Runtime/Program/ProgramUpdates.h"

#include <algorithm>
#include <numeric>

namespace tandem {
namespace {

/// Bytes [begin, end) of a memory: kArena, or that of a slot by number.
struct Place {
  static constexpr int64_t kArena = -1;
  int64_t memory, begin, end;
  bool overlaps(const Place &other) const {
    return memory == other.memory && begin < other.end && other.begin < end;
  }
  bool operator==(const Place &) const = default;
};

class Checker {
public:
  explicit Checker(const Program &program)
      : program(program), places(program.slots.size()),
        isIntact(program.slots.size(), false) {}
  Status run();

private:
  Place placeOf(uint32_t slot) const;
  Status checkWrite(const fb::StepT &step, uint32_t result) const;
  bool isInPlace(const fb::StepT &step, uint32_t operand,
                 uint32_t result) const;
  /// The bytes that `step` writes of `result`: of a concat, those of operands
  /// that are not there already.
  std::vector<Place> findWritten(const fb::StepT &step, uint32_t result) const;
  void write(const fb::StepT &step, uint32_t result);
  void placeView(const fb::StepT &step);

  void placeUpdates();

  const Program &program;
  std::vector<Place> places;
  /// By slot: it has been written, and nothing since has been where it is.
  std::vector<bool> isIntact;
};

Place Checker::placeOf(uint32_t slot) const {
  const fb::SlotT &value = *program.slots[slot];
  int64_t bytes = fromFlat(*value.type).bytes();
  if (value.arena_offset < 0)
    return {slot, 0, bytes};
  return {value.host < 0 ? Place::kArena : value.host, value.arena_offset,
          value.arena_offset + bytes};
}

/// An output that a step writes over an input is in the input's memory.
void Checker::placeUpdates() {
  const std::vector<uint32_t> roots = findViewRoots(program);
  const std::vector<std::optional<size_t>> steps = findOverwrites(program);
  for (size_t i = 0; i < steps.size(); ++i)
    if (steps[i])
      places[roots[program.outputs[program.updates[i].output()]]] =
          places[program.inputs[program.updates[i].input()]];
}

std::vector<Place> Checker::findWritten(const fb::StepT &step,
                                        uint32_t result) const {
  const Place whole = places[result];
  const std::vector<int64_t> offsets = findConcatOffsets(program, step);
  if (offsets.empty())
    return {whole};
  std::vector<Place> written;
  for (size_t i = 0; i < offsets.size(); ++i) {
    const Place operand = places[step.operands[i]];
    const int64_t begin = whole.begin + offsets[i];
    const Place part{whole.memory, begin, begin + operand.end - operand.begin};
    if (!(operand == part))
      written.push_back(part);
  }
  return written;
}

void Checker::write(const fb::StepT &step, uint32_t result) {
  for (const Place &written : findWritten(step, result))
    for (size_t other = 0; other < places.size(); ++other)
      if (isIntact[other] && places[other].overlaps(written))
        isIntact[other] = false;
  isIntact[result] = true;
}

/// Whether the kernel allows it, wherever it reads the operand.
bool Checker::isInPlace(const fb::StepT &step, uint32_t operand,
                        uint32_t result) const {
  if (!(places[operand] == places[result]))
    return false;
  if (step.op)
    return getOpInfo(step.op->kind).isElementwise();
  if (step.kernel < 0)
    return false;
  const auto &legal = program.kernels[step.kernel]->in_place;
  for (uint32_t i = 0; i < step.operands.size(); ++i)
    if (step.operands[i] == operand &&
        std::none_of(legal.begin(), legal.end(), [&](fb::InPlace pair) {
          return pair.operand() == i && step.results[pair.result()] == result;
        }))
      return false;
  return true;
}

/// A view is a part of its operand, wherever that is.
void Checker::placeView(const fb::StepT &step) {
  const Place whole = places[step.operands[0]];
  const int64_t begin = whole.begin + *viewOffset(program, step),
                bytes = fromFlat(*program.slots[step.results[0]]->type).bytes();
  places[step.results[0]] = {whole.memory, begin, begin + bytes};
  isIntact[step.results[0]] = true;
}

Status Checker::checkWrite(const fb::StepT &step, uint32_t result) const {
  auto collides = [&](uint32_t slot) {
    return fail("plan", "slot " + std::to_string(result) +
                            " is written where slot " + std::to_string(slot) +
                            " is, by one step");
  };
  for (const Place &written : findWritten(step, result))
    for (uint32_t operand : step.operands)
      if (places[operand].overlaps(written) &&
          !isInPlace(step, operand, result))
        return collides(operand);
  for (uint32_t other : step.results)
    if (other != result && places[other].overlaps(places[result]))
      return collides(other);
  return {};
}

Status Checker::run() {
  auto checkRead = [&](uint32_t slot) -> Status {
    if (!isIntact[slot])
      return fail("plan", "slot " + std::to_string(slot) +
                              " is overwritten before it is read");
    return {};
  };
  for (uint32_t slot = 0; slot < places.size(); ++slot)
    places[slot] = placeOf(slot);
  placeUpdates();
  std::for_each(program.inputs.begin(), program.inputs.end(),
                [&](uint32_t slot) { isIntact[slot] = true; });
  for (const Constant &constant : program.constants)
    isIntact[constant.slot] = true;
  for (const auto &step : program.steps) {
    for (uint32_t slot : step->operands)
      TANDEM_RETURN_IF_ERROR(checkRead(slot));
    if (isView(program, *step)) {
      placeView(*step);
      continue;
    }
    for (uint32_t slot : step->results)
      TANDEM_RETURN_IF_ERROR(checkWrite(*step, slot));
    for (uint32_t slot : step->results)
      write(*step, slot);
  }
  for (uint32_t slot : program.outputs)
    TANDEM_RETURN_IF_ERROR(checkRead(slot));
  return {};
}

} // namespace

Status checkMemoryPlan(const Program &program) {
  for (const auto &step : program.steps) {
    if (!step->loop)
      continue;
    Program body;
    static_cast<fb::ProgramT &>(body) = *step->loop->body;
    for (const auto &kernel : program.kernels)
      body.kernels.push_back(std::make_unique<fb::KernelT>(*kernel));
    TANDEM_RETURN_IF_ERROR(checkMemoryPlan(body));
  }
  return Checker(program).run();
}

} // namespace tandem
