//===- Training.h - Losses, dropout and training steps ----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A training step is one graph: it computes a loss, the gradients of the loss,
// and the new values of the parameters (docs/Training.md).
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TRAINING_H
#define TANDEM_TRAINING_H

#include "tandem/GraphBuilder.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tandem {

//===----------------------------------------------------------------------===//
// Losses and dropout
//===----------------------------------------------------------------------===//

/// Adds the mean over n rows of the cross entropy of softmax(logits) and
/// labels, as torch.nn.functional.cross_entropy computes it: the mean of
/// log(sum_j exp(logits[i, j])) - logits[i, labels[i]]. `logits` is
/// [n, classes], of floats, and `labels` is [n], of integers; n may be dynamic.
/// The result is a scalar with the element type of the logits. The result is
/// NaN if a label is negative or not less than the number of classes.
GraphBuilder::Value crossEntropy(GraphBuilder &builder,
                                 GraphBuilder::Value logits,
                                 GraphBuilder::Value labels);

/// Adds the mean of (prediction - target)^2 over all elements, a scalar. Both
/// values have the same type, of floats.
GraphBuilder::Value meanSquaredError(GraphBuilder &builder,
                                     GraphBuilder::Value prediction,
                                     GraphBuilder::Value target);

/// The options of a dropout.
struct DropoutOptions {
  /// The probability that an element becomes 0, at least 0 and less than 1.
  double probability = 0.5;
  /// The key of the generator, a ui64 scalar: the seed of a training run.
  GraphBuilder::Value key;
  /// The number of steps that were done before this one, a ui64 scalar
  /// (TrainingOptions::stepsInput). A step that is computed again draws the
  /// same numbers.
  GraphBuilder::Value step;
  /// Distinguishes dropouts with the same key. At most 2^16 - 1.
  uint64_t site = 0;
  /// The shape of the operand as expressions of names of dims, such as "n, 512"
  /// (GraphBuilder::SizeExpressions). Only needed if the operand has dynamic
  /// dims.
  std::string shape;
};

/// Adds a dropout: each element of `operand`, of floats, becomes 0 with the
/// given probability, and is multiplied by 1 / (1 - probability) otherwise. The
/// elements are drawn by `random` (Philox4x32-10) with the key
/// key + site * 0x9E3779B97F4A7C15 and the first counter step * 2^32, both
/// modulo 2^64. Each counter gives four numbers. Two steps therefore use
/// different counters if the operand has at most 2^34 elements and there are at
/// most 2^32 steps.
GraphBuilder::Value dropout(GraphBuilder &builder, GraphBuilder::Value operand,
                            const DropoutOptions &options);

//===----------------------------------------------------------------------===//
// Training steps
//===----------------------------------------------------------------------===//

/// The rule by which a step changes parameters. The formulas are those of
/// torch.optim.SGD, Adam and AdamW. `g` is the gradient of the parameter `p`,
/// and t is 1 in the first step.
struct Optimizer {
  enum class Kind {
    /// b = momentum * b + g, and p = p - rate * b. With `isNesterov`,
    /// p = p - rate * (g + momentum * b).
    sgd,
    /// m = beta1 * m + (1 - beta1) * g, v = beta2 * v + (1 - beta2) * g^2, and
    /// p = p - rate / (1 - beta1^t) * m / (sqrt(v / (1 - beta2^t)) + epsilon).
    adam,
  };
  Kind kind = Kind::adam;
  double momentum = 0;
  bool isNesterov = false;
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  /// The weight decay of the parameters that decay. By default, weightDecay * p
  /// is added to the gradient. With `isDecoupled`, the gradient is not changed;
  /// instead, p is multiplied by 1 - rate * weightDecay before the step
  /// (AdamW).
  double weightDecay = 0;
  bool isDecoupled = false;
  /// If positive, all gradients are multiplied by
  /// min(1, maxNorm / (norm + 1e-6)), where norm is the Euclidean norm of all
  /// gradients together (torch.nn.utils.clip_grad_norm_).
  double maxNorm = 0;
};

struct TrainingOptions {
  /// The numbers of the inputs of the loss graph that are trained. There must
  /// be at least one. Their element type must be f32 or f64.
  std::vector<int64_t> parameters;
  /// The numbers of the parameters that Optimizer::weightDecay does not apply
  /// to, such as biases.
  std::vector<int64_t> withoutDecay = {};
  /// Inputs that the step replaces by outputs of the loss graph, such as the
  /// running statistics of batch norms.
  std::vector<InputUpdate> buffers = {};
  /// The number of the input that receives the count of completed steps. This
  /// input is a ui64 scalar. -1 means that the loss graph has no such input.
  int64_t stepsInput = -1;
  /// The number of the output that is the loss, a scalar.
  int64_t loss = 0;
  Optimizer optimizer;
};

/// The state of a training step, and the places of the parameters in it.
///
/// The state consists of the arenas, which are one-dimensional tensors, the
/// buffers, and the number of steps. Parameters with the same element type and
/// the same decay form a group. All parameters of a group are in one arena, and
/// so are their moments. One elementwise kernel can therefore update a whole
/// group.
struct TrainingLayout {
  /// The place of a parameter and of its moments in the arenas of their group.
  struct Parameter {
    /// The number and the name of the input of the loss graph; the name is
    /// empty if the inputs have no names.
    int64_t input;
    std::string name;
    TensorType type;
    size_t group;
    /// The index of the first element in the arena. This element begins at a
    /// multiple of 64 bytes.
    int64_t offset;
  };
  std::vector<Parameter> parameters;

  /// A tensor of the state.
  struct State {
    enum class Kind {
      /// The parameters of a group.
      parameters,
      /// The first moments of a group: b of SGD, or m of Adam. Moments are 0
      /// before the first step. The padding between parameters is 0, too.
      firstMoments,
      /// The second moments of a group: v of Adam.
      secondMoments,
      buffer,
      /// The number of steps that were done, a ui64 scalar.
      steps
    };
    Kind kind;
    TensorType type;
    /// The number of the group. For a buffer, this is the number of the
    /// buffer's input of the loss graph instead.
    int64_t number;
    /// The name in the inputs of the step's graph, such as "parameters 0".
    std::string name;
  };
  std::vector<State> state;
  /// The number of the first input, and of the first output, of the step's
  /// graph that belongs to the state. The rest of the state follows directly.
  size_t firstStateInput = 0, firstStateOutput = 0;
};

/// Returns the layout of the state. All training steps of this loss with these
/// options have the same layout, whatever the size of the batch. Fails with
/// phase "train" if `options` do not fit the graph, or if the type of a
/// parameter or of a buffer is not static.
Expected<TrainingLayout> layOutTraining(const Graph &loss,
                                        const TrainingOptions &options);

/// A training step as a graph. The inputs of the graph are the inputs of the
/// loss graph that are not part of the state, followed by the state, followed
/// by the rate, which is an f64 scalar. The outputs are the outputs of the loss
/// graph that are not new values of buffers, followed by the new state. The new
/// state updates the inputs of the state (Graph::withUpdates).
struct TrainingStep {
  std::unique_ptr<Graph> graph;
  TrainingLayout layout;
};

/// Makes a training step from the graph of a loss. `inputs` has the type of
/// every input of the loss graph, including the parameters. All types are
/// static. Fails as layOutTraining does, and with phase "differentiate" if the
/// types do not fit or if the loss has no gradient.
Expected<TrainingStep> makeTrainingStep(const Graph &loss,
                                        std::span<const TensorType> inputs,
                                        const TrainingOptions &options);

} // namespace tandem

#endif // TANDEM_TRAINING_H
