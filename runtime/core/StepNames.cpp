//===- StepNames.cpp - Names of steps and their sources -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/Program/StepNames.h"

#include "tandem/Runtime/Kernels/FusedContraction.h"

using namespace tandem;

std::string
tandem::nameOf(const std::vector<std::unique_ptr<fb::KernelT>> &kernels,
               const fb::StepT &step) {
  if (step.loop)
    return "loop";
  if (!step.op)
    return kernels[step.kernel]->name;
  std::string text(tandem::name(step.op->kind));
  if (step.epilogue)
    for (const EpilogueOp &next :
         epilogueOps(step.op->kind, step.operands.size(),
                     step.epilogue->has_residual, step.epilogue->activation))
      text += "+" + std::string(tandem::name(next.op.kind));
  return text;
}

std::vector<std::string> tandem::sourcesOf(const fb::StepT &step) {
  if (step.sources.empty() && !step.location.empty())
    return {step.location};
  return step.sources;
}
