//===- StepCheck.cpp - Comparing each step by itself ----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepCheck.h"

#include "Sources.h"

#include "tandem/Runtime/Program/ProgramLoops.h"
#include "tandem/Runtime/Program/ProgramMemory.h"
#include "tandem/Runtime/Program/StepNames.h"

#include <cstring>

namespace tandem::tools {
namespace {

/// A copy in the host's memory.
Expected<Tensor> copyOut(const Tensor &value, Stream &stream) {
  if (value.device()) {
    TANDEM_ASSIGN_OR_RETURN(std::vector<Tensor> copies,
                            copyToHost(std::span(&value, 1), stream));
    return copies.front();
  }
  TANDEM_ASSIGN_OR_RETURN(Tensor copy, Tensor::allocate(value.type()));
  std::memcpy(copy.data(), value.data(), size_t(value.type().bytes()));
  return copy;
}

std::unique_ptr<fb::SlotT> makeSlot(const TensorType &type) {
  auto slot = std::make_unique<fb::SlotT>();
  slot->type = std::make_unique<fb::TensorTypeT>(toFlat(type));
  return slot;
}

/// An op step on `operands` as a program of its own.
Program makeProgram(const fb::StepT &step, std::span<const Tensor> operands,
                    std::span<const TensorType> results) {
  Program program;
  auto copy = std::make_unique<fb::StepT>(step);
  copy->operands.clear();
  copy->results.clear();
  for (const Tensor &operand : operands) {
    copy->operands.push_back(uint32_t(program.slots.size()));
    program.slots.push_back(makeSlot(operand.type()));
  }
  program.inputs = copy->operands;
  for (const TensorType &type : results) {
    copy->results.push_back(uint32_t(program.slots.size()));
    program.slots.push_back(makeSlot(type));
  }
  program.outputs = copy->results;
  program.steps.push_back(std::move(copy));
  return program;
}

/// Whether nothing is known to compare with: of kernels within a loop.
bool isUnknown(const fb::StepT &step) {
  bool result = false;
  if (step.loop)
    forEachStep(*step.loop->body, [&](const fb::StepT &inner) {
      result |= inner.kernel >= 0 || isUnknown(inner);
    });
  return result;
}

/// Observes a run and compares step by step.
class StepChecker {
public:
  StepChecker(const PreparedTier &prepared, const ErrorBoundOptions &bounds,
              const std::string &label)
      : prepared(prepared), program(*prepared.program), bounds(bounds),
        label(label), stream(prepared.executor->stream()) {}

  /// A StepObserver.
  Status observe(size_t steps, std::span<const Tensor *const> values);

  StepChecks result;

private:
  Status compare(size_t index, std::span<const Tensor *const> values);
  Expected<std::vector<BoundedTensor>>
  evaluate(const fb::StepT &step, std::span<const TensorType> results) const;

  const PreparedTier &prepared;
  const Program &program;
  const ErrorBoundOptions &bounds;
  const std::string &label;
  Stream &stream;
  /// The operands of the next step. The step may write its results in their
  /// place.
  std::vector<Tensor> operands;
};

Expected<std::vector<BoundedTensor>>
StepChecker::evaluate(const fb::StepT &step,
                      std::span<const TensorType> results) const {
  if (step.kernel >= 0)
    return evaluateWithBounds(*prepared.kernelOps[step.kernel], operands,
                              bounds);
  return evaluateWithBounds(makeProgram(step, operands, results), operands,
                            bounds);
}

Status StepChecker::compare(size_t index,
                            std::span<const Tensor *const> values) {
  const fb::StepT &step = *program.steps[index];
  if (isUnknown(step)) {
    result.unknown += step.results.size();
    return {};
  }
  std::vector<Tensor> actual;
  std::vector<TensorType> types;
  for (uint32_t slot : step.results) {
    TANDEM_ASSIGN_OR_RETURN(Tensor value, copyOut(*values[slot], stream));
    types.push_back(value.type());
    actual.push_back(std::move(value));
  }
  TANDEM_ASSIGN_OR_RETURN(std::vector<BoundedTensor> expected,
                          evaluate(step, types));
  for (Check &check : compareOutputs(expected, actual, label)) {
    ++result.compared;
    if (check.passed()) {
      result.weak += check.difference->isWeak();
      continue;
    }
    result.divergences.push_back({index, nameOf(program.kernels, step),
                                  sourcesOf(step), std::move(check)});
  }
  return {};
}

Status StepChecker::observe(size_t steps,
                            std::span<const Tensor *const> values) {
  if (steps > 0 && !isView(program, *program.steps[steps - 1]))
    TANDEM_RETURN_IF_ERROR(compare(steps - 1, values));
  operands.clear();
  if (steps == program.steps.size())
    return {};
  for (uint32_t slot : program.steps[steps]->operands) {
    TANDEM_ASSIGN_OR_RETURN(Tensor value, copyOut(*values[slot], stream));
    operands.push_back(std::move(value));
  }
  return {};
}

std::string join(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "'" : ", '") + name + "'";
  return text;
}

} // namespace

Expected<StepChecks> checkSteps(const PreparedTier &prepared,
                                std::span<const Tensor> inputs,
                                const ErrorBoundOptions &bounds,
                                const std::string &label) {
  StepChecker checker(prepared, bounds, label);
  std::vector<Tensor> outputs;
  TANDEM_RETURN_IF_ERROR(prepared.executor->runObserved(
      inputs, outputs,
      [&](size_t steps, std::span<const Tensor *const> values) {
        return checker.observe(steps, values);
      },
      /*all=*/true));
  return std::move(checker.result);
}

std::string format(const StepChecks &checks, const std::string &label,
                   const std::string &file) {
  const std::string count = std::to_string(checks.compared);
  std::string text = label + ": " + count +
                     " results of steps, each from the "
                     "step's own operands: ";
  if (checks.divergences.empty())
    text += "all agree";
  else
    text += std::to_string(checks.divergences.size()) + " do not agree";
  if (checks.weak)
    text += ", " + std::to_string(checks.weak) + " of them weakly";
  if (checks.unknown)
    text += "; " + std::to_string(checks.unknown) + " have no reference";
  text += "\n";
  for (const StepChecks::Divergence &divergence : checks.divergences)
    text += "  step " + std::to_string(divergence.step) + ", " +
            divergence.name + " of " +
            join(withoutFile(divergence.sources, file)) + ", result " +
            std::to_string(divergence.check.output) + ": " +
            describeVerdict(divergence.check) + "\n";
  return text;
}

} // namespace tandem::tools
