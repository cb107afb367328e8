//===- CUDNN.cpp - cuDNN as a provider ------------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CUDNN.h"

#include "BiasAfter.h"
#include "ConvOp.h"
#include "Converted.h"

using namespace tandem;
using namespace tandem::cudnn;

Expected<std::unique_ptr<PreparedOp>>
CUDNNProvider::prepareFused(const FusedContraction &conv) const {
  std::optional<ConvProblem> problem = ConvProblem::of(conv);
  if (!problem || !session.open())
    return nullptr;
  if (problem->direction == ConvDirection::backwardData && problem->hasBias)
    return prepareBiasAfter(conv.contraction);
  if (conv.activation == Activation::relu && !options.mayDropNaN)
    TANDEM_RETURN_IF_ERROR(session.enginesThatKeepNaN(problem->dtype));
  const ConvProblem given = *problem;
  TANDEM_ASSIGN_OR_RETURN(auto call, problem->packLayouts()
                                         ? preparePacked(*problem)
                                         : prepareConverted(*problem, conv));
  return given.isOfBytes() && call
             ? takeIfFaster(std::move(call), given, conv.contraction)
             : std::move(call);
}

Expected<std::unique_ptr<PreparedOp>>
CUDNNProvider::takeIfFaster(std::unique_ptr<PreparedOp> call,
                            const ConvProblem &problem,
                            const OpSignature &conv) const {
  const auto kernel = prepareOp(kernels, conv);
  if (!kernel || !*kernel)
    return call;
  // What cannot be measured, for lack of memory for one, is left to the kernel.
  // Constant weights are transposed ahead of time, others in each call.
  const std::string key =
      problem.key() + (conv.isConstant(1) ? ";constant" : "");
  const Expected<bool> isFaster = session.isFaster(key, *call, **kernel, conv);
  return isFaster && *isFaster ? std::move(call) : nullptr;
}

Expected<std::unique_ptr<PreparedOp>>
CUDNNProvider::prepareBiasAfter(const OpSignature &conv) const {
  const auto own = [](auto span) {
    return span.first(std::min<size_t>(span.size(), 2));
  };
  TANDEM_ASSIGN_OR_RETURN(std::unique_ptr<PreparedOp> plain,
                          prepare({conv.op, own(conv.operands), conv.results,
                                   own(conv.constants)}));
  return plain ? addBiasAfter(std::move(plain), conv, kernels) : nullptr;
}

Expected<std::unique_ptr<PreparedOp>>
CUDNNProvider::preparePacked(const ConvProblem &problem) const {
  PlanOptions wanted;
  wanted.precision = options.precision;
  wanted.mayDropNaN = options.mayDropNaN;
  wanted.nearestFirst = true;
  TANDEM_ASSIGN_OR_RETURN(auto plans,
                          session.planner().choose(problem, wanted));
  if (!plans)
    return nullptr;
  return std::make_unique<ConvOp>(session, std::move(plans), problem);
}

Expected<std::unique_ptr<PreparedOp>>
CUDNNProvider::prepareConverted(const ConvProblem &problem,
                                const FusedContraction &conv) const {
  const OpSignature &given = conv.contraction;
  // Residuals have the output's layout; the compiler plans packed ones.
  if (conv.hasResidual && !problem.output.isPacked())
    return nullptr;
  Converted op;
  OpDesc desc = given.op;
  fb::ConvAttrsT &attrs = *desc.attrs.AsConvAttrs();
  std::vector<TensorType> operands(given.operands.begin(),
                                   given.operands.end());
  TensorType result = given.result();
  const bool isChannelsLast = problem.isOfBytes() ||
                              !problem.windowed().isPacked(false) ||
                              !problem.positions().isPacked(false);
  const bool isWeights = problem.direction == ConvDirection::backwardWeights;
  std::string &ofSecond = isWeights ? attrs.output_layout : attrs.kernel_layout,
              &ofResult = isWeights ? attrs.kernel_layout : attrs.output_layout;
  const bool isComplete =
      (problem.hasLibraryLayout(problem.input) ||
       op.convertOperand(0, operands[0], attrs.input_layout, isChannelsLast,
                         kernels)) &&
      (problem.hasLibraryLayout(problem.kernel) ||
       op.convertOperand(1, operands[1], ofSecond, isChannelsLast, kernels)) &&
      (problem.hasLibraryLayout(problem.output) ||
       op.convertResult(result, ofResult, isChannelsLast, kernels));
  if (!isComplete)
    return nullptr;
  FusedContraction packed = {
      {desc, operands, {&result, 1}}, conv.hasResidual, conv.activation};
  std::optional<ConvProblem> there = ConvProblem::of(packed);
  if (!there || !there->packLayouts())
    return nullptr;
  TANDEM_ASSIGN_OR_RETURN(std::unique_ptr<PreparedOp> inner,
                          preparePacked(*there));
  if (!inner)
    return nullptr;
  TANDEM_RETURN_IF_ERROR(
      op.convertConstants(given.constants, session.memory(), session.stream()));
  return std::move(op).around(std::move(inner));
}
