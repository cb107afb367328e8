//===- Load.cpp - Functions that load and differentiate graphs ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"

using namespace tandem;
using namespace tandem::capi;

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

/// Makes a function that runs the graph.
static Status createFunction(std::unique_ptr<Graph> graph,
                             CompileOptions compile, TieringOptions tiering,
                             TandemFunction **function) {
  auto handle = std::make_unique<TandemFunction>();
  TANDEM_ASSIGN_OR_RETURN(handle->function,
                          graph->createFunction(compile, tiering));
  const Program &program = handle->function->program();
  for (uint32_t slot : program.inputs)
    handle->inputs.push_back(fromFlat(*program.slots[slot]->type));
  for (uint32_t slot : program.outputs)
    handle->outputs.push_back(fromFlat(*program.slots[slot]->type));
  handle->graph = std::move(graph);
  handle->compile = std::move(compile);
  handle->tiering = std::move(tiering);
  *function = handle.release();
  return {};
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
    return createFunction(std::move(graph), std::move(compile),
                          std::move(tiering), function);
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

static Expected<GradientOptions>
gradientOptions(const TandemGradientOptions &options) {
  GradientOptions gradient;
  if (options.numWrt > 0) {
    TANDEM_RETURN_IF_ERROR(checkArgument(options.wrt, "options->wrt"));
    gradient.wrt.assign(options.wrt, options.wrt + options.numWrt);
  }
  gradient.loss = static_cast<int64_t>(options.loss);
  gradient.hasSeed = options.hasSeed;
  return gradient;
}

TandemError *tandemFunctionWithGradient(const TandemFunction *function,
                                        const TandemTensorDesc *const *inputs,
                                        size_t numInputs,
                                        const TandemGradientOptions *options,
                                        TandemFunction **gradient) {
  return guarded([&]() -> Status {
    TANDEM_RETURN_IF_ERROR(checkArgument(gradient, "gradient"));
    *gradient = nullptr;
    TANDEM_RETURN_IF_ERROR(checkArgument(function, "function"));
    TandemGradientOptions known{};
    if (options) {
      TANDEM_ASSIGN_OR_RETURN(known, readStruct(options, "options"));
    }
    TANDEM_ASSIGN_OR_RETURN(const GradientOptions wanted,
                            gradientOptions(known));
    TANDEM_ASSIGN_OR_RETURN(const std::vector<TensorType> types,
                            signatureOf(inputs, numInputs));
    TANDEM_ASSIGN_OR_RETURN(std::unique_ptr<Graph> graph,
                            function->graph->withGradient(types, wanted));
    return createFunction(std::move(graph), function->compile,
                          function->tiering, gradient);
  });
}
