//===- PyTraining.cpp - Losses and training steps in Python ---------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PyTraining.h"

#include "Arrays.h"
#include "Errors.h"
#include "Interpreter.h"
#include "PyFunction.h"

#include "tandem/Runtime/Safetensors.h"
#include "tandem/Training.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

using namespace tandem;
using namespace tandem::python;

using Value = GraphBuilder::Value;

template <typename T> static T get(const nb::dict &settings, const char *name) {
  return nb::cast<T>(settings[name]);
}

static Optimizer toOptimizer(const nb::dict &settings) {
  Optimizer optimizer;
  optimizer.kind = get<std::string>(settings, "kind") == "sgd"
                       ? Optimizer::Kind::sgd
                       : Optimizer::Kind::adam;
  optimizer.momentum = get<double>(settings, "momentum");
  optimizer.isNesterov = get<bool>(settings, "nesterov");
  optimizer.beta1 = get<double>(settings, "beta1");
  optimizer.beta2 = get<double>(settings, "beta2");
  optimizer.epsilon = get<double>(settings, "epsilon");
  optimizer.weightDecay = get<double>(settings, "weight_decay");
  optimizer.isDecoupled = get<bool>(settings, "decoupled");
  optimizer.maxNorm = get<double>(settings, "max_norm");
  return optimizer;
}

static TrainingOptions toOptions(const nb::dict &settings) {
  using Numbers = std::vector<int64_t>;
  TrainingOptions options;
  options.parameters = get<Numbers>(settings, "parameters");
  options.withoutDecay = get<Numbers>(settings, "without_decay");
  for (const auto &[input, output] :
       get<std::vector<std::pair<int64_t, int64_t>>>(settings, "buffers"))
    options.buffers.push_back({input, output});
  options.stepsInput = get<int64_t>(settings, "steps_input");
  options.loss = get<int64_t>(settings, "loss");
  options.optimizer = toOptimizer(settings);
  return options;
}

static nb::tuple toTuple(const Shape &shape) {
  nb::list sizes;
  for (int64_t size : shape.span())
    sizes.append(size);
  return nb::tuple(sizes);
}

static const char *nameOf(TrainingLayout::State::Kind kind) {
  using Kind = TrainingLayout::State::Kind;
  switch (kind) {
  case Kind::parameters:
    return "parameters";
  case Kind::firstMoments:
    return "first_moments";
  case Kind::secondMoments:
    return "second_moments";
  case Kind::buffer:
    return "buffer";
  case Kind::steps:
    return "steps";
  }
  return "";
}

/// "parameters" as (input, group, offset), and "state" as (kind, dtype, shape,
/// number).
static nb::dict toDict(const TrainingLayout &layout) {
  nb::list parameters, state;
  for (const TrainingLayout::Parameter &each : layout.parameters)
    parameters.append(nb::make_tuple(each.input, each.group, each.offset));
  for (const TrainingLayout::State &each : layout.state)
    state.append(nb::make_tuple(nameOf(each.kind), numpyName(each.type.dtype),
                                toTuple(each.type.shape), each.number));
  nb::dict result;
  result["parameters"] = parameters;
  result["state"] = state;
  return result;
}

nb::dict PyFunction::trainingLayout(const nb::dict &settings) const {
  const TrainingOptions training = toOptions(settings);
  return toDict(
      take(withoutGIL([&] { return layOutTraining(*graph, training); })));
}

std::shared_ptr<PyFunction>
PyFunction::trainingStep(const nb::list &signature,
                         const nb::dict &settings) const {
  const std::vector<TensorType> types = toTypes(signature);
  const TrainingOptions training = toOptions(settings);
  TrainingStep step = take(
      withoutGIL([&] { return makeTrainingStep(*graph, types, training); }));
  CompileOptions compile = options;
  compile.keepsPhasesApart = get<bool>(settings, "phases_apart");
  return create(std::move(step.graph), compile, tiering);
}

static Value checked(GraphBuilder &builder, Value value) {
  take(builder.takeStatus());
  return value;
}

/// Writes a dict of arrays and a dict of texts.
static void saveArrays(const std::string &path, const nb::dict &arrays,
                       const std::map<std::string, std::string> &metadata) {
  Arrays held;
  Safetensors contents;
  contents.metadata = metadata;
  for (auto [name, array] : arrays) {
    const std::string text = nb::cast<std::string>(name);
    held.add(array, "array '" + text + "'");
    contents.tensors[text] = held.tensors().back();
  }
  take(withoutGIL([&] { return saveSafetensors(path, contents); }));
}

/// A dict of numpy's arrays and a dict of texts.
static nb::tuple loadArrays(const std::string &path) {
  const Safetensors contents =
      take(withoutGIL([&] { return loadSafetensors(path); }));
  nb::dict arrays;
  for (const auto &[name, tensor] : contents.tensors)
    arrays[name.c_str()] = toArray(tensor, ArrayKind::numpy, nb::handle());
  return nb::make_tuple(arrays, contents.metadata);
}

void python::bindTraining(nb::module_ &module) {
  module.def(
      "cross_entropy",
      [](GraphBuilder &builder, Value logits, Value labels) {
        return checked(builder, crossEntropy(builder, logits, labels));
      },
      nb::keep_alive<0, 1>());
  module.def(
      "mean_squared_error",
      [](GraphBuilder &builder, Value prediction, Value target) {
        return checked(builder, meanSquaredError(builder, prediction, target));
      },
      nb::keep_alive<0, 1>());
  module.def(
      "dropout",
      [](GraphBuilder &builder, Value operand, double probability, Value key,
         Value step, uint64_t site, const std::string &shape) {
        return checked(builder, dropout(builder, operand,
                                        {probability, key, step, site, shape}));
      },
      nb::keep_alive<0, 1>());
  module.def("save_arrays", saveArrays);
  module.def("load_arrays", loadArrays);
}
