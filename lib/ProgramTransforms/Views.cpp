//===- Views.cpp - Finding the steps that may be views --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Storage.h"

#include "tandem/Runtime/Program/ProgramMemory.h"

namespace tandem {

std::vector<bool> findOutputValues(const Program &program) {
  std::vector<bool> isOutput(program.slots.size(), false);
  for (uint32_t slot : program.outputs)
    isOutput[slot] = true;
  for (size_t i = program.steps.size(); i-- > 0;)
    if (const fb::StepT &step = *program.steps[i];
        step.op && step.op->kind == OpKind::reshape &&
        isOutput[step.results[0]])
      isOutput[step.operands[0]] = true;
  return isOutput;
}

std::vector<bool> findViewsOfInputs(const Program &program) {
  const std::vector<bool> isOutput = findOutputValues(program);
  std::vector<bool> areViews(program.steps.size(), false);
  std::vector<bool> isInput(program.slots.size(), false);
  for (uint32_t slot : program.inputs)
    isInput[slot] = true;
  for (const Constant &constant : program.constants)
    isInput[constant.slot] = true;
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const fb::StepT &step = *program.steps[i];
    areViews[i] =
        findViewOffset(program, step) && isInput[step.operands[0]] &&
        fromFlat(*program.slots[step.results[0]]->type).isStatic() &&
        !(step.op->kind == OpKind::slice && isOutput[step.results[0]]);
    if (areViews[i])
      isInput[step.results[0]] = true;
  }
  return areViews;
}

} // namespace tandem
