//===- Module.cpp - The extension module _tandem --------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CustomCalls.h"
#include "PyBuilder.h"
#include "PyFunction.h"
#include "PyTraining.h"

#include "tandem/Runtime/Executor.h"
#include "tandem/Support/Choices.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

using namespace tandem;
using namespace tandem::python;

namespace {

/// One value of an option by its name; raises ValueError for another name.
template <typename Value>
Value parseChoice(const char *option, const std::string &text) {
  std::string names;
  for (const Choice<Value> &choice : choicesOf<Value>()) {
    if (choice.name == text)
      return choice.value;
    names += (names.empty() ? "" : ", ") + std::string(choice.name);
  }
  throw nb::value_error(
      (std::string(option) + " is one of " + names + ", not '" + text + "'")
          .c_str());
}

Mode parseModeName(const std::string &text) {
  std::optional<Mode> mode = parseMode(text);
  if (!mode)
    throw nb::value_error(
        ("mode is one of eager, compile, auto, compile-now, not '" + text + "'")
            .c_str());
  return *mode;
}

/// The options of tandem.load other than the import options.
struct LoadOptions {
  std::string device, mode, precision, cache;
  bool isStrict = false, isTraced = false;

  std::shared_ptr<PyFunction> create(std::unique_ptr<Graph> graph) const {
    CompileOptions options;
    options.device = device;
    options.precision = parseChoice<Precision>("precision", precision);
    if (cache == "off")
      options.diskCache = false;
    else
      options.cacheDir = cache;
    TieringOptions tiering;
    tiering.mode = parseModeName(mode);
    tiering.isStrict = isStrict;
    tiering.isTraced = isTraced;
    return PyFunction::create(std::move(graph), options, std::move(tiering));
  }
};

/// Keeps a buffer of Python in place, and releases it with the GIL.
std::shared_ptr<const void> holdBuffer(Py_buffer buffer) {
  return {buffer.buf, [buffer](const void *) mutable {
            // When the process ends, its memory does.
            if (AcquiredGIL acquired; acquired)
              PyBuffer_Release(&buffer);
          }};
}

std::unique_ptr<Graph> parseFile(const std::string &path,
                                 const std::string &function,
                                 const ImportOptions &options) {
  return take(
      withoutGIL([&] { return Graph::parseFile(path, function, options); }));
}

std::unique_ptr<Graph> parseBytes(nb::handle source, const std::string &name,
                                  const std::string &function,
                                  const ImportOptions &options) {
  Py_buffer buffer;
  if (PyObject_GetBuffer(source.ptr(), &buffer, PyBUF_SIMPLE) != 0)
    throw nb::python_error();
  const GraphSource graph{
      {static_cast<const char *>(buffer.buf), size_t(buffer.len)},
      holdBuffer(buffer),
      name};
  return take(
      withoutGIL([&] { return Graph::parse(graph, function, options); }));
}

ImportOptions
importOptions(const std::map<std::string, int64_t> &dims,
              const std::map<std::string, std::vector<int64_t>> &shapes,
              const std::map<std::string, std::vector<double>> &values) {
  ImportOptions options;
  options.dims = dims;
  for (const auto &[name, dimsOf] : shapes) {
    checkRank(dimsOf.size(), "the shape of input '" + name + "'");
    options.shapes[name] = Shape(dimsOf);
  }
  options.values = values;
  return options;
}

void bindFunctions(nb::module_ &module) {
  const auto scope = nb::call_guard<LibraryScope>();
  nb::class_<PyFunction>(module, "Function")
      .def("__call__", &PyFunction::call, scope)
      .def("time_calls", &PyFunction::timeCalls, scope)
      .def("inputs", &PyFunction::inputs, scope)
      .def("outputs", &PyFunction::outputs, scope)
      .def("compile_ahead", &PyFunction::compileAhead, scope)
      .def("wait", &PyFunction::wait, scope)
      .def("cancel", &PyFunction::cancel, scope)
      .def("report_text", &PyFunction::reportText, scope)
      .def("report_json", &PyFunction::reportJSON, scope)
      .def("trace", &PyFunction::trace, scope)
      .def("ir", &PyFunction::ir, scope)
      .def("explain", &PyFunction::explain, scope)
      .def(
          "profile",
          [](PyFunction &function, const nb::tuple &inputs,
             const nb::dict &named, const std::string &tier, int runs) {
            return function.profile(nb::borrow<nb::args>(inputs),
                                    nb::borrow<nb::kwargs>(named), tier, runs);
          },
          scope)
      .def("coverage", &PyFunction::coverage, scope)
      .def("prepare", &PyFunction::prepare, scope)
      .def("with_gradient", &PyFunction::withGradient, scope)
      .def("with_updates", &PyFunction::withUpdates, scope)
      .def("training_step", &PyFunction::trainingStep, scope)
      .def("training_layout", &PyFunction::trainingLayout, scope)
      .def("drain_events", &PyFunction::drainEvents, scope)
      .def("has_events", &PyFunction::hasEvents, scope)
      .def("copies", &PyFunction::copies, scope);
  nb::class_<LoadOptions>(module, "LoadOptions")
      .def(nb::init<>())
      .def_rw("device", &LoadOptions::device)
      .def_rw("mode", &LoadOptions::mode)
      .def_rw("precision", &LoadOptions::precision)
      .def_rw("cache", &LoadOptions::cache)
      .def_rw("strict", &LoadOptions::isStrict)
      .def_rw("traced", &LoadOptions::isTraced);
  nb::class_<ImportOptions>(module, "ImportOptions")
      .def_static("make", importOptions);
  module.def("load_file",
             [](const std::string &path, const std::string &function,
                const ImportOptions &import, const LoadOptions &options) {
               return options.create(parseFile(path, function, import));
             });
  module.def("load_bytes", [](nb::handle source, const std::string &name,
                              const std::string &function,
                              const ImportOptions &import,
                              const LoadOptions &options) {
    return options.create(parseBytes(source, name, function, import));
  });
}

/// `what` names the type in errors.
TensorType makeType(const std::string &dtype,
                    const std::vector<std::optional<int64_t>> &shape,
                    const std::string &what) {
  TensorType type{parseDType(dtype), {}};
  checkRank(shape.size(), what);
  for (const std::optional<int64_t> &dim : shape)
    type.shape.push_back(dim.value_or(kDynamic));
  return type;
}

GraphBuilder::Value addInput(GraphBuilder &builder, const std::string &dtype,
                             const std::vector<std::optional<int64_t>> &shape,
                             const std::vector<std::string> &dims,
                             const std::string &name) {
  const TensorType type = makeType(
      dtype, shape, name.empty() ? "an input" : "input '" + name + "'");
  GraphBuilder::Value value = builder.input(type, dims, name);
  take(builder.takeStatus());
  return value;
}

GraphBuilder::Value addSplat(GraphBuilder &builder, const std::string &dtype,
                             const std::vector<std::optional<int64_t>> &shape,
                             double number) {
  GraphBuilder::Value value =
      builder.splat(makeType(dtype, shape, "a constant"), number);
  take(builder.takeStatus());
  return value;
}

/// The graph shares the array's memory and keeps it alive.
GraphBuilder::Value addConstant(GraphBuilder &builder, nb::object array) {
  auto arrays = std::make_shared<Arrays>();
  arrays->add(array, "constant");
  const Tensor &tensor = arrays->tensors()[0];
  std::shared_ptr<void> owner(tensor.data(), [arrays](void *) mutable {
    AcquiredGIL acquired;
    if (acquired)
      arrays.reset();
    else // When the process ends, its memory does.
      (void)new std::shared_ptr<Arrays>(std::move(arrays));
  });
  GraphBuilder::Value value =
      builder.constant(Tensor::share(tensor.type(), owner));
  take(builder.takeStatus());
  return value;
}

using Values = std::vector<GraphBuilder::Value>;
/// Attributes, and the expressions of their entries.
using Sizes = std::vector<std::pair<std::string, std::string>>;

Values addResults(GraphBuilder &builder, const std::string &name,
                  const Values &operands, const std::string &attributes,
                  const Sizes &sizes) {
  std::vector<GraphBuilder::SizeExpressions> expressions;
  for (const auto &[attribute, text] : sizes)
    expressions.push_back({attribute, text});
  Values values = builder.results(parseOp(name, attributes), operands,
                                  std::move(expressions));
  take(builder.takeStatus());
  return values;
}

GraphBuilder::Value addOp(GraphBuilder &builder, const std::string &name,
                          const Values &operands, const std::string &attributes,
                          const Sizes &sizes) {
  const Values values = addResults(builder, name, operands, attributes, sizes);
  if (values.size() == 1)
    return values[0];
  raise({name + " has " + std::to_string(values.size()) + " results", "build",
         "", "use Builder." + name + " or Builder.results"});
}

/// The values as objects that keep their builder alive, to which they refer.
nb::list keepBuilder(nb::handle builder, const Values &values) {
  nb::list objects;
  for (GraphBuilder::Value value : values)
    objects.append(builder.attr("keep")(value));
  return objects;
}

/// Adds an op, and returns its results.
nb::list addOpWithResults(nb::handle self, const std::string &name,
                          const Values &operands, const std::string &attributes,
                          const Sizes &sizes) {
  return keepBuilder(self, addResults(nb::cast<GraphBuilder &>(self), name,
                                      operands, attributes, sizes));
}

/// Begins a loop. Returns the index, the carried values and the slices.
nb::tuple beginLoop(nb::handle self, const Values &carried,
                    const Values &scanned, std::optional<int64_t> trips,
                    const std::vector<bool> &reversed) {
  auto &builder = nb::cast<GraphBuilder &>(self);
  const GraphBuilder::LoopBody body =
      builder.beginLoop({carried, scanned, trips, reversed});
  if (!builder.status())
    builder.abandonLoop();
  take(builder.takeStatus());
  return nb::make_tuple(keepBuilder(self, {body.index})[0],
                        keepBuilder(self, body.carried),
                        keepBuilder(self, body.slices));
}

/// Ends the loop. Returns the carried and the stacked results.
nb::tuple endLoop(nb::handle self, const Values &carried, const Values &stacked,
                  const std::vector<bool> &reversed) {
  auto &builder = nb::cast<GraphBuilder &>(self);
  const GraphBuilder::LoopResults results =
      builder.endLoop({carried, stacked, reversed});
  take(builder.takeStatus());
  return nb::make_tuple(keepBuilder(self, results.carried),
                        keepBuilder(self, results.stacked));
}

nb::tuple describeValue(const GraphBuilder &builder,
                        GraphBuilder::Value value) {
  const TensorType type = builder.type(value);
  nb::list dims;
  for (int64_t dim : type.shape.span())
    dims.append(dim == kDynamic ? nb::none() : nb::cast(dim));
  return nb::make_tuple(numpyName(type.dtype), dims);
}

std::shared_ptr<PyFunction>
buildFunction(const GraphBuilder &builder,
              const std::vector<GraphBuilder::Value> &outputs,
              const std::vector<std::string> &names,
              const LoadOptions &options) {
  return options.create(
      take(withoutGIL([&] { return builder.build(outputs, names); })));
}

void bindBuilder(nb::module_ &module) {
  nb::class_<GraphBuilder::Value>(module, "Value");
  nb::class_<GraphBuilder>(module, "Builder")
      .def(nb::init<std::string>())
      // A value refers to its builder.
      .def("input", addInput, nb::keep_alive<0, 1>())
      .def("constant", addConstant, nb::keep_alive<0, 1>())
      .def("splat", addSplat, nb::keep_alive<0, 1>())
      .def("op", addOp, nb::keep_alive<0, 1>())
      .def("results", addOpWithResults)
      .def(
          "keep",
          [](GraphBuilder &, GraphBuilder::Value value) { return value; },
          nb::keep_alive<0, 1>())
      .def("begin_loop", beginLoop, nb::arg(), nb::arg(), nb::arg().none(),
           nb::arg())
      .def("end_loop", endLoop)
      .def("abandon_loop", &GraphBuilder::abandonLoop)
      .def("set_location", &GraphBuilder::setLocation)
      .def("type", describeValue)
      .def("build", buildFunction);
  module.def("op_names", opNames);
  module.def("is_elementwise", isElementwise);
  module.def("attributes_of", attributesOf);
}

} // namespace

/// A certificate in the background may call a function of Python, which needs
/// the GIL that os.fork holds while it waits for the certificate.
static void beforeFork() {
  if (areCustomCallsKnown())
    PyFunction::waitForAll();
}

NB_MODULE(_tandem, module) {
  // Objects that daemon threads hold outlive the interpreter.
  nb::set_leak_warnings(false);
  watchInterpreter(beforeFork, PyFunction::cancelAll);
  bindFunctions(module);
  bindBuilder(module);
  bindTraining(module);
  module.def("devices", [] {
    nb::list all;
    for (const DeviceInfo &device : devices())
      all.append(nb::make_tuple(std::string(device.name),
                                std::string(device.description)));
    return all;
  });
  module.def("add_custom_call", addCustomCall);
  module.def("set_num_threads", setNumThreads);
  module.def("num_threads", numThreads);
  module.def("share_openmp", shareOpenMP);
  module.def("allow_background_calibration", allowBackgroundCalibration);
  module.attr("__version__") = TANDEM_VERSION;
}
