//===- Tolerance.cpp - The tolerance model --------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/Compare.h"

#include <cmath>

using namespace tandem;

namespace {

/// What the error bound of a value depends on.
struct ErrorState {
  TensorType type;
  /// Coarsest epsilon of any float on the way here.
  double epsilon = 0;
  /// Rounding ops on the longest way here.
  double depth = 0;
  /// Sum of the reduction sizes on the worst way here: the errors of one
  /// reduction's result pass through the next and add to its own.
  double chain = 0;
};

double epsilonOf(DType dtype) {
  switch (dtype) {
  case DType::f32:
    return std::ldexp(1.0, -23);
  case DType::f64:
    return std::ldexp(1.0, -52);
  case DType::f16:
    return std::ldexp(1.0, -10);
  case DType::bf16:
    return std::ldexp(1.0, -7);
  default:
    return 0;
  }
}

/// Additions that make up one element of the result.
double reductionSize(const OpDesc &op, std::span<const TensorType> operands,
                     const TensorType &result) {
  switch (op.kind) {
  case OpKind::conv:
  case OpKind::matmul:
  case OpKind::reduce:
  case OpKind::max_pool:
  case OpKind::avg_pool: {
    double elements = static_cast<double>(result.shape.numElements());
    double flops = static_cast<double>(cost(op, operands, result).flops);
    bool multiplies = op.kind == OpKind::conv || op.kind == OpKind::matmul;
    return elements > 0 ? flops / elements / (multiplies ? 2 : 1) : 1;
  }
  case OpKind::softmax:
    return static_cast<double>(
        operands[0].shape[static_cast<int>(op.attrs.AsAxisAttrs()->axis)]);
  default:
    return 1;
  }
}

bool movesDataOnly(OpKind kind) {
  return kind >= OpKind::reshape && kind <= OpKind::gather;
}

/// The state of an op step's result, from its operands'.
ErrorState propagate(const fb::StepT &step,
                     std::span<const ErrorState> states) {
  ErrorState result;
  std::vector<TensorType> types;
  for (uint32_t slot : step.operands) {
    const ErrorState &operand = states[slot];
    types.push_back(operand.type);
    result.epsilon = std::max(result.epsilon, operand.epsilon);
    result.depth = std::max(result.depth, operand.depth);
    result.chain = std::max(result.chain, operand.chain);
  }
  Expected<TensorType> type = inferType(*step.op, types);
  result.type = type ? *type : states[step.results[0]].type;
  result.epsilon = std::max(result.epsilon, epsilonOf(result.type.dtype));
  if (!movesDataOnly(step.op->kind))
    result.depth += 1;
  if (type && type->isStatic())
    if (double size = reductionSize(*step.op, types, *type); size > 1)
      result.chain += size;
  return result;
}

} // namespace

Tolerance tandem::toleranceFor(const Program &program, size_t output,
                               std::span<const TensorType> inputs) {
  constexpr double kPerOp = 8, kPerRootOfChain = 2;
  std::vector<ErrorState> states(program.slots.size());
  for (size_t i = 0; i < states.size(); ++i) {
    states[i].type = fromFlat(*program.slots[i]->type);
    states[i].epsilon = epsilonOf(states[i].type.dtype);
  }
  for (size_t i = 0; i < inputs.size() && i < program.inputs.size(); ++i)
    states[program.inputs[i]].type = inputs[i];
  for (const auto &step : program.steps)
    if (step->op)
      for (uint32_t result : step->results)
        states[result] = propagate(*step, states);

  const ErrorState &state = states[program.outputs[output]];
  if (!isFloat(state.type.dtype))
    return {};
  return {state.epsilon * (kPerOp * std::max(1.0, state.depth) +
                           kPerRootOfChain * std::sqrt(state.chain))};
}
