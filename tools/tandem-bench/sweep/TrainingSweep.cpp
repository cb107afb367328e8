//===- TrainingSweep.cpp - The training steps of a sweep ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sweep/TrainingSweep.h"

#include "tandem/Measure/Sampler.h"
#include "tandem/Measure/Vary.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstring>

namespace tandem::bench {
namespace {

using State = TrainingLayout::State;

struct NamedOptimizer {
  const char *name;
  Optimizer optimizer;
};

/// Optimizers with the usual constants.
const NamedOptimizer kOptimizers[] = {
    {"sgd", {.kind = Optimizer::Kind::sgd, .momentum = 0.9}},
    {"adam", {}},
    {"adamw", {.weightDecay = 0.01, .isDecoupled = true}}};

/// The number of the input that `text` names, by its number or its name.
Expected<int64_t> findInput(const Graph &loss, const std::string &text) {
  const std::vector<std::string> &names = loss.inputNames();
  const auto named = std::ranges::find(names, text);
  if (named != names.end())
    return named - names.begin();
  int64_t number = 0;
  const char *end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc() && rest == end)
    return number;
  std::string hint = names.empty()
                         ? "its inputs have no names: give their numbers"
                         : "its inputs are ";
  for (const std::string &name : names)
    hint += (name == names.front() ? "" : ", ") + name;
  return fail("train", "the loss has no input '" + text + "'", hint);
}

/// The numbers of all inputs that can be trained.
std::vector<int64_t> trainableInputs(const Graph &loss) {
  const std::shared_ptr<const Program> program = loss.eagerProgram();
  std::vector<int64_t> result;
  for (size_t i = 0; i < program->inputs.size(); ++i) {
    const TensorType type = fromFlat(*program->slots[program->inputs[i]]->type);
    if ((type.dtype == DType::f32 || type.dtype == DType::f64) &&
        type.isStatic() && type.shape.rank() > 0)
      result.push_back(int64_t(i));
  }
  return result;
}

Expected<TrainingOptions> trainingOptions(const Graph &loss,
                                          const TrainOptions &options) {
  TrainingOptions result;
  for (const NamedOptimizer &each : kOptimizers)
    if (each.name == options.optimizer)
      result.optimizer = each.optimizer;
  for (const std::string &text : options.parameters) {
    TANDEM_ASSIGN_OR_RETURN(result.parameters.emplace_back(),
                            findInput(loss, text));
  }
  if (result.parameters.empty())
    result.parameters = trainableInputs(loss);
  return result;
}

void fillWithZeros(const Tensor &tensor) {
  std::memset(tensor.data(), 0, size_t(tensor.bytes()));
}

/// Replaces each element by its absolute value.
template <typename T> void makePositive(const Tensor &tensor) {
  std::span<T> elements(tensor.as<T>(), size_t(tensor.shape().numElements()));
  for (T &element : elements)
    element = std::fabs(element);
}

/// Makes random elements valid ones for this part of the state.
void initialize(const Tensor &tensor, const State &state) {
  if (state.kind == State::Kind::steps)
    fillWithZeros(tensor);
  if (state.kind == State::Kind::secondMoments)
    tensor.dtype() == DType::f32 ? makePositive<float>(tensor)
                                 : makePositive<double>(tensor);
}

/// Sets the elements to 0 or 1.
void limitIntegers(const Tensor &tensor) {
  const size_t width = byteWidth(tensor.dtype());
  auto *bytes = static_cast<unsigned char *>(tensor.data());
  for (size_t i = 0; i < size_t(tensor.bytes()); ++i)
    bytes[i] = i % width == 0 ? bytes[i] & 1 : 0;
}

} // namespace

std::vector<std::string> optimizerNames() {
  std::vector<std::string> names;
  for (const NamedOptimizer &each : kOptimizers)
    names.emplace_back(each.name);
  return names;
}

Status checkTrainOptions(const Graph &loss, const TrainOptions &options) {
  TANDEM_ASSIGN_OR_RETURN(const TrainingOptions training,
                          trainingOptions(loss, options));
  TANDEM_ASSIGN_OR_RETURN([[maybe_unused]] const TrainingLayout layout,
                          layOutTraining(loss, training));
  return {};
}

Expected<MeasuredStep> makeMeasuredStep(const Graph &loss,
                                        std::span<const TensorType> inputs,
                                        const TrainOptions &options) {
  TANDEM_ASSIGN_OR_RETURN(const TrainingOptions training,
                          trainingOptions(loss, options));
  const auto start = std::chrono::steady_clock::now();
  TANDEM_ASSIGN_OR_RETURN(TrainingStep step,
                          makeTrainingStep(loss, inputs, training));
  return MeasuredStep{std::move(step), measure::nsSince(start)};
}

Expected<InputSets> makeStepInputs(const TrainingStep &step,
                                   int64_t cacheBytes) {
  const Program &program = *step.graph->eagerProgram();
  TANDEM_ASSIGN_OR_RETURN(const std::vector<TensorType> types,
                          measure::bindDims(program, {}));
  const size_t given = step.layout.firstStateInput;
  std::vector<bool> rotates(types.size(), false);
  std::fill_n(rotates.begin(), given, true);
  TANDEM_ASSIGN_OR_RETURN(InputSets result,
                          InputSets::create(types, rotates, cacheBytes));
  for (size_t set = 0; set < result.size(); ++set)
    for (size_t i = 0; i < given; ++i)
      if (!isFloat(types[i].dtype))
        limitIntegers(result[set][i]);
  for (size_t i = 0; i < step.layout.state.size(); ++i)
    initialize(result[0][given + i], step.layout.state[i]);
  fillWithZeros(result[0].back()); // The learning rate.
  return result;
}

} // namespace tandem::bench
