//===- TrainingSweep.h - The training steps of a sweep ----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_SWEEP_TRAININGSWEEP_H
#define TANDEM_TOOLS_TANDEM_BENCH_SWEEP_TRAININGSWEEP_H

#include "compare/InputSets.h"

#include "tandem/Training.h"

#include <string>
#include <vector>

namespace tandem::bench {

/// The options that make a sweep measure training steps of a loss graph instead
/// of the graph itself.
struct TrainOptions {
  /// The name of one of optimizerNames(). Empty if the graph itself is
  /// measured.
  std::string optimizer;
  /// The numbers or names of the inputs that are trained. If the list is empty,
  /// all inputs of f32 or f64 without dynamic dims are trained, except scalars.
  std::vector<std::string> parameters;

  /// Whether training steps are measured.
  bool areSet() const { return !optimizer.empty(); }
};

std::vector<std::string> optimizerNames();

/// Fails with phase "train" if `options` do not fit the loss graph.
Status checkTrainOptions(const Graph &loss, const TrainOptions &options);

/// A training step, and the time in nanoseconds that making its graph took. The
/// graph contains the loss, its gradients and the update.
struct MeasuredStep {
  TrainingStep step;
  double differentiateNs;
};

/// Makes the step of a loss, the first output of `loss`. `inputs` has the types
/// of all inputs of the loss. Fails as checkTrainOptions and makeTrainingStep
/// do.
Expected<MeasuredStep> makeMeasuredStep(const Graph &loss,
                                        std::span<const TensorType> inputs,
                                        const TrainOptions &options);

/// Makes random inputs of a step. The sets differ in the inputs of the loss
/// that are not trained, and share the state. Integers are 0 or 1, so that they
/// can be labels of any classifier. The learning rate is 0, so that the
/// parameters stay the same.
Expected<InputSets> makeStepInputs(const TrainingStep &step,
                                   int64_t cacheBytes);

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_SWEEP_TRAININGSWEEP_H
