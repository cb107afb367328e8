//===- TrainingLayout.cpp - The state of training steps -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Optimizers.h"
#include "TrainingInputs.h"

#include <algorithm>
#include <map>
#include <set>

namespace tandem {
namespace {

using training::findBuffer;
using training::isParameter;
using State = TrainingLayout::State;

std::vector<TensorType> inputTypes(const Graph &graph) {
  const std::shared_ptr<const Program> program = graph.eagerProgram();
  std::vector<TensorType> types;
  for (uint32_t slot : program->inputs)
    types.push_back(fromFlat(*program->slots[slot]->type));
  return types;
}

/// Lays out the state of steps of a loss.
class LayoutBuilder {
public:
  LayoutBuilder(const Graph &loss, const TrainingOptions &options)
      : loss(loss), options(options), types(inputTypes(loss)) {}

  Expected<TrainingLayout> build();

private:
  Status check() const;
  Status checkParameter(int64_t number) const;
  Status checkBuffer(const InputUpdate &buffer) const;
  Status checkStepsInput() const;
  std::string describe(int64_t input) const;
  /// The name of an input; empty if the inputs have no names.
  std::string nameOf(int64_t input) const {
    return loss.inputNames().empty() ? "" : loss.inputNames()[size_t(input)];
  }
  bool isInput(int64_t number) const {
    return number >= 0 && number < int64_t(types.size());
  }

  void placeParameters();
  void addState();

  const Graph &loss;
  const TrainingOptions &options;
  const std::vector<TensorType> types;
  struct Arena {
    DType dtype;
    int64_t size = 0;
  };
  std::vector<Arena> arenas;
  TrainingLayout layout;
};

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

std::string LayoutBuilder::describe(int64_t input) const {
  const std::string name = nameOf(input);
  return "input " + std::to_string(input) +
         (name.empty() ? "" : " ('" + name + "')");
}

Status LayoutBuilder::checkParameter(int64_t number) const {
  if (!isInput(number))
    return fail("train", "there is no input " + std::to_string(number) +
                             " to train: the loss has " +
                             std::to_string(types.size()) + " inputs");
  const TensorType &type = types[size_t(number)];
  if (type.dtype != DType::f32 && type.dtype != DType::f64)
    return fail("train",
                describe(number) + " is " + type.str() +
                    ", which cannot be trained",
                "parameters are of f32 or f64");
  if (!type.isStatic())
    return fail("train", describe(number) + " is " + type.str() +
                             ", but the shape of a parameter must be static");
  if (std::ranges::count(options.parameters, number) != 1)
    return fail("train", describe(number) +
                             " must be in the list of parameters exactly once");
  return {};
}

Status LayoutBuilder::checkBuffer(const InputUpdate &buffer) const {
  const auto [input, output] = buffer;
  const auto failWith = [&](const std::string &reason) {
    return fail("train", "output " + std::to_string(output) +
                             " cannot replace input " + std::to_string(input) +
                             ": " + reason);
  };
  const size_t outputs = loss.eagerProgram()->outputs.size();
  if (!isInput(input) || output < 0 || output >= int64_t(outputs))
    return failWith("there is no such input or output");
  if (isParameter(options, input) || output == options.loss)
    return failWith("the input is trained, or the output is the loss");
  if (!types[size_t(input)].isStatic())
    return failWith("the shape of a buffer must be static");
  if (std::ranges::count(options.buffers, input, &InputUpdate::input) != 1 ||
      std::ranges::count(options.buffers, output, &InputUpdate::output) != 1)
    return failWith("one of the two is given twice");
  return {};
}

Status LayoutBuilder::checkStepsInput() const {
  const int64_t number = options.stepsInput;
  if (number == -1)
    return {};
  if (!isInput(number) || isParameter(options, number) ||
      findBuffer(options, number) ||
      types[size_t(number)] != TensorType{DType::ui64, {}})
    return fail(
        "train",
        "input " + std::to_string(number) + " cannot get the number of steps",
        "such an input is a ui64 scalar that is no parameter and no buffer");
  return {};
}

Status LayoutBuilder::check() const {
  if (options.parameters.empty())
    return fail("train", "there are no parameters to train",
                "parameters are inputs of the loss; constants are not trained");
  for (const std::vector<int64_t> *list :
       {&options.parameters, &options.withoutDecay})
    for (int64_t number : *list)
      TANDEM_RETURN_IF_ERROR(checkParameter(number));
  for (const InputUpdate &buffer : options.buffers)
    TANDEM_RETURN_IF_ERROR(checkBuffer(buffer));
  TANDEM_RETURN_IF_ERROR(checkStepsInput());
  return training::checkOptimizer(options.optimizer);
}

//===----------------------------------------------------------------------===//
// The layout
//===----------------------------------------------------------------------===//

/// Finds a place for each parameter, in the order of options.parameters.
void LayoutBuilder::placeParameters() {
  std::map<std::pair<DType, bool>, size_t> known;
  for (int64_t number : options.parameters) {
    const TensorType &type = types[size_t(number)];
    const bool decays = training::decays(options, number);
    auto [found, isNew] =
        known.try_emplace({type.dtype, decays}, arenas.size());
    if (isNew)
      arenas.push_back({type.dtype});
    Arena &arena = arenas[found->second];
    layout.parameters.push_back(
        {number, nameOf(number), type, found->second, arena.size});
    const int64_t unit = Allocator::kAlignment / byteWidth(type.dtype);
    arena.size += (type.shape.numElements() + unit - 1) / unit * unit;
  }
}

/// Lists the tensors of the state.
void LayoutBuilder::addState() {
  constexpr std::pair<State::Kind, const char *> kinds[] = {
      {State::Kind::parameters, "parameters"},
      {State::Kind::firstMoments, "first moments"},
      {State::Kind::secondMoments, "second moments"}};
  const int moments = training::numMoments(options.optimizer);
  for (const auto &[kind, name] : std::span(kinds).first(size_t(moments) + 1))
    for (size_t group = 0; group < arenas.size(); ++group)
      layout.state.push_back({kind,
                              {arenas[group].dtype, {arenas[group].size}},
                              int64_t(group),
                              name + (' ' + std::to_string(group))});
  for (const auto &[input, output] : options.buffers) {
    const std::string name = nameOf(input);
    layout.state.push_back(
        {State::Kind::buffer, types[size_t(input)], input,
         name.empty() ? "buffer " + std::to_string(input) : name});
  }
  layout.state.push_back(
      {State::Kind::steps, {DType::ui64, {}}, 0, "number of steps"});
}

Expected<TrainingLayout> LayoutBuilder::build() {
  TANDEM_RETURN_IF_ERROR(check());
  placeParameters();
  addState();
  for (size_t i = 0; i < types.size(); ++i)
    layout.firstStateInput += training::isGiven(options, int64_t(i));
  layout.firstStateOutput =
      loss.eagerProgram()->outputs.size() - options.buffers.size();
  return std::move(layout);
}

} // namespace

Expected<TrainingLayout> layOutTraining(const Graph &loss,
                                        const TrainingOptions &options) {
  return LayoutBuilder(loss, options).build();
}

} // namespace tandem
