//===- Call.cpp - Functions of the C API ----------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"

using namespace tandem;
using namespace tandem::capi;

struct TandemFunction {
  std::unique_ptr<Function> function;
  /// The declared types of the inputs and outputs.
  std::vector<TensorType> inputs, outputs;
};

static Expected<Mode> modeOf(TandemMode mode) {
  switch (mode) {
  case TANDEM_MODE_DEFAULT:
    return isBackgroundWorkAllowed() ? Mode::automatic : Mode::compile;
  case TANDEM_MODE_EAGER:
    return Mode::eager;
  case TANDEM_MODE_COMPILE:
    return Mode::compile;
  case TANDEM_MODE_AUTO:
    if (!isBackgroundWorkAllowed())
      return fail("input", "options->mode is auto, which works in the "
                           "background, and that is not allowed");
    return Mode::automatic;
  case TANDEM_MODE_COMPILE_NOW:
    return Mode::compileNow;
  default:
    return fail("input", "options->mode is " + std::to_string(mode) +
                             ", which is no mode");
  }
}

static Expected<Precision> precisionOf(TandemPrecision precision) {
  if (precision != TANDEM_PRECISION_STRICT &&
      precision != TANDEM_PRECISION_TF32)
    return fail("input", "options->precision is " + std::to_string(precision) +
                             ", which is no precision");
  return precision == TANDEM_PRECISION_TF32 ? Precision::tf32
                                            : Precision::strict;
}

static Expected<CompileIn> compileInOf(TandemCompileIn place) {
  switch (place) {
  case TANDEM_COMPILE_IN_DEFAULT:
    return TieringOptions().compileIn;
  case TANDEM_COMPILE_IN_PROCESS:
    return CompileIn::process;
  case TANDEM_COMPILE_IN_THREAD:
    return CompileIn::thread;
  default:
    return fail("input", "options->compileIn is " + std::to_string(place) +
                             ", which is no place to compile in");
  }
}

static Expected<CompileOptions>
compileOptions(const TandemLoadOptions &options) {
  CompileOptions compile;
  compile.device = textOf(options.device);
  compile.reproducerDir = textOf(options.reproducerDir);
  TANDEM_ASSIGN_OR_RETURN(compile.precision, precisionOf(options.precision));
  return compile;
}

static Expected<TieringOptions>
tieringOptions(const TandemLoadOptions &options) {
  TieringOptions tiering;
  TANDEM_ASSIGN_OR_RETURN(tiering.mode, modeOf(options.mode));
  TANDEM_ASSIGN_OR_RETURN(tiering.compileIn, compileInOf(options.compileIn));
  tiering.isStrict = options.isStrict;
  tiering.isTraced = options.isTraced;
  tiering.ownsOutputs = options.ownsOutputs;
  tiering.reproducerDir = textOf(options.reproducerDir);
  if (options.log)
    tiering.log = [log = options.log,
                   context = options.context](const TieringEvent &event) {
      log(event.str().c_str(), context);
    };
  return tiering;
}

static Expected<ImportOptions> importOptions(const TandemLoadOptions &options) {
  ImportOptions import;
  if (options.numDims > 0) {
    TANDEM_RETURN_IF_ERROR(
        checkArgument(options.dimNames, "options->dimNames"));
    TANDEM_RETURN_IF_ERROR(
        checkArgument(options.dimSizes, "options->dimSizes"));
  }
  for (size_t i = 0; i < options.numDims; ++i) {
    TANDEM_RETURN_IF_ERROR(
        checkArgument(options.dimNames[i], "an entry of options->dimNames"));
    import.dims[options.dimNames[i]] = options.dimSizes[i];
  }
  return import;
}

/// Makes a graph that updates the inputs which the options name, if any.
static Expected<std::unique_ptr<Graph>>
addUpdates(std::unique_ptr<Graph> graph, const TandemLoadOptions &options) {
  if (options.numUpdates == 0)
    return graph;
  TANDEM_RETURN_IF_ERROR(
      checkArgument(options.updatedInputs, "options->updatedInputs"));
  TANDEM_RETURN_IF_ERROR(
      checkArgument(options.updatingOutputs, "options->updatingOutputs"));
  std::vector<InputUpdate> updates;
  for (size_t i = 0; i < options.numUpdates; ++i)
    updates.push_back({static_cast<int64_t>(options.updatedInputs[i]),
                       static_cast<int64_t>(options.updatingOutputs[i])});
  return graph->withUpdates(updates);
}

/// `parse` makes the graph of the function of the given name.
template <typename Parse>
static TandemError *load(const TandemLoadOptions *options,
                         TandemFunction **function, Parse parse) {
  return guarded([&]() -> Status {
    TANDEM_RETURN_IF_ERROR(checkArgument(function, "function"));
    *function = nullptr;
    TandemLoadOptions known{};
    if (options) {
      TANDEM_ASSIGN_OR_RETURN(known, readStruct(options, "options"));
    }
    TANDEM_ASSIGN_OR_RETURN(CompileOptions compile, compileOptions(known));
    TANDEM_ASSIGN_OR_RETURN(TieringOptions tiering, tieringOptions(known));
    TANDEM_ASSIGN_OR_RETURN(ImportOptions import, importOptions(known));
    TANDEM_ASSIGN_OR_RETURN(
        std::unique_ptr<Graph> graph,
        parse(known.function ? known.function : "main", import));
    TANDEM_ASSIGN_OR_RETURN(graph, addUpdates(std::move(graph), known));
    auto handle = std::make_unique<TandemFunction>();
    TANDEM_ASSIGN_OR_RETURN(
        handle->function,
        graph->createFunction(std::move(compile), std::move(tiering)));
    const Program &program = handle->function->program();
    for (uint32_t slot : program.inputs)
      handle->inputs.push_back(fromFlat(*program.slots[slot]->type));
    for (uint32_t slot : program.outputs)
      handle->outputs.push_back(fromFlat(*program.slots[slot]->type));
    *function = handle.release();
    return {};
  });
}

TandemError *tandemFunctionLoadFile(const char *path,
                                    const TandemLoadOptions *options,
                                    TandemFunction **function) {
  return load(options, function,
              [&](const char *name, const ImportOptions &import)
                  -> Expected<std::unique_ptr<Graph>> {
                TANDEM_RETURN_IF_ERROR(checkArgument(path, "path"));
                return Graph::parseFile(path, name, import);
              });
}

TandemError *tandemFunctionLoadText(const char *text, size_t length,
                                    const TandemLoadOptions *options,
                                    TandemFunction **function) {
  return load(options, function,
              [&](const char *name,
                  const ImportOptions &) -> Expected<std::unique_ptr<Graph>> {
                TANDEM_RETURN_IF_ERROR(checkArgument(text, "text"));
                return Graph::parseString({text, length}, name);
              });
}

TandemError *tandemFunctionLoadBytes(const void *data, size_t length,
                                     void (*release)(void *data, void *context),
                                     void *context,
                                     const TandemLoadOptions *options,
                                     TandemFunction **function) {
  // A failed load does not release the bytes.
  auto isLoaded = std::make_shared<bool>(false);
  std::shared_ptr<const void> owner;
  if (release && data)
    owner = {data, [=](const void *bytes) {
               if (*isLoaded)
                 release(const_cast<void *>(bytes), context);
             }};
  TandemError *error = load(
      options, function,
      [&](const char *name,
          const ImportOptions &import) -> Expected<std::unique_ptr<Graph>> {
        TANDEM_RETURN_IF_ERROR(checkArgument(data, "data"));
        return Graph::parse({{static_cast<const char *>(data), length}, owner},
                            name, import);
      });
  *isLoaded = !error;
  return error;
}

size_t tandemFunctionNumInputs(const TandemFunction *function) {
  return function ? function->inputs.size() : 0;
}

size_t tandemFunctionNumOutputs(const TandemFunction *function) {
  return function ? function->function->program().outputs.size() : 0;
}

/// Describes one of `types`, which are those of the function's `kind`s.
static TandemError *describe(const TandemFunction *function,
                             std::vector<TensorType> TandemFunction::*types,
                             const char *kind, size_t index,
                             TandemTensorDesc *desc) {
  return guarded([&]() -> Status {
    TANDEM_RETURN_IF_ERROR(checkArgument(function, "function"));
    TANDEM_RETURN_IF_ERROR(checkArgument(desc, "desc"));
    const std::vector<TensorType> &all = function->*types;
    if (index >= all.size())
      return fail("input", std::string("there is no ") + kind + " " +
                               std::to_string(index) + "; there are " +
                               std::to_string(all.size()));
    const TensorType &type = all[index];
    TandemTensorDesc to{};
    to.dtype = int(type.dtype);
    to.rank = type.shape.rank();
    to.shape = type.shape.begin();
    return writeStruct(to, desc, "desc");
  });
}

TandemError *tandemFunctionDescribeInput(const TandemFunction *function,
                                         size_t index, TandemTensorDesc *desc) {
  return describe(function, &TandemFunction::inputs, "input", index, desc);
}

TandemError *tandemFunctionDescribeOutput(const TandemFunction *function,
                                          size_t index,
                                          TandemTensorDesc *desc) {
  return describe(function, &TandemFunction::outputs, "output", index, desc);
}

static const char *at(const std::vector<std::string> &names, size_t index) {
  return index < names.size() ? names[index].c_str() : "";
}

const char *tandemFunctionInputName(const TandemFunction *function,
                                    size_t index) {
  return function ? at(function->function->program().input_names, index) : "";
}

const char *tandemFunctionOutputName(const TandemFunction *function,
                                     size_t index) {
  return function ? at(function->function->program().output_names, index) : "";
}

const char *tandemFunctionDimName(const TandemFunction *function, size_t input,
                                  size_t dim) {
  if (!function || input >= function->function->program().input_dims.size())
    return "";
  return at(function->function->program().input_dims[input]->names, dim);
}

/// The tensors of an array of handles.
static Expected<std::vector<Tensor>>
tensorsOf(const TandemTensor *const *handles, size_t count,
          const std::string &name) {
  if (count > 0)
    TANDEM_RETURN_IF_ERROR(checkArgument(handles, name.c_str()));
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < count; ++i) {
    if (!handles[i])
      return fail("input", name + "[" + std::to_string(i) + "] is null");
    tensors.push_back(handles[i]->tensor);
  }
  return tensors;
}

static Status call(TandemFunction &function, std::span<const Tensor> inputs,
                   std::span<TandemTensor *> outputs) {
  const size_t expected = tandemFunctionNumOutputs(&function);
  if (outputs.size() != expected)
    return fail("input", "numOutputs is " + std::to_string(outputs.size()) +
                             "; the function has " + std::to_string(expected) +
                             " outputs");
  TANDEM_ASSIGN_OR_RETURN(std::vector<Tensor> results,
                          function.function->call(inputs));
  std::vector<std::unique_ptr<TandemTensor>> handles;
  for (Tensor &result : results)
    handles.push_back(std::make_unique<TandemTensor>(std::move(result)));
  for (size_t i = 0; i < handles.size(); ++i)
    outputs[i] = handles[i].release();
  return {};
}

TandemError *tandemFunctionCall(TandemFunction *function,
                                const TandemTensor *const *inputs,
                                size_t numInputs, TandemTensor **outputs,
                                size_t numOutputs) {
  return guarded([&]() -> Status {
    if (numOutputs > 0)
      TANDEM_RETURN_IF_ERROR(checkArgument(outputs, "outputs"));
    std::fill_n(outputs, numOutputs, nullptr);
    TANDEM_RETURN_IF_ERROR(checkArgument(function, "function"));
    TANDEM_ASSIGN_OR_RETURN(std::vector<Tensor> tensors,
                            tensorsOf(inputs, numInputs, "inputs"));
    return call(*function, tensors, {outputs, numOutputs});
  });
}

TandemError *tandemFunctionCallInto(TandemFunction *function,
                                    const TandemTensor *const *inputs,
                                    size_t numInputs,
                                    const TandemTensor *const *outputs,
                                    size_t numOutputs) {
  return guarded([&]() -> Status {
    TANDEM_RETURN_IF_ERROR(checkArgument(function, "function"));
    TANDEM_ASSIGN_OR_RETURN(std::vector<Tensor> tensors,
                            tensorsOf(inputs, numInputs, "inputs"));
    TANDEM_ASSIGN_OR_RETURN(std::vector<Tensor> given,
                            tensorsOf(outputs, numOutputs, "outputs"));
    if (given.empty() && tandemFunctionNumOutputs(function) > 0)
      return fail("input", "numOutputs is 0");
    TANDEM_RETURN_IF_ERROR(
        function->function->call(tensors, {.outputs = given}));
    return {};
  });
}

TandemError *tandemFunctionCompileAhead(TandemFunction *function,
                                        const TandemTensorDesc *const *inputs,
                                        size_t numInputs) {
  return guarded([&]() -> Status {
    TANDEM_RETURN_IF_ERROR(checkArgument(function, "function"));
    if (numInputs > 0)
      TANDEM_RETURN_IF_ERROR(checkArgument(inputs, "inputs"));
    std::vector<TensorType> signature;
    for (size_t i = 0; i < numInputs; ++i) {
      TANDEM_RETURN_IF_ERROR(checkArgument(inputs[i], "an input"));
      TANDEM_ASSIGN_OR_RETURN(TandemTensorDesc known,
                              readStruct(inputs[i], "desc"));
      TANDEM_ASSIGN_OR_RETURN(TensorType type, typeOf(known));
      TANDEM_RETURN_IF_ERROR(checkedBytes(type));
      signature.push_back(type);
    }
    return function->function->compileAhead({&signature, 1});
  });
}

TandemError *tandemFunctionWait(TandemFunction *function) {
  return guarded([&]() -> Status {
    TANDEM_RETURN_IF_ERROR(checkArgument(function, "function"));
    function->function->wait();
    return {};
  });
}

TandemError *tandemFunctionCancel(TandemFunction *function) {
  return guarded([&]() -> Status {
    TANDEM_RETURN_IF_ERROR(checkArgument(function, "function"));
    function->function->cancel();
    return {};
  });
}

static Expected<std::string> print(const FunctionReport &report,
                                   TandemReportFormat format) {
  switch (format) {
  case TANDEM_REPORT_TEXT:
    return report.str();
  case TANDEM_REPORT_JSON:
    return report.json();
  case TANDEM_REPORT_EVENTS:
    return report.eventLines();
  case TANDEM_REPORT_TRACE:
    return report.trace();
  default:
    return fail("input",
                "format is " + std::to_string(format) + ", which is no format");
  }
}

TandemError *tandemFunctionReport(const TandemFunction *function,
                                  TandemReportFormat format, char **report) {
  return guarded([&]() -> Status {
    TANDEM_RETURN_IF_ERROR(checkArgument(report, "report"));
    *report = nullptr;
    TANDEM_RETURN_IF_ERROR(checkArgument(function, "function"));
    TANDEM_ASSIGN_OR_RETURN(std::string text,
                            print(function->function->report(), format));
    *report = new char[text.size() + 1];
    std::memcpy(*report, text.c_str(), text.size() + 1);
    return {};
  });
}

void tandemStringRelease(char *string) { delete[] string; }

void tandemFunctionRelease(TandemFunction *function) { delete function; }
