//===- FusedContraction.h - Contractions with epilogues ---------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contractions with epilogues that a library can compute in one call. The
// compiler plans such calls, and the providers of devices execute them.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_KERNELS_FUSEDCONTRACTION_H
#define TANDEM_RUNTIME_KERNELS_FUSEDCONTRACTION_H

#include "tandem/Runtime/Provider.h"

#include <optional>
#include <vector>

namespace tandem {

/// The last op of an epilogue. GELU is the tanh approximation.
using Activation = fb::Activation;

/// A contraction with an epilogue: activation(contraction + residual + bias).
/// The intermediate sums need not be rounded to the element type.
struct FusedContraction {
  /// A conv or matmul. Operand 2 is the bias if there is one. A conv's bias is
  /// as in the dialect; a matmul's bias, which the dialect does not have, has
  /// one element per column. If `hasResidual` is set, the last operand is the
  /// residual, a tensor of the result's type.
  OpSignature contraction;
  bool hasResidual = false;
  Activation activation = Activation::none;

  /// The number of biases, which is 0 or 1.
  size_t numBiases() const {
    return contraction.operands.size() - 2 - hasResidual;
  }
};

/// Prepares a contraction with its epilogue as one call, using the first of
/// `providers` that has such a call. If no provider has one, prepares the
/// contraction and the ops of the epilogue one after the other (prepareOp).
Expected<std::unique_ptr<PreparedOp>>
prepareFused(ProviderList providers, const FusedContraction &fused);

/// One op of an epilogue. The ops are, in this order: the addition of the
/// residual, the addition of a matmul's bias, and the activation. A conv adds
/// its bias itself.
struct EpilogueOp {
  OpDesc op;
  /// Index of the second operand among the operands of the FusedContraction;
  /// empty for an activation. The first operand is the result of the previous
  /// op, or of the contraction for the first op.
  std::optional<size_t> operand = std::nullopt;
};

/// Returns the ops of an epilogue. `numOperands` counts the operands of the
/// contraction together with those of the epilogue, which come last.
std::vector<EpilogueOp> epilogueOps(OpKind contraction, size_t numOperands,
                                    bool hasResidual, Activation activation);
/// Returns the number of operands that belong to the contraction itself.
size_t numContractionOperands(OpKind contraction, size_t numOperands,
                              bool hasResidual);

/// Returns the type of the first result of an op step, by the shape rules of
/// the step's op and epilogue. Errors have phase "shape".
Expected<TensorType> inferStepType(const fb::StepT &step,
                                   std::span<const TensorType> operands);
/// Like inferStepType, for all results of the step.
Expected<std::vector<TensorType>>
inferStepTypes(const fb::StepT &step, std::span<const TensorType> operands);

} // namespace tandem

#endif // TANDEM_RUNTIME_KERNELS_FUSEDCONTRACTION_H
