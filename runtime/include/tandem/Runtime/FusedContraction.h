//===- FusedContraction.h - Contractions with epilogues ---------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a library for contractions can compute in one call. The compiler plans
// such calls, and the providers of devices make them.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_FUSEDCONTRACTION_H
#define TANDEM_RUNTIME_FUSEDCONTRACTION_H

#include "tandem/Runtime/Provider.h"

#include <optional>
#include <vector>

namespace tandem {

/// The last op of an epilogue. GELU is the approximation by tanh.
using Activation = fb::Activation;

/// activation(contraction + residual + bias), where the sums are not rounded to
/// the element type in between.
struct FusedContraction {
  /// A conv or matmul. A conv's bias is operand 2, as in the dialect; a matmul
  /// may have one here, too, with an element per column. If `hasResidual`, the
  /// last operand is a tensor of the result's type.
  OpSignature contraction;
  bool hasResidual = false;
  Activation activation = Activation::none;

  size_t numBiases() const {
    return contraction.operands.size() - 2 - hasResidual;
  }
};

/// Prepares a contraction with its epilogue: as one call of the first of
/// `providers` that has one; where none has, as the contraction and the ops of
/// the epilogue, one after the other, by `providers`.
Expected<std::unique_ptr<PreparedOp>>
prepareFused(ProviderList providers, const FusedContraction &fused);

/// An op of an epilogue: the add of the residual, that of a matmul's bias, or
/// the activation, in this order. A conv adds its bias itself.
struct EpilogueOp {
  OpDesc op;
  /// The second operand, as the number of the FusedContraction's; none for an
  /// activation. The first is what the op before it computes, at first the
  /// contraction.
  std::optional<size_t> operand = std::nullopt;
};

/// The ops that a contraction with `numOperands` operands, of which the last
/// ones are those of its epilogue, is followed by.
std::vector<EpilogueOp> epilogueOps(OpKind contraction, size_t numOperands,
                                    bool hasResidual, Activation activation);
/// How many of these operands are those of the contraction itself.
size_t numContractionOperands(OpKind contraction, size_t numOperands,
                              bool hasResidual);

/// The type of the result of an op step with one result, by the shape rules of
/// its op and its epilogue. Errors have phase "shape".
Expected<TensorType> inferStepType(const fb::StepT &step,
                                   std::span<const TensorType> operands);

} // namespace tandem

#endif // TANDEM_RUNTIME_FUSEDCONTRACTION_H
