//===- Model.cpp - Inputs of imported models by name ----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model.h"

#include "common/ArgSpec.h"
#include "common/Elements.h"

#include "tandem/Measure/Vary.h"
#include "tandem/Runtime/Npy.h"

#include <charconv>
#include <cstdio>
#include <optional>
#include <set>

namespace tandem::tools {
namespace {

struct NamedText {
  std::string name, text;
};

Expected<NamedText> split(const std::string &given, const char *option) {
  size_t at = given.find('=');
  if (at == std::string::npos || at == 0)
    return tl::unexpected(Error{"not of the form NAME=VALUE",
                                "argument",
                                std::string(option) + "=" + given,
                                {}});
  return NamedText{given.substr(0, at), given.substr(at + 1)};
}

/// Adds what a spec tells of the input `name`: its elements, where it lists
/// them or names a file of few, and its shape.
Status addInput(const std::string &name, const std::string &text,
                ImportOptions &options) {
  TANDEM_ASSIGN_OR_RETURN(ArgSpec spec, parseArgSpec(text));
  if (spec.dims)
    options.shapes[name] = *spec.dims;
  if (spec.kind == ArgSpec::Kind::values)
    options.values[name] = spec.values;
  if (spec.kind != ArgSpec::Kind::file)
    return {};
  TANDEM_ASSIGN_OR_RETURN(Tensor tensor, readNpy(spec.path));
  options.shapes[name] = tensor.shape();
  const int64_t count = tensor.shape().numElements();
  if (count > ImportOptions::kMaxValues)
    return {};
  std::vector<double> &elements = options.values[name];
  elements.clear();
  for (int64_t i = 0; i < count; ++i)
    elements.push_back(loadElement(tensor, i));
  return {};
}

/// "random:1x3x224x224", with 1 for free dims.
std::string defaultSpec(const TensorType &type) {
  std::string text = "random";
  for (int i = 0; i < type.shape.rank(); ++i) {
    int64_t size = type.shape[i] == kDynamic ? 1 : type.shape[i];
    text += (i ? "x" : ":") + std::to_string(size);
  }
  return text;
}

TensorType typeOf(const Program &program, uint32_t slot) {
  return fromFlat(*program.slots[slot]->type);
}

/// What --input and --dim, each NAME=VALUE, fix when a model is imported: sizes
/// of dims, and the shapes and elements of inputs, as far as they are given.
Expected<ImportOptions>
makeImportOptions(const std::vector<std::string> &inputs,
                  const std::vector<std::string> &dims) {
  ImportOptions options;
  for (const std::string &given : dims) {
    TANDEM_ASSIGN_OR_RETURN(NamedText named, split(given, "--dim"));
    const std::string &text = named.text;
    int64_t size = 0;
    auto [end, code] =
        std::from_chars(text.data(), text.data() + text.size(), size);
    if (code != std::errc() || end != text.data() + text.size() || size < 0)
      return tl::unexpected(Error{"'" + text + "' is not the size of a dim",
                                  "argument",
                                  "--dim=" + given,
                                  {}});
    if (!options.dims.try_emplace(named.name, size).second)
      return tl::unexpected(Error{"dim '" + named.name + "' is given twice",
                                  "argument",
                                  "--dim=" + given,
                                  {}});
  }
  std::set<std::string> names;
  for (const std::string &given : inputs) {
    TANDEM_ASSIGN_OR_RETURN(NamedText named, split(given, "--input"));
    if (!names.insert(named.name).second)
      return tl::unexpected(Error{"input '" + named.name + "' is given twice",
                                  "argument",
                                  "--input=" + given,
                                  {}});
    TANDEM_RETURN_IF_ERROR(addInput(named.name, named.text, options));
  }
  return options;
}

/// The specs (ArgSpec.h) of all inputs of a model, in order: those given by
/// position, then by name; the others are random, and free dims have size 1.
/// Fails for a name that is not one of the inputs.
Expected<std::vector<std::string>>
argumentsOf(const Graph &model, std::vector<std::string> args,
            const std::vector<std::string> &inputs,
            const ImportOptions &options) {
  const std::vector<std::string> &names = model.inputNames();
  std::shared_ptr<const Program> program = model.eagerProgram();
  for (size_t i = args.size(); i < names.size(); ++i)
    args.push_back(defaultSpec(typeOf(*program, program->inputs[i])));
  for (const std::string &given : inputs) {
    TANDEM_ASSIGN_OR_RETURN(NamedText named, split(given, "--input"));
    auto at = std::find(names.begin(), names.end(), named.name);
    if (at != names.end()) {
      args[at - names.begin()] = named.text;
      continue;
    }
    if (options.values.contains(named.name)) // The model has been made for it.
      continue;
    std::string all;
    for (const std::string &name : names)
      all += (all.empty() ? "'" : ", '") + name + "'";
    return fail("argument", "the model has no input '" + named.name + "'",
                "its inputs are " + (all.empty() ? "none" : all));
  }
  return args;
}

/// A listing of inputs, outputs and free dims.
std::string describeModel(const Graph &model) {
  std::shared_ptr<const Program> program = model.eagerProgram();
  std::string text, freeDims;
  std::set<std::string> seen;
  for (size_t i = 0; i < model.inputNames().size(); ++i) {
    text += "input  " + model.inputNames()[i] + ": " +
            typeOf(*program, program->inputs[i]).str() + "\n";
    for (const std::string &name : program->input_dims[i]->names)
      if (!name.empty() && seen.insert(name).second)
        freeDims += (freeDims.empty() ? "" : ", ") + name;
  }
  for (size_t i = 0; i < model.outputNames().size(); ++i)
    text += "output " + model.outputNames()[i] + ": " +
            typeOf(*program, program->outputs[i]).str() + "\n";
  if (!freeDims.empty())
    text += "free dims: " + freeDims + " (1 here; --dim=NAME=SIZE)\n";
  return text;
}

} // namespace

Expected<ImportOptions> importOptions(const RunOptions &options) {
  TANDEM_ASSIGN_OR_RETURN(ImportOptions import,
                          makeImportOptions(options.namedInputs, options.dims));
  if (options.f16Intermediates == "f32")
    import.f16Intermediates = DType::f32;
  return import;
}

Expected<GraphWithInputs> openGraph(const RunOptions &options,
                                    bool keepsGoing) {
  GraphWithInputs result;
  TANDEM_ASSIGN_OR_RETURN(ImportOptions import, importOptions(options));
  import.keepsGoing = keepsGoing;
  TANDEM_ASSIGN_OR_RETURN(
      result.graph, Graph::parseFile(options.file, options.function, import));
  std::vector<std::string> args = options.args;
  if (result.graph->outputNames().empty() && !options.namedInputs.empty())
    return fail("argument", "--input is of models, whose inputs have names",
                "an MLIR file's are given by --arg, in order");
  if (!result.graph->outputNames().empty()) { // A model.
    if (args.empty() && options.namedInputs.empty() && options.dims.empty() &&
        !keepsGoing)
      std::printf("%s", describeModel(*result.graph).c_str());
    TANDEM_ASSIGN_OR_RETURN(
        args, argumentsOf(*result.graph, args, options.namedInputs, import));
  }
  TANDEM_ASSIGN_OR_RETURN(result.inputs,
                          makeInputs(*result.graph->eagerProgram(), args));
  return result;
}

Expected<GraphWithShapes> openGraphVaried(const RunOptions &options) {
  GraphWithShapes result;
  if (options.vary.empty()) {
    TANDEM_ASSIGN_OR_RETURN(GraphWithInputs opened, openGraph(options));
    result.graph = std::move(opened.graph);
    result.inputs.push_back(std::move(opened.inputs));
    return result;
  }
  TANDEM_ASSIGN_OR_RETURN(auto ranges, measure::parseVary(options.vary));
  TANDEM_ASSIGN_OR_RETURN(auto shapes, measure::cartesianProduct(ranges));
  TANDEM_ASSIGN_OR_RETURN(ImportOptions import, importOptions(options));
  TANDEM_ASSIGN_OR_RETURN(
      result.graph, Graph::parseFile(options.file, options.function, import));
  const Program &program = *result.graph->eagerProgram();
  for (const measure::DimSizes &sizes : shapes) {
    TANDEM_ASSIGN_OR_RETURN(auto types, measure::bindDims(program, sizes));
    std::vector<std::string> specs;
    for (const TensorType &type : types)
      specs.push_back(defaultSpec(type));
    TANDEM_ASSIGN_OR_RETURN(result.inputs.emplace_back(),
                            makeInputs(program, specs));
  }
  return result;
}

} // namespace tandem::tools
