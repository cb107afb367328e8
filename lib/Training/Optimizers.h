//===- Optimizers.h - The ops that change parameters ------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TRAINING_OPTIMIZERS_H
#define TANDEM_LIB_TRAINING_OPTIMIZERS_H

#include "tandem/Training.h"

namespace tandem::training {

using Value = GraphBuilder::Value;

/// The values of one group of parameters. All have the same type.
struct Group {
  Value parameters, gradients;
  /// The list has numMoments values.
  std::vector<Value> moments;
  bool decays = true;
};

/// The number of moments that an optimizer keeps for each parameter: 0, 1 or 2.
int numMoments(const Optimizer &optimizer);

/// Fails (phase "train") if a number of the optimizer is not finite or is out
/// of its range.
Status checkOptimizer(const Optimizer &optimizer);

/// Scales the gradients of all groups to `optimizer.maxNorm` (Optimizer).
void clipGradients(GraphBuilder &builder, const Optimizer &optimizer,
                   std::vector<Group> &groups);

/// Replaces the parameters and the moments of all groups by their new values.
/// `rate` is an f64 scalar, and so is `step`, which is 1 in the first step.
void update(GraphBuilder &builder, const Optimizer &optimizer,
            std::vector<Group> &groups, Value rate, Value step);

} // namespace tandem::training

#endif // TANDEM_LIB_TRAINING_OPTIMIZERS_H
