//===- Optimizers.cpp - The ops that change parameters --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Optimizers.h"

#include <cmath>

namespace tandem::training {
namespace {

/// The numbers of a step, f64 scalars that all groups share. Each group rounds
/// them once, to the element type of its parameters.
struct Numbers {
  /// The factor of the change of the parameters.
  Value rate;
  /// The factor of decoupled weight decay.
  Value keep;
  /// The number that Adam adds to sqrt(v).
  Value least;
};

Value wide(GraphBuilder &b, double value) {
  return b.splat({DType::f64, {}}, value);
}

/// With c1 = 1 - beta1^t and c2 = 1 - beta2^t, the change of Adam,
/// rate / c1 * m / (sqrt(v / c2) + epsilon), is computed as
/// rate * sqrt(c2) / c1 * m / (sqrt(v) + epsilon * sqrt(c2)), which needs one
/// op less per parameter.
Numbers numbersOf(GraphBuilder &b, const Optimizer &optimizer, Value rate,
                  Value step) {
  Numbers numbers{.rate = rate};
  if (optimizer.isDecoupled && optimizer.weightDecay != 0)
    numbers.keep =
        b.sub(wide(b, 1), b.mul(rate, wide(b, optimizer.weightDecay)));
  if (optimizer.kind != Optimizer::Kind::adam)
    return numbers;
  const auto correction = [&](double beta) {
    return b.sub(wide(b, 1), b.pow(wide(b, beta), step));
  };
  const Value root = b.sqrt(correction(optimizer.beta2));
  numbers.rate = b.div(b.mul(rate, root), correction(optimizer.beta1));
  numbers.least = b.mul(wide(b, optimizer.epsilon), root);
  return numbers;
}

/// Adds the ops of one group.
class Updater {
public:
  Updater(GraphBuilder &builder, const Optimizer &optimizer,
          const Numbers &numbers, Group &group)
      : b(builder), optimizer(optimizer), numbers(numbers), group(group),
        dtype(builder.type(group.parameters).dtype) {}

  void update();

private:
  Value constant(double value) { return b.splat({dtype, {}}, value); }
  Value rounded(Value number) { return b.cast(number, {.dtype = dtype}); }
  /// x * factor + y * (1 - factor).
  Value mix(Value x, Value y, double factor) {
    return b.add(b.mul(x, constant(factor)), b.mul(y, constant(1 - factor)));
  }
  /// Applies the decay to the parameters or to the gradients.
  void decay();
  /// Replace the moments, and return the change of the parameters divided by
  /// the rate.
  Value sgd();
  Value adam();

  GraphBuilder &b;
  const Optimizer &optimizer;
  const Numbers &numbers;
  Group &group;
  const DType dtype;
};

void Updater::decay() {
  if (optimizer.isDecoupled)
    group.parameters = b.mul(group.parameters, rounded(numbers.keep));
  else
    group.gradients =
        b.add(group.gradients,
              b.mul(group.parameters, constant(optimizer.weightDecay)));
}

Value Updater::sgd() {
  if (optimizer.momentum == 0)
    return group.gradients;
  Value &momentum = group.moments[0];
  const Value factor = constant(optimizer.momentum);
  momentum = b.add(b.mul(momentum, factor), group.gradients);
  return optimizer.isNesterov ? b.add(group.gradients, b.mul(momentum, factor))
                              : momentum;
}

Value Updater::adam() {
  Value &m = group.moments[0], &v = group.moments[1];
  const Value g = group.gradients;
  m = mix(m, g, optimizer.beta1);
  v = mix(v, b.mul(g, g), optimizer.beta2);
  return b.div(m, b.add(b.sqrt(v), rounded(numbers.least)));
}

void Updater::update() {
  if (optimizer.weightDecay != 0 && group.decays)
    decay();
  const Value change = optimizer.kind == Optimizer::Kind::adam ? adam() : sgd();
  group.parameters =
      b.sub(group.parameters, b.mul(change, rounded(numbers.rate)));
}

} // namespace

int numMoments(const Optimizer &optimizer) {
  if (optimizer.kind == Optimizer::Kind::adam)
    return 2;
  return optimizer.momentum != 0 ? 1 : 0;
}

Status checkOptimizer(const Optimizer &optimizer) {
  struct Range {
    const char *name;
    double value, limit;
  };
  constexpr double kNone = HUGE_VAL;
  for (const Range &range :
       {Range{"momentum", optimizer.momentum, kNone},
        Range{"beta1", optimizer.beta1, 1}, Range{"beta2", optimizer.beta2, 1},
        Range{"epsilon", optimizer.epsilon, kNone},
        Range{"weight decay", optimizer.weightDecay, kNone},
        Range{"norm", optimizer.maxNorm, kNone}})
    if (!(range.value >= 0 && range.value < range.limit))
      return fail("train",
                  std::string("the ") + range.name + " of the optimizer is " +
                      std::to_string(range.value),
                  range.limit == 1 ? "it is at least 0 and less than 1"
                                   : "it is finite and not negative");
  if (optimizer.isNesterov && optimizer.momentum == 0)
    return fail("train", "Nesterov momentum needs a momentum that is not 0");
  return {};
}

void clipGradients(GraphBuilder &b, const Optimizer &optimizer,
                   std::vector<Group> &groups) {
  if (optimizer.maxNorm == 0)
    return;
  Value sum = wide(b, 0);
  for (const Group &group : groups)
    sum =
        b.add(sum, b.cast(b.reduce(b.mul(group.gradients, group.gradients),
                                   {.kind = fb::ReduceKind::sum, .dims = {0}}),
                          {.dtype = DType::f64}));
  const Value norm = b.add(b.sqrt(sum), wide(b, 1e-6));
  const Value factor =
      b.min(wide(b, 1), b.div(wide(b, optimizer.maxNorm), norm));
  for (Group &group : groups) {
    const DType dtype = b.type(group.gradients).dtype;
    group.gradients = b.mul(group.gradients, b.cast(factor, {.dtype = dtype}));
  }
}

void update(GraphBuilder &builder, const Optimizer &optimizer,
            std::vector<Group> &groups, Value rate, Value step) {
  const Numbers numbers = numbersOf(builder, optimizer, rate, step);
  for (Group &group : groups)
    Updater(builder, optimizer, numbers, group).update();
}

} // namespace tandem::training
