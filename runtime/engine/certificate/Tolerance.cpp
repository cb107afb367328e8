//===- Tolerance.cpp - How far two tiers' results may be apart ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "engine/certificate/Tolerance.h"

#include "engine/certificate/OpTolerance.h"

#include "tandem/Runtime/Compare.h"
#include "tandem/Runtime/Program/ProgramLoops.h"
#include "tandem/Support/OpErrors.h"

#include <algorithm>
#include <cmath>

using namespace tandem;
using namespace tandem::tiering;

namespace {

class Derivation {
public:
  Derivation(const Program &program, Precision precision)
      : program(program), precision(precision), values(program.slots.size()),
        influences(program.slots.size()) {
    result.types.resize(program.slots.size());
  }

  Expected<Tolerance> run(std::span<const TensorType> inputs);

private:
  Status visit(size_t step);
  void addResult(const OpView &view, size_t step, uint32_t slot);
  void addInfluences(const OpView &view, const fb::StepT &step, uint32_t slot);

  const Program &program;
  Precision precision;
  std::vector<ValueTolerance> values;
  std::vector<std::vector<JumpInfluence>> influences;
  Tolerance result;
};

void Derivation::addInfluences(const OpView &view, const fb::StepT &step,
                               uint32_t slot) {
  std::vector<JumpInfluence> &all = influences[slot];
  for (size_t i = 0; i < step.operands.size(); ++i)
    for (JumpInfluence influence : influences[step.operands[i]]) {
      influence.elements *= reach(view, i);
      auto known = std::find_if(all.begin(), all.end(), [&](const auto &other) {
        return other.jump == influence.jump;
      });
      if (known == all.end())
        known = all.insert(all.end(), {influence.jump, 0});
      known->elements =
          std::min(known->elements + influence.elements, view.elements());
    }
}

void Derivation::addResult(const OpView &view, size_t index, uint32_t slot) {
  result.types[slot] = view.result;
  values[slot] = toleranceOf(view, precision);
  addInfluences(view, *program.steps[index], slot);
  if (!view.hasExactOperands() &&
      jumpsOf(view.op, view.result) != Jumps::never) {
    influences[slot].push_back({result.jumps.size(), 1});
    result.jumps.push_back({index, view.result, view.operands});
  }
}

Status Derivation::visit(size_t index) {
  const fb::StepT &step = *program.steps[index];
  if (!step.op || step.epilogue)
    return fail("certify", "tolerances are derived from an eager program");
  std::vector<TensorType> types;
  std::vector<ValueTolerance> operands;
  for (uint32_t slot : step.operands) {
    types.push_back(result.types[slot]);
    operands.push_back(values[slot]);
  }
  TANDEM_ASSIGN_OR_RETURN(const std::vector<TensorType> results,
                          inferResultTypes(program, step, types));
  for (size_t i = 0; i < results.size(); ++i)
    addResult({*step.op, types, operands, results[i]}, index, step.results[i]);
  return {};
}

Expected<Tolerance> Derivation::run(std::span<const TensorType> inputs) {
  for (size_t i = 0; i < program.inputs.size(); ++i)
    result.types[program.inputs[i]] = inputs[i];
  for (const Constant &constant : program.constants)
    result.types[constant.slot] = fromFlat(*program.slots[constant.slot]->type);
  for (size_t i = 0; i < program.steps.size(); ++i)
    TANDEM_RETURN_IF_ERROR(visit(i));
  for (uint32_t slot : program.outputs) {
    result.outputs.push_back(values[slot]);
    result.influences.push_back(influences[slot]);
  }
  return std::move(result);
}

} // namespace

ValueTolerance::Bound ValueTolerance::bound(double elements) const {
  // The chance that any of as many normal errors is beyond is below this.
  constexpr double kChance = 1e-12;
  // Both results err.
  const double sigmas =
      std::sqrt(2 * 2 * std::log(std::max(elements, 1.0) / kChance));
  return {std::min(kMax, sigmas * (elementwise + normwise)),
          std::min(kMax, sigmas * normwise)};
}

Expected<Tolerance> tiering::deriveTolerance(const Program &program,
                                             std::span<const TensorType> inputs,
                                             Precision precision) {
  TANDEM_RETURN_IF_ERROR(checkInputs(program, inputs));
  return Derivation(program, precision).run(inputs);
}
