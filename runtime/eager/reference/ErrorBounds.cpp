//===- ErrorBounds.cpp - How far correct results may be apart -------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Monte Carlo arithmetic (D. S. Parker, Monte Carlo Arithmetic, UCLA
// CSD-970002, 1997; J. Vignes, Discrete stochastic arithmetic for validating
// results of numerical software, Numerical Algorithms 37, 2004): the graph runs
// a few times, each result perturbed at random by what its op may err. How far
// the runs' outputs are apart is how far correct results are. So errors that
// cancel do, errors that ops amplify are amplified, and errors that many
// elements share stay shared, which bounds from norms or variances would miss.
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/ErrorBounds.h"

#include "../custom/CustomCallProvider.h"
#include "LocalErrors.h"
#include "Samples.h"

#include "tandem/Runtime/CustomCall.h"
#include "tandem/Runtime/Kernels/FusedContraction.h"
#include "tandem/Runtime/Program/ProgramLoops.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

using namespace tandem;
using namespace tandem::reference;

namespace {

/// The factor of a bound, relative to the largest deviation that was observed
/// (see perturb).
constexpr double kMargin = 2;

/// The op on operands of the types of samples.
OpDesc onSamples(const OpDesc &op) {
  OpDesc result = op;
  if (auto *cast = result.attrs.AsCastAttrs())
    cast->dtype = sampleType(cast->dtype);
  if (auto *iota = result.attrs.AsIotaAttrs())
    iota->type->dtype = sampleType(iota->type->dtype);
  return result;
}

/// The op by the reference; the shape rule gives the types.
Expected<std::vector<Tensor>> evaluate(const OpDesc &op, Operands operands) {
  const auto *call = op.attrs.AsCustomCallAttrs();
  const std::vector<TensorType> operandTypes = typesOf(operands);
  TANDEM_ASSIGN_OR_RETURN(const std::vector<TensorType> types,
                          call ? inferCustomCall(*call, operandTypes)
                               : inferTypes(op, operandTypes));
  std::vector<Tensor> results(types.size());
  for (size_t i = 0; i < types.size(); ++i) {
    TANDEM_ASSIGN_OR_RETURN(results[i], Tensor::allocate(types[i]));
  }
  const Provider &provider =
      call ? customCallReferences() : referenceProvider();
  TANDEM_ASSIGN_OR_RETURN(const auto prepared,
                          provider.prepare({op, operandTypes, types}));
  TANDEM_RETURN_IF_ERROR(runOp(*prepared, operands, results));
  return results;
}

/// The op on the values of one sample. A bitcast takes the bits that each value
/// has in the type of the operand, not in that of the sample. A function of the
/// user takes operands of their own types.
Expected<std::vector<Tensor>> evaluateSample(const OpDesc &op,
                                             Operands operands,
                                             std::vector<Tensor> values) {
  if (op.kind != OpKind::bitcast && op.kind != OpKind::custom_call)
    return evaluate(onSamples(op), values);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = convert(values[i], operands[i].dtype());
  TANDEM_ASSIGN_OR_RETURN(std::vector<Tensor> results, evaluate(op, values));
  for (Tensor &result : results)
    result = convert(result, sampleType(result.dtype()));
  return results;
}

class SampledEvaluator {
public:
  explicit SampledEvaluator(const ErrorBoundOptions &options)
      : options(options), random(options.seed) {}

  Expected<std::vector<SampledValue>>
  run(const OpDesc &op, std::span<SampledValue *const> operands);
  /// An op and the ops of its epilogue, each as one of its own.
  Expected<std::vector<SampledValue>>
  run(const fb::StepT &step, std::span<SampledValue *const> operands);

private:
  const ErrorBoundOptions &options;
  SplitMix64 random;
};

Expected<std::vector<SampledValue>>
SampledEvaluator::run(const OpDesc &op,
                      std::span<SampledValue *const> operands) {
  std::vector<Tensor> exact;
  bool isExact = true, rounds = false;
  double terms = 1;
  for (SampledValue *operand : operands) {
    exact.push_back(operand->reference);
    isExact &= operand->samples.empty();
    terms = std::max(terms, operand->terms);
  }
  TANDEM_ASSIGN_OR_RETURN(const std::vector<Tensor> references,
                          evaluate(op, exact));
  std::vector<SampledValue> results(references.size());
  std::vector<Errors> errors(references.size());
  for (size_t i = 0; i < results.size(); ++i) {
    const OpErrors facts =
        errorsOf(op, typesOf(exact), references[i].type(), options.precision);
    results[i].reference = references[i];
    if (getOpInfo(op.kind).family == OpFamily::contraction)
      results[i].terms = facts.terms;
    errors[i] = localErrors(op, exact, references[i], facts, terms, i);
    rounds |= !errors[i].empty();
  }
  if (isExact && !rounds)
    return results;
  std::vector<Tensor> unperturbed;
  for (int sample = 0; sample < options.samples; ++sample) {
    if (!isExact || unperturbed.empty()) {
      std::vector<Tensor> values;
      for (SampledValue *operand : operands)
        values.push_back(operand->inSample(sample));
      TANDEM_ASSIGN_OR_RETURN(unperturbed, evaluateSample(op, exact, values));
    }
    for (size_t i = 0; i < results.size(); ++i)
      results[i].samples.push_back(perturb(
          unperturbed[i], errors[i], references[i].dtype(), sample, random));
  }
  return results;
}

Expected<std::vector<SampledValue>>
SampledEvaluator::run(const fb::StepT &step,
                      std::span<SampledValue *const> operands) {
  if (!step.epilogue)
    return run(*step.op, operands);
  const OpKind kind = step.op->kind;
  const bool hasResidual = step.epilogue->has_residual;
  const size_t own = numContractionOperands(kind, operands.size(), hasResidual);
  TANDEM_ASSIGN_OR_RETURN(std::vector<SampledValue> value,
                          run(*step.op, operands.first(own)));
  for (const EpilogueOp &next : epilogueOps(kind, operands.size(), hasResidual,
                                            step.epilogue->activation)) {
    std::vector<SampledValue *> inputs = {&value[0]};
    if (next.operand)
      inputs.push_back(operands[*next.operand]);
    TANDEM_ASSIGN_OR_RETURN(value, run(next.op, inputs));
  }
  return value;
}

//===----------------------------------------------------------------------===//
// Bounds from samples
//===----------------------------------------------------------------------===//

bool isSameClass(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b)) ||
         (std::isfinite(a) && std::isfinite(b));
}

/// For each element the largest distance of a sample from the reference;
/// infinite where one is a number and the other is not.
std::vector<double> largestDeviations(const SampledValue &value) {
  const std::vector<double> expected = widen<double>(value.reference);
  std::vector<double> deviations(expected.size());
  for (const Tensor &sample : value.samples) {
    const std::vector<double> wide = widen<double>(sample),
                              rounded = widen<double>(
                                  convert(sample, value.reference.dtype()));
    for (size_t i = 0; i < expected.size(); ++i)
      if (!isSameClass(expected[i], rounded[i]))
        deviations[i] = kInfinity;
      else if (std::isfinite(expected[i]))
        deviations[i] =
            std::max(deviations[i], std::fabs(wide[i] - expected[i]));
  }
  return deviations;
}

/// The median of the deviations that are neither 0 nor infinite; 0 if there are
/// none.
double typicalDeviation(std::vector<double> deviations) {
  std::erase_if(deviations, [](double d) { return d == 0 || d == kInfinity; });
  if (deviations.empty())
    return 0;
  auto middle = deviations.begin() + deviations.size() / 2;
  std::nth_element(deviations.begin(), middle, deviations.end());
  return *middle;
}

/// Computes bounds from deviations. Some elements deviate by chance less than
/// they may, so each bound is at least as large as that for the median
/// deviation. The median is not raised by a few elements that are much less
/// certain. Finally, results are rounded to their type.
ErrorBounds boundsOf(const SampledValue &value) {
  if (value.samples.empty())
    return {};
  ErrorBounds bounds = largestDeviations(value);
  DType dtype = value.reference.dtype();
  if (!isFloat(dtype))
    return bounds;
  double typical = typicalDeviation(bounds);
  const std::vector<double> expected = widen<double>(value.reference);
  for (size_t i = 0; i < bounds.size(); ++i) {
    bounds[i] = kMargin * std::max(bounds[i], typical);
    if (bounds[i] > 0 && std::isfinite(expected[i]))
      bounds[i] += std::max(epsilonOf(dtype) * std::fabs(expected[i]),
                            leastPositive(dtype));
  }
  return bounds;
}

/// For each slot the number of times that steps and outputs read it.
std::vector<size_t> countReads(const Program &program) {
  std::vector<size_t> reads(program.slots.size());
  for (const auto &step : program.steps)
    for (uint32_t slot : step->operands)
      ++reads[slot];
  for (uint32_t slot : program.outputs)
    ++reads[slot];
  return reads;
}

} // namespace

Expected<std::vector<BoundedTensor>>
tandem::evaluateWithBounds(const Program &program,
                           std::span<const Tensor> inputs,
                           const ErrorBoundOptions &options) {
  if (!isFlat(program)) {
    TANDEM_ASSIGN_OR_RETURN(Program unrolled,
                            unrollLoops(program, typesOf(inputs)));
    return evaluateWithBounds(unrolled, inputs, options);
  }
  std::vector<SampledValue> values(program.slots.size());
  for (size_t i = 0; i < inputs.size(); ++i)
    values[program.inputs[i]].reference = inputs[i];
  for (const Constant &constant : program.constants) {
    // A copy, as elements are read here, and constants lie at any address.
    TANDEM_ASSIGN_OR_RETURN(
        Tensor copy,
        Tensor::allocate(fromFlat(*program.slots[constant.slot]->type)));
    std::memcpy(copy.data(), constant.data.data(), copy.bytes());
    values[constant.slot].reference = std::move(copy);
  }
  std::vector<size_t> readsLeft = countReads(program);
  SampledEvaluator sampler(options);
  for (const auto &next : program.steps) {
    const fb::StepT &step = *next;
    if (options.isStopped && options.isStopped())
      return fail("check", "stopped");
    if (!step.op)
      return fail("check", "a kernel has no reference to compare with");
    std::vector<SampledValue *> operands;
    for (uint32_t slot : step.operands)
      operands.push_back(&values[slot]);
    TANDEM_ASSIGN_OR_RETURN(std::vector<SampledValue> results,
                            sampler.run(step, operands));
    for (size_t k = 0; k < results.size(); ++k)
      values[step.results[k]] = std::move(results[k]);
    for (uint32_t slot : step.operands)
      if (--readsLeft[slot] == 0)
        values[slot] = {};
  }
  std::vector<BoundedTensor> outputs;
  for (uint32_t slot : program.outputs)
    outputs.push_back({values[slot].reference, boundsOf(values[slot])});
  return outputs;
}

Expected<std::vector<BoundedTensor>>
tandem::evaluateWithBounds(const OpDesc &op, std::span<const Tensor> operands,
                           const ErrorBoundOptions &options) {
  std::vector<SampledValue> values(operands.size());
  std::vector<SampledValue *> pointers;
  for (size_t i = 0; i < operands.size(); ++i) {
    values[i].reference = operands[i];
    pointers.push_back(&values[i]);
  }
  SampledEvaluator sampler(options);
  TANDEM_ASSIGN_OR_RETURN(const std::vector<SampledValue> results,
                          sampler.run(op, pointers));
  std::vector<BoundedTensor> bounded;
  for (const SampledValue &result : results)
    bounded.push_back({result.reference, boundsOf(result)});
  return bounded;
}
