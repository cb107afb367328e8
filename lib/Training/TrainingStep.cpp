//===- TrainingStep.cpp - Loss, gradients and update as one graph ---------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Optimizers.h"
#include "TrainingInputs.h"

#include <algorithm>

namespace tandem {
namespace {

using training::Group;
using Value = GraphBuilder::Value;
using Parameter = TrainingLayout::Parameter;
using State = TrainingLayout::State;

/// The location of the ops that change parameters. Those of gradients end with
/// "(backward)".
constexpr const char *kUpdate = "optimizer (update)";

/// Builds the graph of a training step.
class StepBuilder {
public:
  StepBuilder(const Graph &loss, std::span<const TensorType> inputs,
              const TrainingOptions &options, const TrainingLayout &layout)
      : loss(loss), types(inputs), options(options), layout(layout) {}

  Expected<std::unique_ptr<Graph>> build();

private:
  void addInputs();
  void addState(const State &state);
  Value sliceOf(Value arena, const Parameter &parameter);
  Status addLoss();
  /// The gradients of a group, one after the other, with zeros in the padding.
  Value gradientsOf(size_t group, std::span<const Value> gradients);
  void addUpdates();
  Value newState(size_t index) const;
  Expected<std::unique_ptr<Graph>> finish();

  const Graph &loss;
  const std::span<const TensorType> types;
  const TrainingOptions &options;
  const TrainingLayout &layout;

  GraphBuilder b{"step"};
  /// The values that the loss is given, and the outputs of the step.
  std::vector<Value> lossInputs, outputs;
  std::vector<std::string> outputNames;
  /// All outputs of the loss.
  std::vector<Value> lossOutputs;
  std::vector<Group> groups;
  Value rate, steps;
};

void StepBuilder::addState(const State &state) {
  const Value value = b.input(state.type, {}, state.name);
  const auto number = size_t(state.number);
  switch (state.kind) {
  case State::Kind::parameters:
    groups.push_back({.parameters = value});
    break;
  case State::Kind::firstMoments:
  case State::Kind::secondMoments:
    groups[number].moments.push_back(value);
    break;
  case State::Kind::buffer:
    lossInputs[number] = value;
    break;
  case State::Kind::steps:
    steps = value;
    break;
  }
}

/// Adds the inputs of the step, and finds the values that the loss is given.
void StepBuilder::addInputs() {
  const std::vector<std::string> &names = loss.inputNames();
  lossInputs.resize(types.size());
  for (size_t i = 0; i < types.size(); ++i)
    if (training::isGiven(options, int64_t(i)))
      lossInputs[i] =
          b.input(types[i], {},
                  names.empty() ? "input " + std::to_string(i) : names[i]);
  for (const State &state : layout.state)
    addState(state);
  rate = b.input({DType::f64, {}}, {}, "rate");
  for (const Parameter &parameter : layout.parameters) {
    Group &group = groups[parameter.group];
    group.decays = training::decays(options, parameter.input);
    lossInputs[size_t(parameter.input)] = sliceOf(group.parameters, parameter);
  }
  if (options.stepsInput >= 0)
    lossInputs[size_t(options.stepsInput)] = steps;
}

Value StepBuilder::sliceOf(Value arena, const Parameter &parameter) {
  const Shape &shape = parameter.type.shape;
  const int64_t end = parameter.offset + shape.numElements();
  Value part = b.slice(
      arena, {.starts = {parameter.offset}, .limits = {end}, .strides = {1}});
  op_attrs::ReshapeAttrsT reshape;
  reshape.shape.assign(shape.span().begin(), shape.span().end());
  return b.reshape(part, std::move(reshape));
}

Value StepBuilder::gradientsOf(size_t group, std::span<const Value> gradients) {
  const TensorType arena = b.type(groups[group].parameters);
  std::vector<Value> parts;
  int64_t end = 0;
  const auto padTo = [&](int64_t offset) {
    if (offset > end)
      parts.push_back(b.splat({arena.dtype, {offset - end}}, 0));
    end = offset;
  };
  for (size_t i = 0; i < gradients.size(); ++i) {
    const Parameter &parameter = layout.parameters[i];
    if (parameter.group != group)
      continue;
    padTo(parameter.offset);
    const int64_t size = parameter.type.shape.numElements();
    op_attrs::ReshapeAttrsT reshape;
    reshape.shape = {size};
    parts.push_back(b.reshape(gradients[i], std::move(reshape)));
    end += size;
  }
  padTo(arena.shape[0]);
  return b.concat(parts, {.axis = 0});
}

/// Adds the ops of the loss and of its gradients.
Status StepBuilder::addLoss() {
  TANDEM_ASSIGN_OR_RETURN(
      std::unique_ptr<Graph> graph,
      loss.withGradient(types, {options.parameters, options.loss}));
  lossOutputs = b.call(*graph, lossInputs);
  TANDEM_RETURN_IF_ERROR(b.status());
  const size_t numOutputs = lossOutputs.size() - layout.parameters.size();
  b.setLocation(kUpdate);
  for (size_t group = 0; group < groups.size(); ++group)
    groups[group].gradients =
        gradientsOf(group, std::span(lossOutputs).subspan(numOutputs));
  lossOutputs.resize(numOutputs);
  return {};
}

void StepBuilder::addUpdates() {
  steps = b.add(steps, b.splat({DType::ui64, {}}, 1));
  const Value number = b.cast(steps, {.dtype = DType::f64});
  training::clipGradients(b, options.optimizer, groups);
  training::update(b, options.optimizer, groups, rate, number);
}

Value StepBuilder::newState(size_t index) const {
  const State &state = layout.state[index];
  const auto number = size_t(state.number);
  switch (state.kind) {
  case State::Kind::parameters:
    return groups[number].parameters;
  case State::Kind::firstMoments:
    return groups[number].moments[0];
  case State::Kind::secondMoments:
    return groups[number].moments[1];
  case State::Kind::buffer:
    return lossOutputs[size_t(
        training::findBuffer(options, state.number)->output)];
  case State::Kind::steps:
    return steps;
  }
  return {};
}

Expected<std::unique_ptr<Graph>> StepBuilder::finish() {
  const std::vector<std::string> &names = loss.outputNames();
  for (size_t i = 0; i < lossOutputs.size(); ++i)
    if (std::ranges::count(options.buffers, int64_t(i), &InputUpdate::output) ==
        0) {
      outputs.push_back(lossOutputs[i]);
      outputNames.push_back(names.empty() ? "output " + std::to_string(i)
                                          : names[i]);
    }
  std::vector<InputUpdate> updates;
  for (size_t i = 0; i < layout.state.size(); ++i) {
    outputs.push_back(newState(i));
    outputNames.push_back("new " + layout.state[i].name);
    updates.push_back({int64_t(layout.firstStateInput + i),
                       int64_t(layout.firstStateOutput + i)});
  }
  TANDEM_ASSIGN_OR_RETURN(std::unique_ptr<Graph> graph,
                          b.build(outputs, outputNames));
  return graph->withUpdates(updates);
}

Expected<std::unique_ptr<Graph>> StepBuilder::build() {
  addInputs();
  TANDEM_RETURN_IF_ERROR(addLoss());
  addUpdates();
  return finish();
}

} // namespace

Expected<TrainingStep> makeTrainingStep(const Graph &loss,
                                        std::span<const TensorType> inputs,
                                        const TrainingOptions &options) {
  TANDEM_ASSIGN_OR_RETURN(TrainingLayout layout, layOutTraining(loss, options));
  const size_t count = loss.eagerProgram()->inputs.size();
  if (inputs.size() != count)
    return fail("train", "the loss has " + std::to_string(count) +
                             " inputs, not " + std::to_string(inputs.size()));
  TANDEM_ASSIGN_OR_RETURN(std::unique_ptr<Graph> graph,
                          StepBuilder(loss, inputs, options, layout).build());
  return TrainingStep{std::move(graph), std::move(layout)};
}

} // namespace tandem
