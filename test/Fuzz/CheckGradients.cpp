//===- CheckGradients.cpp - Gradients of random graphs --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckGradients.h"

#include "GraphInputs.h"

#include "tandem/Runtime/Executor.h"

#include <cmath>

using namespace tandem;
using namespace tandem::fuzz;

//===----------------------------------------------------------------------===//
// Graphs with gradients
//===----------------------------------------------------------------------===//

/// The number of the first output of floats.
static std::optional<int64_t> findLoss(const RandomGraph &random) {
  for (size_t i = 0; i < random.outputs.size(); ++i)
    if (isFloat(random.nodes[random.outputs[i]].type.dtype))
      return static_cast<int64_t>(i);
  return std::nullopt;
}

/// The numbers of the inputs of floats.
static std::vector<int64_t> findFloats(const RandomGraph &random) {
  std::vector<int64_t> numbers;
  const std::vector<int> inputs = random.inputs();
  for (size_t i = 0; i < inputs.size(); ++i)
    if (isFloat(random.nodes[inputs[i]].type.dtype))
      numbers.push_back(static_cast<int64_t>(i));
  return numbers;
}

Expected<std::optional<GradientGraph>>
fuzz::differentiate(const RandomGraph &random, const Graph &graph,
                    std::vector<Tensor> inputs) {
  const std::optional<int64_t> loss = findLoss(random);
  const std::vector<int64_t> wrt = findFloats(random);
  if (!loss || wrt.empty())
    return std::nullopt;
  TANDEM_ASSIGN_OR_RETURN(
      std::unique_ptr<Graph> made,
      graph.withGradient(typesOf(inputs),
                         {.wrt = wrt, .loss = *loss, .hasSeed = true}));
  TANDEM_ASSIGN_OR_RETURN(
      Tensor seed,
      Tensor::allocate(random.nodes[random.outputs[size_t(*loss)]].type));
  fillRandom(seed, 1 + inputs.size());
  inputs.push_back(std::move(seed));
  return GradientGraph{std::move(made), std::move(inputs)};
}

//===----------------------------------------------------------------------===//
// Differences
//===----------------------------------------------------------------------===//

/// The graph with all floats as f64. Nothing if it reads the bits of floats, or
/// has values whose gradients are zeros by definition.
static std::optional<RandomGraph> inDouble(RandomGraph graph) {
  const auto widen = [](DType &dtype) {
    if (isFloat(dtype))
      dtype = DType::f64;
  };
  graph.dynamicSeed = graph.specialSeed = 0;
  for (Node &node : graph.nodes) {
    widen(node.type.dtype);
    if (node.kind != NodeKind::op)
      continue;
    if (node.op.kind == OpKind::bitcast ||
        node.op.kind == OpKind::custom_call ||
        node.op.kind == OpKind::stop_gradient)
      return std::nullopt;
    if (auto *cast = node.op.attrs.AsCastAttrs())
      widen(cast->dtype);
    if (auto *iota = node.op.attrs.AsIotaAttrs())
      widen(iota->type->dtype);
  }
  return graph;
}

namespace {

/// The loss along a line through the inputs, and its derivative there.
class Line {
public:
  /// Fills the inputs of floats, the seed and the direction with random
  /// numbers in [-1, 1), so that ties between elements are rare.
  static Expected<std::optional<Line>> create(const RandomGraph &random);

  /// The sum of the loss's elements times the seed's, at a distance from the
  /// inputs. `*total`, unless it is null, becomes the sum of the magnitudes.
  Expected<double> loss(double distance, double *total = nullptr) const;
  /// The derivative by the gradients, and the sum of the magnitudes of what it
  /// is the sum of.
  Expected<double> derivative(double *magnitude) const;

private:
  static Expected<std::vector<Tensor>> run(const Graph &graph,
                                           std::vector<Tensor> inputs);

  std::unique_ptr<Graph> function, gradients;
  std::vector<int64_t> wrt;
  int64_t lossNumber = 0;
  /// The inputs of the function, and the seed.
  std::vector<Tensor> inputs;
  std::vector<Tensor> direction;
};

} // namespace

static void fillUniform(Tensor &tensor, std::mt19937_64 &engine) {
  for (int64_t i = 0; i < tensor.shape().numElements(); ++i)
    tensor.as<double>()[i] = static_cast<double>(engine() >> 11) * 0x1p-52 - 1;
}

static double dot(const Tensor &a, const Tensor &b, double *magnitude) {
  double sum = 0;
  for (int64_t i = 0; i < a.shape().numElements(); ++i) {
    const double product = a.as<double>()[i] * b.as<double>()[i];
    sum += product;
    if (magnitude)
      *magnitude += std::fabs(product);
  }
  return sum;
}

Expected<std::optional<Line>> Line::create(const RandomGraph &random) {
  Line line;
  line.wrt = findFloats(random);
  line.lossNumber = findLoss(random).value_or(0);
  TANDEM_ASSIGN_OR_RETURN(line.function, Graph::parseString(random.toMLIR()));
  TANDEM_ASSIGN_OR_RETURN(std::vector<Tensor> inputs, makeInputs(random));
  TANDEM_ASSIGN_OR_RETURN(
      std::optional<GradientGraph> made,
      differentiate(random, *line.function, std::move(inputs)));
  if (!made)
    return std::nullopt;
  line.gradients = std::move(made->graph);
  line.inputs = std::move(made->inputs);
  std::mt19937_64 engine(random.nodes.size());
  fillUniform(line.inputs.back(), engine);
  for (int64_t number : line.wrt) {
    Tensor &input = line.inputs[size_t(number)];
    fillUniform(input, engine);
    TANDEM_ASSIGN_OR_RETURN(line.direction.emplace_back(),
                            Tensor::allocate(input.type()));
    fillUniform(line.direction.back(), engine);
  }
  return line;
}

Expected<std::vector<Tensor>> Line::run(const Graph &graph,
                                        std::vector<Tensor> inputs) {
  ExecutorOptions options;
  options.providers = referenceProviders();
  TANDEM_ASSIGN_OR_RETURN(auto executor,
                          Executor::create(graph.eagerProgram(), options));
  std::vector<Tensor> outputs;
  TANDEM_RETURN_IF_ERROR(executor->run(inputs, outputs));
  return outputs;
}

Expected<double> Line::loss(double distance, double *total) const {
  std::vector<Tensor> moved(inputs.begin(), inputs.end() - 1);
  for (size_t i = 0; i < wrt.size(); ++i) {
    const Tensor &x = inputs[size_t(wrt[i])];
    TANDEM_ASSIGN_OR_RETURN(Tensor there, Tensor::allocate(x.type()));
    for (int64_t k = 0; k < x.shape().numElements(); ++k)
      there.as<double>()[k] =
          x.as<double>()[k] + distance * direction[i].as<double>()[k];
    moved[size_t(wrt[i])] = std::move(there);
  }
  TANDEM_ASSIGN_OR_RETURN(std::vector<Tensor> outputs,
                          run(*function, std::move(moved)));
  return dot(outputs[size_t(lossNumber)], inputs.back(), total);
}

Expected<double> Line::derivative(double *magnitude) const {
  TANDEM_ASSIGN_OR_RETURN(std::vector<Tensor> outputs, run(*gradients, inputs));
  double sum = 0;
  for (size_t i = 0; i < wrt.size(); ++i)
    sum +=
        dot(outputs[outputs.size() - wrt.size() + i], direction[i], magnitude);
  return sum;
}

/// The slopes to both sides at two distances. Their differences are
/// proportional to the distance where the function is smooth, and equal where
/// it has a kink.
Expected<DifferenceCheck> fuzz::checkDifferences(const RandomGraph &random) {
  constexpr double kStep = 0x1p-17, kTolerance = 1e-5;
  const std::optional<RandomGraph> wide = inDouble(random);
  if (!wide)
    return DifferenceCheck();
  TANDEM_ASSIGN_OR_RETURN(const std::optional<Line> line, Line::create(*wide));
  if (!line)
    return DifferenceCheck();
  DifferenceCheck check;
  double magnitude = 0, total = 0, sums[5];
  TANDEM_ASSIGN_OR_RETURN(check.derivative, line->derivative(&magnitude));
  for (int i = 0; i < 5; ++i) {
    TANDEM_ASSIGN_OR_RETURN(
        sums[i], line->loss((i - 2) * kStep / 2, i == 2 ? &total : nullptr));
  }
  const double bend = (sums[4] - 2 * sums[2] + sums[0]) / kStep,
               halfBend = (sums[3] - 2 * sums[2] + sums[1]) / (kStep / 2);
  const double slope = (sums[4] - sums[0]) / (2 * kStep),
               halfSlope = (sums[3] - sums[1]) / kStep;
  const double tolerance = kTolerance * (magnitude + 1e-3 * total + 1e-9);
  check.difference = (4 * halfSlope - slope) / 3;
  // Also false for NaN.
  const bool isSmooth = std::fabs(2 * halfBend - bend) <= tolerance / 4 &&
                        std::fabs(slope - halfSlope) <= tolerance / 4;
  if (isSmooth)
    check.verdict = std::fabs(check.difference - check.derivative) <= tolerance
                        ? Differences::agree
                        : Differences::disagree;
  return check;
}
