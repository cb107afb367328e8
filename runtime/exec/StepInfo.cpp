//===- StepInfo.cpp - What the steps of a program are ---------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/Kernels/FusedContraction.h"
#include "tandem/Runtime/Profile.h"
#include "tandem/Runtime/Program/ProgramLoops.h"
#include "tandem/Runtime/Program/ProgramMemory.h"
#include "tandem/Runtime/Program/StepNames.h"

#include <algorithm>

using namespace tandem;

namespace {

using Types = std::vector<TensorType>;
using Kernels = std::vector<std::unique_ptr<fb::KernelT>>;

/// Describes one step after the other; `types` are those of all slots, as far
/// as they are known.
class StepDescriber {
public:
  StepDescriber(const Program &program, std::span<const TensorType> inputs,
                ProviderList providers, const Kernels &kernels)
      : program(program), providers(providers), kernels(kernels) {
    for (const auto &slot : program.slots)
      types.push_back(fromFlat(*slot->type));
    for (size_t i = 0; i < inputs.size(); ++i)
      types[program.inputs[i]] = inputs[i];
  }

  Expected<StepInfo> describe(const fb::StepT &step);

private:
  Types typesOf(const std::vector<uint32_t> &slots) const {
    Types list;
    for (uint32_t slot : slots)
      list.push_back(types[slot]);
    return list;
  }
  /// Sets the types of the step's results.
  Status inferResults(const fb::StepT &step, const Types &operands) {
    TANDEM_ASSIGN_OR_RETURN(Types results,
                            inferResultTypes(program, step, operands));
    for (size_t i = 0; i < results.size(); ++i)
      types[step.results[i]] = results[i];
    return {};
  }
  Status describeOp(const fb::StepT &step, StepInfo &info);
  void leaveOutOperandsInPlace(const fb::StepT &step, const Types &operands,
                               StepInfo &info) const;
  Status describeLoop(const fb::StepT &step, StepInfo &info);
  Status findProvider(const fb::StepT &step, StepInfo &info) const;

  const Program &program;
  ProviderList providers;
  /// The kernels of the outermost program.
  const Kernels &kernels;
  Types types;
};

int64_t sumOfBytes(const Types &types) {
  int64_t bytes = 0;
  for (const TensorType &type : types)
    bytes += type.bytes();
  return bytes;
}

/// Whether `provider` runs the step, as a whole or the contraction in it.
Expected<bool> runs(const Provider &provider, const fb::StepT &step,
                    const OpSignature &signature) {
  if (step.epilogue) {
    TANDEM_ASSIGN_OR_RETURN(
        auto fused,
        provider.prepareFused({signature, step.epilogue->has_residual,
                               step.epilogue->activation}));
    if (fused)
      return true;
  }
  const size_t own =
      step.epilogue
          ? numContractionOperands(step.op->kind, signature.operands.size(),
                                   step.epilogue->has_residual)
          : signature.operands.size();
  TANDEM_ASSIGN_OR_RETURN(
      auto op, provider.prepare({signature.op, signature.operands.first(own),
                                 signature.results}));
  return op != nullptr;
}

Status StepDescriber::findProvider(const fb::StepT &step,
                                   StepInfo &info) const {
  const Types operands = typesOf(step.operands),
              results = typesOf(step.results);
  for (const Provider *provider : providers) {
    TANDEM_ASSIGN_OR_RETURN(
        bool isIt, runs(*provider, step, {*step.op, operands, results}));
    if (!isIt)
      continue;
    info.provider = provider->name();
    info.kind = provider == &referenceProvider() ? StepKind::reference
                                                 : StepKind::library;
    return {};
  }
  return fail("execute", "no provider executes " + info.name);
}

/// A concat does not copy operands that are in its result, and is a view if all
/// of them are.
void StepDescriber::leaveOutOperandsInPlace(const fb::StepT &step,
                                            const Types &operands,
                                            StepInfo &info) const {
  if (step.op->kind != OpKind::concat)
    return;
  const std::vector<bool> areInPlace = findOperandsInPlace(program, step);
  for (size_t i = 0; i < operands.size(); ++i)
    if (areInPlace[i]) {
      info.bytesRead -= operands[i].bytes();
      info.bytesWritten -= operands[i].bytes();
    }
  if (std::all_of(areInPlace.begin(), areInPlace.end(),
                  [](bool isIt) { return isIt; }))
    info.kind = StepKind::view;
}

Status StepDescriber::describeOp(const fb::StepT &step, StepInfo &info) {
  const Types operands = typesOf(step.operands);
  TANDEM_RETURN_IF_ERROR(inferResults(step, operands));
  if (isView(program, step)) {
    info.kind = StepKind::view;
    return {};
  }
  const TensorType &result = types[step.results[0]];
  OpCost all = cost(*step.op, operands, result);
  if (step.epilogue)
    for (const EpilogueOp &next :
         epilogueOps(step.op->kind, operands.size(),
                     step.epilogue->has_residual, step.epilogue->activation))
      all.flops += cost(next.op, std::span(&result, 1), result).flops;
  info.flops = all.flops;
  info.bytesWritten = sumOfBytes(typesOf(step.results));
  info.bytesRead = all.bytes - result.bytes();
  leaveOutOperandsInPlace(step, operands, info);
  return info.kind == StepKind::view ? Status() : findProvider(step, info);
}

/// Describes a loop by the sum over all its iterations. The loop counts as
/// executed in the way of that step of its body which is furthest from
/// generated code.
Status StepDescriber::describeLoop(const fb::StepT &step, StepInfo &info) {
  const Types operands = typesOf(step.operands);
  TANDEM_RETURN_IF_ERROR(inferResults(step, operands));
  Program body;
  static_cast<fb::ProgramT &>(body) = *step.loop->body;
  StepDescriber inner(body, bodyInputs(*step.loop, operands), providers,
                      kernels);
  const int64_t trips = tripsOf(*step.loop, operands);
  for (const auto &each : body.steps) {
    TANDEM_ASSIGN_OR_RETURN(StepInfo one, inner.describe(*each));
    info.flops += trips * one.flops;
    info.bytesRead += trips * one.bytesRead;
    info.bytesWritten += trips * one.bytesWritten;
    if (one.kind != StepKind::view && one.kind >= info.kind) {
      info.kind = one.kind;
      info.provider = one.provider;
    }
    for (const std::string &source : one.sources)
      if (std::find(info.sources.begin(), info.sources.end(), source) ==
          info.sources.end())
        info.sources.push_back(source);
  }
  return {};
}

Expected<StepInfo> StepDescriber::describe(const fb::StepT &step) {
  StepInfo info;
  info.name = nameOf(kernels, step);
  info.sources = sourcesOf(step);
  if (step.op) {
    TANDEM_RETURN_IF_ERROR(describeOp(step, info));
  } else if (step.loop) {
    TANDEM_RETURN_IF_ERROR(describeLoop(step, info));
  } else {
    const fb::KernelT &kernel = *kernels[step.kernel];
    info.flops = kernel.flops;
    info.bytesRead = sumOfBytes(typesOf(step.operands));
    info.bytesWritten = sumOfBytes(typesOf(step.results));
  }
  info.elementBytes = byteWidth(types[step.results[0]].dtype);
  return info;
}

} // namespace

std::string_view tandem::name(StepKind kind) {
  switch (kind) {
  case StepKind::kernel:
    return "kernel";
  case StepKind::library:
    return "library";
  case StepKind::reference:
    return "reference";
  case StepKind::view:
    return "view";
  }
  __builtin_unreachable();
}

Expected<std::vector<StepInfo>>
tandem::describeSteps(const Executor &executor,
                      std::span<const TensorType> inputs) {
  const Program &program = executor.program();
  TANDEM_RETURN_IF_ERROR(checkInputs(program, inputs));
  StepDescriber describer(program, inputs, executor.providers(),
                          program.kernels);
  std::vector<StepInfo> steps;
  for (size_t i = 0; i < program.steps.size(); ++i) {
    TANDEM_ASSIGN_OR_RETURN(StepInfo info,
                            describer.describe(*program.steps[i]));
    info.runsOnce = executor.hasRunOnce(i);
    if (info.runsOnce)
      info.bytesRead = info.bytesWritten = info.flops = 0;
    steps.push_back(std::move(info));
  }
  return steps;
}
