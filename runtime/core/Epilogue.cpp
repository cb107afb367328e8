//===- Epilogue.cpp - What epilogues compute ------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/Kernels/FusedContraction.h"

#include <sstream>

using namespace tandem;

size_t tandem::numContractionOperands(OpKind contraction, size_t numOperands,
                                      bool hasResidual) {
  return contraction == OpKind::conv ? numOperands - hasResidual : 2;
}

std::vector<EpilogueOp> tandem::epilogueOps(OpKind contraction,
                                            size_t numOperands,
                                            bool hasResidual,
                                            Activation activation) {
  std::vector<EpilogueOp> ops;
  OpDesc add;
  add.kind = OpKind::add;
  if (hasResidual)
    ops.push_back({add, numOperands - 1});
  if (contraction == OpKind::matmul && numOperands - hasResidual > 2)
    ops.push_back({add, 2});
  OpDesc last;
  switch (activation) {
  case Activation::none:
    return ops;
  case Activation::relu:
    last.kind = OpKind::relu;
    break;
  case Activation::gelu_tanh:
    last.kind = OpKind::gelu;
    fb::GeluAttrsT attrs;
    attrs.approximate_tanh = true;
    last.attrs.Set(std::move(attrs));
    break;
  }
  ops.push_back({std::move(last)});
  return ops;
}

template <typename... Parts>
[[gnu::cold]] static tl::unexpected<Error> broken(int label,
                                                  const Parts &...parts) {
  std::ostringstream text;
  text << "epilogue C" << label << ": ";
  (text << ... << parts);
  return fail("shape", text.str());
}

/// Labels: C1, it is that of a convolution or matrix product; C2, the number of
/// operands; C3, the element types; C4, the bias; C5, the residual.
static Status checkEpilogue(const fb::StepT &step, const TensorType &result,
                            std::span<const TensorType> operands) {
  for (const TensorType &type : operands)
    if (!isFloat(type.dtype) || type.dtype != result.dtype)
      return broken(3, "operands must be floats of the result's type, not ",
                    name(type.dtype));
  const bool hasResidual = step.epilogue->has_residual;
  const int64_t columns = result.shape[result.shape.rank() - 1];
  if (step.op->kind == OpKind::matmul && operands.size() - hasResidual > 2 &&
      operands[2].shape != Shape{columns})
    return broken(4, "a bias of ", operands[2].str(), " for ", columns,
                  " columns");
  if (hasResidual && operands.back() != result)
    return broken(5, "a residual of ", operands.back().str(), " for ",
                  result.str());
  return {};
}

Expected<TensorType>
tandem::inferStepType(const fb::StepT &step,
                      std::span<const TensorType> operands) {
  if (!step.epilogue)
    return inferType(*step.op, operands);
  const OpKind kind = step.op->kind;
  if (kind != OpKind::conv && kind != OpKind::matmul)
    return broken(1, name(kind), " has none");
  const size_t extra = step.epilogue->has_residual;
  if (operands.size() < 2 + extra || operands.size() > 3 + extra)
    return broken(2, operands.size(), " operands");
  const size_t own = numContractionOperands(kind, operands.size(), extra);
  TANDEM_ASSIGN_OR_RETURN(TensorType result,
                          inferType(*step.op, operands.first(own)));
  TANDEM_RETURN_IF_ERROR(checkEpilogue(step, result, operands));
  return result;
}

Expected<std::vector<TensorType>>
tandem::inferStepTypes(const fb::StepT &step,
                       std::span<const TensorType> operands) {
  if (!step.epilogue)
    return inferTypes(*step.op, operands);
  TANDEM_ASSIGN_OR_RETURN(const TensorType type, inferStepType(step, operands));
  return std::vector{type};
}
