//===- TrainingPhase.h - The phases of a training step ----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_FUSION_DECISION_TRAININGPHASE_H
#define TANDEM_LIB_FUSION_DECISION_TRAININGPHASE_H

#include "mlir/IR/Location.h"

#include <cstdint>

namespace tandem {

/// The phases of a training step, in the order of execution.
enum class TrainingPhase : uint8_t { forward, backward, update };

/// Returns the phase of an op with location `loc`. Ops of gradients have the
/// mark "backward" (GradientBuilder), and the ops that update parameters have a
/// name that ends with "(update)" (makeTrainingStep). All other ops belong to
/// the forward pass. The result is the last phase if `loc` is the location of
/// ops of several phases.
TrainingPhase phaseOf(mlir::Location loc);

} // namespace tandem

#endif // TANDEM_LIB_FUSION_DECISION_TRAININGPHASE_H
