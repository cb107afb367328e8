//===- Trials.cpp - Whether engines are right -----------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What was seen of cuDNN 9.14 on an H100, in f16: engine 47 makes 0 of -inf,
// and where a group has an odd number of channels, NaN of one group reaches the
// results of another. Neither is noted of an engine.
//
//===----------------------------------------------------------------------===//

#include "CUDNN.h"

#include "../NaNPropagationProbe.h"
#include "ConvOp.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace tandem;
using namespace tandem::cudnn;

namespace {

enum Operand : size_t { kInputOperand, kKernelOperand };

std::vector<TensorType> operandsOf(const ConvProblem &problem) {
  std::vector<TensorType> operands = {
      {problem.dtype, Shape(problem.input.sizes)},
      {problem.dtype, Shape(problem.kernel.sizes)}};
  if (problem.hasBias)
    operands.push_back({problem.dtype, {problem.output.sizes[1]}});
  if (problem.hasResidual)
    operands.push_back({problem.dtype, Shape(problem.output.sizes)});
  return operands;
}

/// Whether the engine keeps -inf: the input is -inf, the weights are ones, so
/// results are -inf. Where the engine multiplies zeros of the padding, a result
/// may be NaN; if windows read only padding, it may be 0.
bool keepsInfinity(const std::vector<double> &results) {
  const double infinity = std::numeric_limits<double>::infinity();
  return std::ranges::find(results, -infinity) != results.end() ||
         std::ranges::none_of(
             results, [](double value) { return std::isfinite(value); });
}

/// Whether an element of a packed tensor is of the first group. `dim` is that
/// of the channels of all groups.
bool isOfFirstGroup(const TensorDims &dims, int64_t groups, int64_t element,
                    int dim = 1) {
  return element / dims.strides[dim] % dims.sizes[dim] <
         dims.sizes[dim] / groups;
}

} // namespace

Expected<bool> Session::passesTrial(std::shared_ptr<const Plan> plan,
                                    const ConvProblem &problem) {
  const ConvOp op(*this, std::make_shared<PlanChoice>(std::move(plan)),
                  problem);
  auto run = [&](const eager::ProbedValue &value) {
    return eager::probe(op, operandsOf(problem),
                        {problem.dtype, Shape(problem.output.sizes)},
                        device.defaultStream(), value);
  };
  if (problem.activation != Activation::relu) { // Which makes 0 of it anyway.
    TANDEM_ASSIGN_OR_RETURN(
        const auto results, run([](size_t operand, int64_t) {
          return operand == kKernelOperand
                     ? -std::numeric_limits<double>::infinity()
                     : 1;
        }));
    if (!keepsInfinity(results))
      return false;
  }
  const int64_t groups = problem.groups();
  if (groups == 1)
    return true;
  TANDEM_ASSIGN_OR_RETURN(
      const auto results, run([&](size_t operand, int64_t element) {
        return operand != kInputOperand ||
                       isOfFirstGroup(problem.input, groups, element)
                   ? 1
                   : std::numeric_limits<double>::quiet_NaN();
      }));
  // The input channels of a kernel are those of one group.
  const int channelDim =
      problem.direction == ConvDirection::backwardWeights ? 0 : 1;
  for (size_t i = 0; i < results.size(); ++i)
    if (std::isnan(results[i]) &&
        isOfFirstGroup(problem.output, groups, int64_t(i), channelDim))
      return false;
  return true;
}
