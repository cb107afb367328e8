//===- VerifyLoop.cpp - Checks of a loop step -----------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VerifyLoop.h"

#include "tandem/Support/NestingDepth.h"

using namespace tandem;

Status tandem::verifyLoopCounts(const fb::ProgramT &program,
                                const fb::StepT &step, int depth,
                                const std::string &what) {
  const fb::LoopT &loop = *step.loop;
  if (depth >= kMaxLoopDepth)
    return invalid(what, ": more than ", kMaxLoopDepth,
                   " loops within each other");
  if (!loop.body || !loop.body->kernels.empty() ||
      loop.body->planned != program.planned)
    return invalid(what, ": no body of the kind that its program is of");
  if (loop.body->inputs.size() != step.operands.size() ||
      loop.body->outputs.size() != step.results.size())
    return invalid(what, ": ", step.operands.size(), " operands and ",
                   step.results.size(), " results, where its body has ",
                   loop.body->inputs.size(), " and ",
                   loop.body->outputs.size());
  const uint64_t varying = uint64_t(loop.carried) + loop.scanned;
  if (varying > step.operands.size() || loop.carried > step.results.size())
    return invalid(what, ": carries ", loop.carried, " values and scans ",
                   loop.scanned, " of ", step.operands.size());
  if (loop.reversed.size() != loop.scanned + step.results.size() - loop.carried)
    return invalid(what, ": ", loop.reversed.size(),
                   " directions for what it scans and stacks");
  if (loop.trips < -1 || (loop.trips == -1) != (loop.scanned > 0))
    return invalid(what, ": ", loop.trips, " iterations over ", loop.scanned,
                   " values");
  return {};
}

namespace {

std::vector<TensorType> slotTypes(const fb::ProgramT &program,
                                  const std::vector<uint32_t> &slots) {
  std::vector<TensorType> types;
  for (uint32_t slot : slots)
    types.push_back(fromFlat(*program.slots[slot]->type));
  return types;
}

Status verifyOperands(const fb::LoopT &loop,
                      std::span<const TensorType> operands,
                      const std::string &what) {
  for (size_t i = loop.carried; i < loop.carried + loop.scanned; ++i)
    if (operands[i].shape.rank() == 0 ||
        !agree({operands[i].dtype, {tripsOf(loop, operands)}},
               {operands[i].dtype, {operands[i].shape[0]}}))
      return invalid(what, ": operand ", i, ", which is ", operands[i].str(),
                     ", cannot be scanned with those before it");
  const std::vector<TensorType> given = bodyInputs(loop, operands),
                                taken =
                                    slotTypes(*loop.body, loop.body->inputs);
  for (size_t i = 0; i < given.size(); ++i)
    if (!agree(taken[i], given[i]))
      return invalid(what, ": operand ", i, " is ", operands[i].str(),
                     ", but the body takes ", taken[i].str());
  return {};
}

} // namespace

Status tandem::verifyLoopTypes(const fb::ProgramT &program,
                               const fb::StepT &step, const std::string &what) {
  const fb::LoopT &loop = *step.loop;
  const std::vector<TensorType> operands = slotTypes(program, step.operands),
                                results = slotTypes(program, step.results),
                                made =
                                    slotTypes(*loop.body, loop.body->outputs);
  TANDEM_RETURN_IF_ERROR(verifyOperands(loop, operands, what));
  for (size_t i = 0; i < results.size(); ++i) {
    const bool isCarried = i < loop.carried;
    if (isCarried ? !agree(operands[i], made[i])
                  : made[i].shape.rank() >= kMaxRank)
      return invalid(what, ": value ", i, " cannot be carried or stacked as ",
                     made[i].str());
    const TensorType type =
        isCarried ? made[i] : stackOf(made[i], tripsOf(loop, operands));
    if (!agree(results[i], type))
      return invalid(what, ": result ", i, " is declared as ", results[i].str(),
                     ", but the loop makes ", type.str());
  }
  return {};
}
