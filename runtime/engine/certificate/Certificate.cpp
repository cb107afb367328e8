//===- Certificate.cpp - Does a compiled program compute the same? --------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "engine/certificate/Certificate.h"

#include "engine/certificate/ElementScan.h"

#include "tandem/Runtime/Program/ProgramLoops.h"

#include <xxhash.h>

#include <algorithm>
#include <cstdio>
#include <limits>

using namespace tandem;
using namespace tandem::tiering;
using Verdict = Certificate::Verdict;
using Reason = Certificate::Reason;

namespace {

/// Makes a passed certificate provisional. The first reason is kept; only a
/// failure replaces it.
void makeProvisional(Certificate &certificate, Reason reason, bool isInput,
                     size_t index) {
  if (certificate.verdict != Verdict::passed)
    return;
  certificate.verdict = Verdict::provisional;
  certificate.reason = reason;
  certificate.isInput = isInput;
  certificate.index = index;
}

/// Names the element of an output that the verdict is about.
void setElement(Certificate &certificate, size_t output,
                const Difference &difference) {
  certificate.isInput = false;
  certificate.index = output;
  certificate.element = difference.worstIndex;
  certificate.expected = difference.expected;
  certificate.actual = difference.actual;
  certificate.bound = difference.bound;
}

void makeFailed(Certificate &certificate, size_t output,
                const Difference &difference) {
  certificate.verdict = Verdict::failed;
  certificate.reason = Reason::none;
  setElement(certificate, output, difference);
}

/// Makes the certificate provisional if the tensor shows little: if all its
/// elements are equal, or some are not finite.
void lookAt(Certificate &certificate, const Tensor &tensor, bool isKnownFinite,
            bool isInput, size_t index) {
  if (!isKnownFinite && !isFinite(tensor))
    makeProvisional(certificate, Reason::notFinite, isInput, index);
  else if (isConstant(tensor))
    makeProvisional(certificate, Reason::constant, isInput, index);
}

void lookAtInputs(Certificate &certificate, std::span<const Tensor> inputs) {
  for (size_t i = 0; i < inputs.size(); ++i)
    lookAt(certificate, inputs[i], /*isKnownFinite=*/false,
           /*isInput=*/true, i);
}

/// An output of another type than eager's has nothing that could be compared.
bool hasOtherType(Certificate &certificate, const Tensor &expected,
                  const Tensor &actual, size_t output) {
  if (expected.type() == actual.type())
    return false;
  certificate.mismatches +=
      std::max<int64_t>(expected.shape().numElements(), 1);
  makeFailed(certificate, output, {});
  return true;
}

/// Adds `slot` to the outputs, without a name, unless it is there; returns its
/// index.
size_t addOutput(Program &program, uint32_t slot) {
  auto known = std::find(program.outputs.begin(), program.outputs.end(), slot);
  const size_t index = known - program.outputs.begin();
  if (known == program.outputs.end()) {
    program.outputs.push_back(slot);
    if (!program.output_names.empty())
      program.output_names.emplace_back();
  }
  return index;
}

} // namespace

Expected<Certifier> Certifier::create(std::shared_ptr<const Program> eager,
                                      std::span<const TensorType> inputs,
                                      Precision precision) {
  Certifier result;
  // Errors are followed through every iteration.
  if (!isFlat(*eager)) {
    TANDEM_ASSIGN_OR_RETURN(Program unrolled, unrollLoops(*eager, inputs));
    eager = std::make_shared<const Program>(std::move(unrolled));
  }
  TANDEM_ASSIGN_OR_RETURN(result.derived,
                          deriveTolerance(*eager, inputs, precision));
  result.precision = precision;
  result.certifying = eager;
  result.eager = std::move(eager);
  if (result.derived.jumps.empty())
    return result;
  auto program = std::make_shared<Program>(*result.eager);
  for (const Jump &jump : result.derived.jumps) {
    std::vector<size_t> &operands = result.jumpOperands.emplace_back();
    for (uint32_t slot : program->steps[jump.step]->operands)
      operands.push_back(addOutput(*program, slot));
  }
  result.certifying = std::move(program);
  return result;
}

/// For each jump, counts the elements of its result that are near it.
static std::vector<int64_t>
countNearJumps(Certificate &certificate, const Program &program,
               const Tolerance &tolerance,
               std::span<const std::vector<size_t>> jumpOperands,
               std::span<const Tensor> outputs) {
  std::vector<int64_t> counts;
  for (size_t i = 0; i < tolerance.jumps.size(); ++i) {
    const Jump &jump = tolerance.jumps[i];
    const fb::StepT &step = *program.steps[jump.step];
    std::vector<Tensor> operands;
    for (size_t output : jumpOperands[i])
      operands.push_back(outputs[output]);
    counts.push_back(
        countNearJump(*step.op, jump.result, operands, jump.operands));
    certificate.nearJumps += counts.back();
  }
  return counts;
}

/// The elements of an output that may differ because of values near a jump.
static double explainable(std::span<const JumpInfluence> influences,
                          std::span<const int64_t> nearJumps,
                          const Tensor &output) {
  double elements = 0;
  for (const JumpInfluence &influence : influences)
    elements +=
        influence.elements * static_cast<double>(nearJumps[influence.jump]);
  return std::min(elements, static_cast<double>(output.shape().numElements()));
}

/// Judges an output whose difference has mismatches. Fails unless `mayDiffer`
/// elements near jumps explain the mismatches. If only a few elements may
/// differ, all others count as compared; if more may, nothing is certain.
static bool explain(Certificate &certificate, size_t output,
                    const Tensor &expected, const Difference &difference,
                    double mayDiffer) {
  if (static_cast<double>(difference.mismatches) > mayDiffer) {
    makeFailed(certificate, output, difference);
    return false;
  }
  certificate.explained += difference.mismatches;
  if (mayDiffer > ValueTolerance::kMax *
                      static_cast<double>(expected.shape().numElements()))
    makeProvisional(certificate, Reason::nearJump, /*isInput=*/false, output);
  return true;
}

Certificate Certifier::certify(std::span<const Tensor> inputs,
                               std::span<const Tensor> eagerOutputs,
                               std::span<const Tensor> compiledOutputs) const {
  Certificate result;
  const std::vector<int64_t> nearJumps =
      countNearJumps(result, *certifying, derived, jumpOperands, eagerOutputs);
  for (size_t i = 0; i < compiledOutputs.size(); ++i) {
    const Tensor &expected = eagerOutputs[i], &actual = compiledOutputs[i];
    if (hasOtherType(result, expected, actual, i))
      return result;
    result.compared += expected.shape().numElements();
    const bool agrees = agree(expected, actual, derived.outputs[i]);
    lookAt(result, expected, /*isKnownFinite=*/agrees, /*isInput=*/false, i);
    if (agrees)
      continue;
    lookAt(result, actual, /*isKnownFinite=*/false, /*isInput=*/false, i);
    const Difference difference =
        compareWithin(expected, actual, derived.outputs[i]);
    result.mismatches += difference.mismatches;
    if (difference.mismatches == 0)
      continue;
    const double mayDiffer =
        explainable(derived.influences[i], nearJumps, expected);
    if (!explain(result, i, expected, difference, mayDiffer))
      return result;
  }
  lookAtInputs(result, inputs);
  return result;
}

/// Looks for an element that only a weak error bound allows for. Such elements
/// must be within the tolerance of eager's, the others need not.
static void findUndecided(Certificate &certificate, size_t output,
                          const BoundedTensor &expected, const Tensor &eager,
                          const Tensor &compiled,
                          const ValueTolerance &tolerance) {
  if (certificate.verdict == Verdict::undecided) // The first is reported.
    return;
  const double largest = largestMagnitude(expected.value);
  ErrorBounds bounds = toleranceBounds(eager, compiled, tolerance);
  for (size_t i = 0; i < bounds.size(); ++i)
    if (expected.bounds.empty() || expected.bounds[i] <= kWeakBound * largest)
      bounds[i] = std::numeric_limits<double>::infinity();
  const Difference difference = compare(eager, compiled, bounds);
  if (difference.mismatches == 0)
    return;
  setElement(certificate, output, difference);
  certificate.verdict = Verdict::undecided;
  certificate.reason = Reason::weak;
}

/// Judges one output that exceeds its tolerance. Where elements near jumps may
/// differ, the tolerance alone decides about the others: the error bounds of
/// one element that jumps are those of all.
void Certifier::judge(Certificate &certificate, size_t output,
                      const BoundedTensor &expected, const Tensor &eager,
                      const Tensor &compiled, double mayDiffer) const {
  const ValueTolerance &tolerance = derived.outputs[output];
  const Difference difference =
      mayDiffer > 0 ? compareWithin(expected.value, compiled, tolerance)
                    : compare(expected.value, compiled, expected.bounds);
  certificate.compared += difference.compared;
  certificate.mismatches += difference.mismatches;
  if (difference.mismatches > 0)
    explain(certificate, output, expected.value, difference, mayDiffer);
  else if (mayDiffer == 0)
    findUndecided(certificate, output, expected, eager, compiled, tolerance);
}

Expected<Certificate>
Certifier::confirm(std::span<const Tensor> inputs,
                   std::span<const Tensor> eagerOutputs,
                   std::span<const Tensor> compiledOutputs,
                   const std::function<bool()> &isStopped) const {
  ErrorBoundOptions options;
  options.precision = precision;
  options.isStopped = isStopped;
  TANDEM_ASSIGN_OR_RETURN(std::vector<BoundedTensor> expected,
                          evaluateWithBounds(*certifying, inputs, options));
  std::vector<Tensor> values;
  for (const BoundedTensor &output : expected)
    values.push_back(output.value);
  Certificate result;
  result.isByErrorBounds = true;
  const std::vector<int64_t> nearJumps =
      countNearJumps(result, *certifying, derived, jumpOperands, values);
  for (size_t i = 0; i < compiledOutputs.size(); ++i) {
    const Tensor &eager = eagerOutputs[i], &compiled = compiledOutputs[i];
    if (hasOtherType(result, values[i], compiled, i))
      return result;
    lookAt(result, eager, /*isKnownFinite=*/false, /*isInput=*/false, i);
    if (isWithin(eager, compiled, derived.outputs[i])) {
      result.compared += eager.shape().numElements();
      continue;
    }
    judge(result, i, expected[i], eager, compiled,
          explainable(derived.influences[i], nearJumps, values[i]));
    if (result.verdict == Verdict::failed)
      return result;
  }
  lookAtInputs(result, inputs);
  return result;
}

std::string_view tiering::name(Verdict verdict) {
  switch (verdict) {
  case Verdict::passed:
    return "passed";
  case Verdict::provisional:
    return "provisional";
  case Verdict::undecided:
    return "undecided";
  case Verdict::failed:
    break;
  }
  return "failed";
}

std::string_view tiering::name(Reason reason) {
  switch (reason) {
  case Reason::none:
    return "none";
  case Reason::nearJump:
    return "values near a jump may explain differences";
  case Reason::constant:
    return "all elements are equal";
  case Reason::notFinite:
    return "elements are infinite or NaN";
  case Reason::weak:
    break;
  }
  return "the error bound is so large that a wrong result could pass";
}

std::string Certificate::str() const {
  std::string text(name(verdict));
  const std::string place =
      (isInput ? "input " : "output ") + std::to_string(index);
  if (verdict == Verdict::provisional)
    text += ": " + place + ": " + std::string(name(reason));
  if (verdict == Verdict::failed && element < 0)
    text += ": " + place + " has another type";
  if (element >= 0) {
    char values[128];
    std::snprintf(values, sizeof values, "%.9g instead of %.9g, bound %.3g",
                  actual, expected, bound);
    text +=
        ": " + place + ", element " + std::to_string(element) + ": " + values;
  }
  if (verdict == Verdict::undecided)
    text += ", and " + std::string(name(reason));
  text += "; " + std::to_string(mismatches) + " of " +
          std::to_string(compared) + " elements differ";
  if (explained > 0)
    text += ", " + std::to_string(explained) + " of them near jumps";
  return text;
}

uint64_t tiering::fingerprint(std::span<const Tensor> inputs) {
  constexpr int64_t kChunk = 64, kChunks = 64;
  XXH64_hash_t hash = 0;
  for (const Tensor &input : inputs) {
    const int64_t bytes = input.bytes();
    const auto *data = static_cast<const char *>(input.data());
    if (bytes <= kChunk * kChunks) {
      hash = XXH3_64bits_withSeed(data, bytes, hash);
      continue;
    }
    for (int64_t i = 0; i < kChunks; ++i)
      hash = XXH3_64bits_withSeed(data + (bytes - kChunk) * i / (kChunks - 1),
                                  kChunk, hash);
  }
  return hash;
}
