//===- PyFunction.cpp - Functions for Python ------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PyFunction.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <future>
#include <optional>
#include <set>

using namespace tandem;
using namespace tandem::python;

//===----------------------------------------------------------------------===//
// EventQueue
//===----------------------------------------------------------------------===//

void EventQueue::add(std::string line) {
  std::lock_guard lock(mutex);
  if (lines.size() == kMaxEvents)
    lines.pop_front();
  lines.push_back(std::move(line));
  count = lines.size();
}

std::vector<std::string> EventQueue::drain() {
  std::lock_guard lock(mutex);
  std::vector<std::string> all(lines.begin(), lines.end());
  lines.clear();
  count = 0;
  return all;
}

//===----------------------------------------------------------------------===//
// Inputs and outputs
//===----------------------------------------------------------------------===//

/// "input 'x'", or "input 0" without a name.
static std::vector<std::string> labels(const std::string &kind, size_t count,
                                       const std::vector<std::string> &names) {
  std::vector<std::string> all;
  for (size_t i = 0; i < count; ++i)
    all.push_back(kind + " " +
                  (i < names.size() && !names[i].empty() ? "'" + names[i] + "'"
                                                         : std::to_string(i)));
  return all;
}

/// All functions there are. Guarded by the GIL, and never destroyed.
static std::set<PyFunction *> &allFunctions() {
  static auto *all = new std::set<PyFunction *>;
  return *all;
}

std::shared_ptr<PyFunction> PyFunction::create(std::unique_ptr<Graph> graph,
                                               const CompileOptions &options,
                                               TieringOptions tiering) {
  auto result = std::make_shared<PyFunction>();
  result->tiering = tiering;
  tiering.ownsOutputs = true; // Python may write to what a call returns.
  tiering.log = [events = result->events](const TieringEvent &event) {
    events->add(event.str());
  };
  result->graph = std::move(graph);
  result->options = options;
  result->function = take(withoutGIL([&] {
    return result->graph->createFunction(options, std::move(tiering));
  }));
  const Program &program = result->function->program();
  result->inputLabels =
      labels("input", program.inputs.size(), result->graph->inputNames());
  result->outputLabels =
      labels("output", program.outputs.size(), result->graph->outputNames());
  result->isUpdated.resize(program.inputs.size());
  result->updatedInputs.resize(program.outputs.size());
  for (const fb::Update &update : program.updates) {
    result->isUpdated[update.input()] = true;
    result->updatedInputs[update.output()] = update.input();
  }
  allFunctions().insert(result.get());
  return result;
}

PyFunction::~PyFunction() {
  allFunctions().erase(this);
  ReleasedGIL released;
  function.reset();
  graph.reset();
}

nb::list PyFunction::describe(bool isInput) const {
  const Program &program = function->program();
  const std::vector<uint32_t> &slots =
      isInput ? program.inputs : program.outputs;
  const std::vector<std::string> &names =
      isInput ? graph->inputNames() : graph->outputNames();
  nb::list all;
  for (size_t i = 0; i < slots.size(); ++i) {
    const TensorType type = fromFlat(*program.slots[slots[i]]->type);
    nb::list dims;
    for (int k = 0; k < type.shape.rank(); ++k) {
      std::string dim;
      if (isInput && i < program.input_dims.size() &&
          size_t(k) < program.input_dims[i]->names.size())
        dim = program.input_dims[i]->names[size_t(k)];
      if (type.shape[k] != kDynamic)
        dims.append(type.shape[k]);
      else if (dim.empty())
        dims.append(nb::none());
      else
        dims.append(dim);
    }
    all.append(nb::make_tuple(i < names.size() ? names[i] : "",
                              numpyName(type.dtype), dims));
  }
  return all;
}

/// The arguments in the order of the inputs.
void PyFunction::bind(const nb::args &arguments, const nb::kwargs &keywords,
                      Arrays &inputs) const {
  const size_t count = inputLabels.size();
  if (arguments.size() > count)
    raiseType("the function has " + std::to_string(count) + " inputs, and " +
              std::to_string(arguments.size()) + " are given");
  inputs.reserve(count);
  for (size_t i = 0; i < arguments.size(); ++i)
    inputs.add(arguments[i], inputLabels[i], isUpdated[i]);
  const std::vector<std::string> &names = graph->inputNames();
  for (size_t i = arguments.size(); i < count; ++i) {
    if (i >= names.size() || !keywords.contains(names[i].c_str()))
      raiseType(inputLabels[i] + " is missing");
    inputs.add(keywords[names[i].c_str()], inputLabels[i], isUpdated[i]);
  }
  for (auto [key, value] : keywords) {
    const std::string name = nb::cast<std::string>(key);
    const auto found = std::find(names.begin(), names.end(), name);
    if (name == "out" || name == "tier")
      continue;
    if (found == names.end())
      raiseType("the function has no input '" + name + "'");
    if (size_t(found - names.begin()) < arguments.size())
      raiseType("input '" + name + "' is given twice");
  }
}

void PyFunction::bindOutputs(nb::handle out, Arrays &outputs) const {
  if (!nb::isinstance<nb::tuple>(out) && !nb::isinstance<nb::list>(out)) {
    outputs.add(out, outputLabels.empty() ? "out" : outputLabels[0], true);
    return;
  }
  size_t i = 0;
  for (nb::handle each : out) {
    outputs.add(each,
                i < outputLabels.size() ? outputLabels[i]
                                        : "output " + std::to_string(i),
                true);
    ++i;
  }
  if (i != outputLabels.size())
    raise({"the graph has " + std::to_string(outputLabels.size()) +
               " outputs, and out has " + std::to_string(i) + " arrays",
           "output", "", ""});
}

void PyFunction::noteCopies(const Arrays &arrays) {
  if (arrays.copies() == 0)
    return;
  if (numCopies == 0) {
    // The warning has the location of the line that calls tandem.Function.
    const std::string text = arrays.firstCopy() +
                             " is not contiguous, row-major and aligned, so "
                             "that each call copies it";
    if (PyErr_WarnEx(PyExc_RuntimeWarning, text.c_str(), 2) != 0)
      throw nb::python_error();
  }
  numCopies += arrays.copies();
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static Tier tierNamed(const std::string &name) {
  std::optional<Tier> tier = parseTier(name);
  if (!tier)
    raiseType("'" + name +
              "' is no tier: eager, compiled, captured and reference are");
  return *tier;
}

/// The text of an argument, or a TypeError.
static std::string nameIn(nb::handle object, const std::string &what) {
  if (!nb::isinstance<nb::str>(object))
    raiseType(what + " is a " + nb::type_name(object.type()).c_str() +
              ", not a name");
  return nb::cast<std::string>(object);
}

/// The array of an input that the output updates, or else a new array.
nb::object PyFunction::outputArray(size_t number, const Tensor &output,
                                   const Arrays &inputs) const {
  if (updatedInputs[number])
    return inputs.array(*updatedInputs[number]);
  return toArray(output, inputs.kind(), inputs.first());
}

nb::object PyFunction::call(const nb::args &arguments,
                            const nb::kwargs &keywords) {
  Arrays inputs, given;
  CallOptions options;
  nb::handle out;
  bind(arguments, keywords, inputs);
  if (keywords.size() > 0) {
    if (keywords.contains("out") && !keywords["out"].is_none()) {
      out = keywords["out"];
      bindOutputs(out, given);
      options.outputs = given.tensors();
    }
    if (keywords.contains("tier") && !keywords["tier"].is_none())
      options.tier = tierNamed(nameIn(keywords["tier"], "tier"));
  }
  noteCopies(inputs);
  auto outputs = take(
      withoutGIL([&] { return function->call(inputs.tensors(), options); }));
  inputs.noteWrites();
  if (out) {
    given.noteWrites();
    return nb::borrow(out);
  }
  if (outputs.size() == 1)
    return outputArray(0, outputs[0], inputs);
  nb::list all;
  for (size_t i = 0; i < outputs.size(); ++i)
    all.append(outputArray(i, outputs[i], inputs));
  return nb::tuple(all);
}

double PyFunction::timeCalls(int count, const nb::args &arguments) {
  Arrays inputs;
  bind(arguments, nb::kwargs(), inputs);
  return withoutGIL([&] {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i)
      (void)function->call(inputs.tensors(), CallOptions());
    return std::chrono::duration<double, std::nano>(
               std::chrono::steady_clock::now() - start)
               .count() /
           count;
  });
}

std::vector<TensorType> python::toTypes(const nb::list &signature) {
  std::vector<TensorType> types;
  for (nb::handle each : signature) {
    auto [dtype, shape] = nb::cast<std::pair<std::string, nb::tuple>>(each);
    TensorType type{parseDType(dtype), {}};
    checkRank(shape.size(), "a signature");
    for (nb::handle dim : shape)
      type.shape.push_back(nb::cast<int64_t>(dim));
    take(checkedBytes(type));
    types.push_back(type);
  }
  return types;
}

void PyFunction::compileAhead(const nb::list &signatures) {
  std::vector<std::vector<TensorType>> all;
  for (nb::handle signature : signatures)
    all.push_back(toTypes(nb::cast<nb::list>(signature)));
  take(withoutGIL([&] { return function->compileAhead(all); }));
}

double PyFunction::prepare(const nb::list &signature,
                           const std::string &tierName) {
  const std::vector<TensorType> types = toTypes(signature);
  const Tier tier = tierNamed(tierName);
  return take(withoutGIL([&] { return function->prepare(types, tier); }))
      ->compileNs;
}

/// Waits on a separate thread, so that this thread can handle signals
/// meanwhile.
void PyFunction::wait() {
  auto done = std::make_shared<std::promise<void>>();
  std::future<void> future = done->get_future();
  std::thread([done, function = function] {
    function->wait();
    done->set_value();
  }).detach();
  while (withoutGIL([&] {
           return future.wait_for(std::chrono::milliseconds(20));
         }) != std::future_status::ready)
    if (PyErr_CheckSignals() != 0)
      throw nb::python_error();
}

std::string PyFunction::ir(const std::string &phase,
                           const nb::list &signature) const {
  const std::vector<TensorType> types = toTypes(signature);
  return take(
      withoutGIL([&] { return graph->printIR(phase, types, options); }));
}

std::string PyFunction::explain(const nb::list &signature) const {
  const std::vector<TensorType> types = toTypes(signature);
  return take(withoutGIL([&] { return graph->explainFusion(types, options); }));
}

std::shared_ptr<PyFunction>
PyFunction::withGradient(const nb::list &signature,
                         const std::vector<int64_t> &wrt, int64_t loss,
                         bool hasSeed) const {
  const std::vector<TensorType> types = toTypes(signature);
  return create(take(withoutGIL([&] {
                  return graph->withGradient(types, {wrt, loss, hasSeed});
                })),
                options, tiering);
}

std::shared_ptr<PyFunction> PyFunction::withUpdates(
    const std::vector<std::pair<int64_t, int64_t>> &updates) const {
  std::vector<InputUpdate> all;
  for (const auto &[input, output] : updates)
    all.push_back({input, output});
  return create(take(withoutGIL([&] { return graph->withUpdates(all); })),
                options, tiering);
}

//===----------------------------------------------------------------------===//
// Profiles and coverage
//===----------------------------------------------------------------------===//

static nb::tuple toTuple(const TimeSummary &time) {
  return nb::make_tuple(time.median, time.p10, time.p90);
}

static nb::dict toDict(const ProfiledStep &step) {
  nb::dict result;
  result["name"] = step.name;
  result["kind"] = std::string(name(step.kind));
  result["provider"] = step.provider;
  result["nodes"] = step.sources;
  result["time"] = toTuple(step.time);
  result["bytes_read"] = step.bytesRead;
  result["bytes_written"] = step.bytesWritten;
  result["flops"] = step.flops;
  result["runs_once"] = step.runsOnce;
  return result;
}

nb::dict PyFunction::profile(const nb::args &inputs, const nb::kwargs &named,
                             const std::string &tier, int runs) {
  Arrays arrays;
  bind(inputs, named, arrays);
  noteCopies(arrays);
  ProfileOptions options{std::nullopt, runs};
  if (!tier.empty())
    options.tier = tierNamed(tier);
  const Profile profile = take(
      withoutGIL([&] { return function->profile(arrays.tensors(), options); }));
  nb::list steps;
  for (const ProfiledStep &step : profile.steps)
    steps.append(toDict(step));
  nb::dict result;
  result["tier"] = std::string(name(profile.tier));
  result["call"] = toTuple(profile.call);
  result["peak_bytes"] = profile.peakBytes;
  result["steps"] = steps;
  return result;
}

nb::list PyFunction::coverage(const nb::list &signature,
                              const std::string &tierName) const {
  const std::vector<TensorType> types = toTypes(signature);
  const Tier tier = tierNamed(tierName);
  const Coverage coverage =
      take(withoutGIL([&] { return graph->coverage(types, options, tier); }));
  nb::list nodes;
  for (const NodeCoverage &node : coverage.nodes) {
    nb::dict result;
    result["op"] = node.op;
    result["location"] = node.location;
    result["ops"] = node.ops;
    result["execution"] = std::string(name(node.execution));
    result["step"] = node.step;
    result["provider"] = node.provider;
    result["reason"] = node.reason;
    nodes.append(result);
  }
  return nodes;
}

void PyFunction::cancel() {
  withoutGIL([&] { function->cancel(); });
}

void PyFunction::forAll(void (Function::*method)()) {
  std::vector<std::shared_ptr<Function>> functions;
  for (PyFunction *each : allFunctions())
    functions.push_back(each->function);
  withoutGIL([&] {
    for (const auto &function : functions)
      (function.get()->*method)();
    functions.clear(); // These may be the last references.
  });
}

void PyFunction::waitForAll() { forAll(&Function::wait); }
void PyFunction::cancelAll() { forAll(&Function::cancel); }

std::string PyFunction::reportText() const { return function->report().str(); }
std::string PyFunction::reportJSON() const { return function->report().json(); }
std::string PyFunction::trace() const { return function->report().trace(); }
