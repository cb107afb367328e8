//===- ConstantSteps.cpp - Steps that run once ----------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConstantSteps.h"

#include "tandem/Runtime/Program/ProgramMemory.h"
#include "tandem/Support/ConstantMemory.h"

#include <algorithm>
#include <set>

using namespace tandem;
using namespace tandem::exec;

namespace {

class Finder {
public:
  explicit Finder(const Program &program)
      : program(program), writer(program.slots.size(), -1),
        isConstant(program.slots.size(), false) {}

  ConstantSteps find();

private:
  TensorType typeOf(uint32_t slot) const {
    return fromFlat(*program.slots[slot]->type);
  }
  bool dependsOnConstants(const fb::StepT &step) const;
  bool hasOwnMemory(const fb::StepT &step) const;
  double savedBy(const fb::StepT &step) const;
  /// The steps that `slot` is computed by, in any order.
  std::set<size_t> stepsOf(uint32_t slot) const;
  /// Slots of constant steps that other steps or the caller read.
  std::vector<uint32_t> findResults(const std::vector<bool> &steps) const;

  const Program &program;
  /// By slot: the constant step that writes it, or -1.
  std::vector<int64_t> writer;
  /// By slot: whether its value is the same in every run.
  std::vector<bool> isConstant;
};

/// Whether the results outlive a run: they are not written to the memory of
/// slots that each run allocates.
bool Finder::hasOwnMemory(const fb::StepT &step) const {
  return isView(program, step) ||
         std::all_of(step.results.begin(), step.results.end(),
                     [&](uint32_t slot) {
                       return program.slots[slot]->arena_offset < 0;
                     });
}

bool Finder::dependsOnConstants(const fb::StepT &step) const {
  return step.op && step.op->kind != OpKind::custom_call &&
         step.sizes.empty() && hasOwnMemory(step) &&
         std::all_of(step.results.begin(), step.results.end(),
                     [&](uint32_t slot) { return typeOf(slot).isStatic(); }) &&
         std::all_of(step.operands.begin(), step.operands.end(),
                     [&](uint32_t slot) { return isConstant[slot]; });
}

double Finder::savedBy(const fb::StepT &step) const {
  if (isView(program, step))
    return 0;
  std::vector<TensorType> operands;
  for (uint32_t slot : step.operands)
    operands.push_back(typeOf(slot));
  return savedBytes(cost(*step.op, operands, typeOf(step.results[0])));
}

std::set<size_t> Finder::stepsOf(uint32_t slot) const {
  std::set<size_t> steps;
  std::vector<uint32_t> open = {slot};
  while (!open.empty()) {
    const int64_t step = writer[open.back()];
    open.pop_back();
    if (step < 0 || !steps.insert(step).second)
      continue;
    const std::vector<uint32_t> &operands = program.steps[step]->operands;
    open.insert(open.end(), operands.begin(), operands.end());
  }
  return steps;
}

std::vector<uint32_t>
Finder::findResults(const std::vector<bool> &steps) const {
  std::set<uint32_t> results(program.outputs.begin(), program.outputs.end());
  for (size_t i = 0; i < program.steps.size(); ++i)
    if (!steps[i])
      results.insert(program.steps[i]->operands.begin(),
                     program.steps[i]->operands.end());
  std::erase_if(results, [&](uint32_t slot) {
    return writer[slot] < 0 || !steps[writer[slot]];
  });
  return {results.begin(), results.end()};
}

ConstantSteps Finder::find() {
  for (const Constant &constant : program.constants)
    isConstant[constant.slot] = true;
  std::vector<bool> constantSteps(program.steps.size());
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const fb::StepT &step = *program.steps[i];
    if (!dependsOnConstants(step))
      continue;
    constantSteps[i] = true;
    for (uint32_t slot : step.results) {
      isConstant[slot] = true;
      writer[slot] = static_cast<int64_t>(i);
    }
  }
  ConstantSteps result;
  for (uint32_t slot : findResults(constantSteps)) {
    const std::set<size_t> steps = stepsOf(slot);
    double saved = 0;
    for (size_t step : steps)
      saved += savedBy(*program.steps[step]);
    const bool isView = tandem::isView(program, *program.steps[writer[slot]]);
    if (!isWorthKeeping(saved, isView ? 0 : typeOf(slot).bytes()))
      continue;
    result.runsOnce.resize(program.steps.size());
    for (size_t step : steps)
      result.runsOnce[step] = true;
  }
  if (!result.runsOnce.empty())
    result.kept = findResults(result.runsOnce);
  return result;
}

} // namespace

ConstantSteps exec::findConstantSteps(const Program &program) {
  return program.planned ? ConstantSteps() : Finder(program).find();
}
