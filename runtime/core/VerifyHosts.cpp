//===- VerifyHosts.cpp - Slots in the memory of other slots ---------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VerifyLoop.h"

#include "tandem/Runtime/Program/ProgramMemory.h"
#include "tandem/Runtime/Program/ProgramUpdates.h"

#include <limits>

using namespace tandem;

/// By slot, whether it is an operand of a concat that is placed where it
/// belongs in the result, or such an operand is a view of all of its bytes.
static std::vector<bool> findKeptByConcats(const fb::ProgramT &program,
                                           std::span<const uint32_t> roots) {
  const auto bytesOf = [&](uint32_t slot) {
    return fromFlat(*program.slots[slot]->type).bytes();
  };
  std::vector<bool> isKept(program.slots.size(), false);
  for (const auto &step : program.steps) {
    const std::vector<bool> areInPlace = findOperandsInPlace(program, *step);
    for (size_t i = 0; i < areInPlace.size(); ++i)
      if (const uint32_t root = roots[step->operands[i]];
          areInPlace[i] &&
          placeOf(program, root) == placeOf(program, step->operands[i]) &&
          bytesOf(root) == bytesOf(step->operands[i]))
        isKept[root] = true;
  }
  return isKept;
}

Status tandem::verifyHosts(const fb::ProgramT &program) {
  constexpr size_t kNever = std::numeric_limits<size_t>::max();
  const std::vector<uint32_t> roots = findViewRoots(program);
  const std::vector<bool> isKept = findKeptByConcats(program, roots);
  std::vector<size_t> computed(program.slots.size(), kNever);
  std::vector<size_t> used(program.slots.size(), 0);
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const fb::StepT &step = *program.steps[i];
    for (const auto *slots : {&step.operands, &step.results})
      for (uint32_t slot : *slots)
        used[roots[slot]] = i;
    if (!isView(program, step) &&
        !(step.op && step.op->kind == OpKind::reshape))
      for (uint32_t slot : step.results)
        computed[slot] = i;
  }
  for (size_t slot = 0; slot < program.slots.size(); ++slot) {
    const int32_t host = program.slots[slot]->host;
    if (host < 0 || roots[slot] != slot)
      continue;
    if (computed[host] == kNever ||
        (computed[host] < used[slot] && !isKept[slot]))
      return invalid("slot ", slot, ": in the memory of slot ", host,
                     ", which is not computed after it");
  }
  return {};
}
