//===- CustomCallSamples.cpp - Samples of functions of the user -----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Samples.h"

#include "../custom/CustomCallProvider.h"
#include "Wide.h"

#include "tandem/Runtime/CustomCall.h"

using namespace tandem;
using namespace tandem::reference;

namespace {

/// The results of the function's reference.
Expected<std::vector<Tensor>>
evaluateCustomCall(const OpDesc &op, std::span<const Tensor> operands) {
  std::vector<TensorType> types;
  for (const Tensor &operand : operands)
    types.push_back(operand.type());
  TANDEM_ASSIGN_OR_RETURN(
      const std::vector<TensorType> resultTypes,
      inferCustomCall(*op.attrs.AsCustomCallAttrs(), types));
  TANDEM_ASSIGN_OR_RETURN(const auto prepared, customCallReferences().prepare(
                                                   {op, types, resultTypes}));
  std::vector<Tensor> results;
  for (const TensorType &type : resultTypes) {
    TANDEM_ASSIGN_OR_RETURN(Tensor result, Tensor::allocate(type));
    results.push_back(std::move(result));
  }
  TANDEM_RETURN_IF_ERROR(runOp(*prepared, operands, results));
  return results;
}

/// How far the function may be from its reference.
std::vector<double> customCallErrors(const CustomCall *call,
                                     const Tensor &result) {
  if (!call || call->relativeError == 0 || !isFloat(result.dtype()))
    return {};
  std::vector<double> values = widen<double>(result);
  double squares = 0;
  for (double value : values)
    squares += std::isfinite(value) ? value * value : 0;
  const double rms = std::sqrt(squares / std::max<double>(values.size(), 1));
  for (double &value : values)
    value = std::isfinite(value)
                ? call->relativeError * (std::fabs(value) + rms)
                : 0;
  return values;
}

} // namespace

/// Adds to each value the sample that one run of the function gives.
static void addSample(std::span<const Tensor> results,
                      std::span<const std::vector<double>> errors,
                      std::span<SampledValue> values, RandomBits &random) {
  for (size_t i = 0; i < results.size(); ++i) {
    const int sample = static_cast<int>(values[i].samples.size());
    values[i].samples.push_back(perturb(widenHalves(results[i]), errors[i],
                                        results[i].dtype(), sample, random));
  }
}

Expected<std::vector<SampledValue>>
reference::sampleCustomCall(const OpDesc &op,
                            std::span<SampledValue *const> operands,
                            size_t count, RandomBits &random) {
  std::vector<Tensor> exact;
  bool isExact = true;
  for (SampledValue *operand : operands) {
    exact.push_back(operand->reference);
    isExact &= operand->samples.empty();
  }
  TANDEM_ASSIGN_OR_RETURN(const std::vector<Tensor> reference,
                          evaluateCustomCall(op, exact));
  const auto call =
      findCustomCall(op.attrs.AsCustomCallAttrs()->target, hostDevice());
  std::vector<SampledValue> values(reference.size());
  std::vector<std::vector<double>> errors;
  for (size_t i = 0; i < reference.size(); ++i) {
    values[i].reference = reference[i];
    errors.push_back(customCallErrors(call.get(), reference[i]));
    isExact &= errors.back().empty();
  }
  for (size_t sample = 0; sample < count && !isExact; ++sample) {
    std::vector<Tensor> sampled;
    for (SampledValue *operand : operands) {
      TANDEM_ASSIGN_OR_RETURN(
          Tensor value,
          narrowTo(operand->reference.dtype(), operand->inSample(sample)));
      sampled.push_back(std::move(value));
    }
    TANDEM_ASSIGN_OR_RETURN(const std::vector<Tensor> results,
                            evaluateCustomCall(op, sampled));
    addSample(results, errors, values, random);
  }
  return values;
}
