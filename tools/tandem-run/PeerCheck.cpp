//===- PeerCheck.cpp - Comparing a model with ONNX Runtime ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PeerCheck.h"

#include "Model.h"
#include "Sources.h"

#include "common/ChildProcess.h"
#include "common/MeasurementJson.h"
#include "common/TemporaryFolder.h"

#include "tandem/Runtime/Npy.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

namespace tandem::tools {
namespace {

using nlohmann::json;

/// The task of utils/measure/onnxruntime-values.py.
Expected<json> makeTask(const RunOptions &options, const ImportOptions &import,
                        const Graph &model, std::span<const Tensor> inputs,
                        const std::string &folder) {
  json given = json::object();
  for (const auto &[name, elements] : import.values)
    given[name] = elements;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::string path = folder + "/input" + std::to_string(i) + ".npy";
    TANDEM_RETURN_IF_ERROR(writeNpy(path, inputs[i]));
    given[model.inputNames()[i]] = path;
  }
  return json{{"model", options.file},
              {"inputs", std::move(given)},
              {"values", model.outputNames()},
              {"folder", folder}};
}

Expected<json> runOnnxRuntime(const RunOptions &options, const json &task,
                              const std::string &folder) {
  const std::string file = folder + "/task.json";
  TANDEM_RETURN_IF_ERROR(writeText(file, jsonText(task)));
  Expected<std::string> output =
      runChild({options.python, sharePath("onnxruntime-values.py"), file});
  if (!output)
    return fail("check",
                "ONNX Runtime computes nothing to compare with: " +
                    options.python + " " + output.error().message,
                "--python=PROGRAM names a Python that has onnxruntime");
  return json::parse(*output);
}

/// The number of the step that computes each output of a program.
std::vector<size_t> stepsOfOutputs(const Program &program) {
  std::map<uint32_t, size_t> steps;
  for (size_t i = 0; i < program.steps.size(); ++i)
    for (uint32_t slot : program.steps[i]->results)
      steps[slot] = i;
  std::vector<size_t> found;
  for (uint32_t slot : program.outputs)
    found.push_back(steps.contains(slot) ? steps[slot] : 0);
  return found;
}

/// The location of the value of an output; empty for an input or a constant.
std::string locationOf(const Program &program, size_t output, size_t step) {
  const uint32_t slot = program.outputs[output];
  const std::vector<uint32_t> &results =
      program.steps.empty() ? program.outputs : program.steps[step]->results;
  return !program.steps.empty() && std::find(results.begin(), results.end(),
                                             slot) != results.end()
             ? program.steps[step]->location
             : "";
}

/// Compares all values that could be read, in the order of the steps.
Expected<std::vector<PeerChecks::Value>>
compareValues(const Graph &model, const std::vector<BoundedTensor> &expected,
              const std::set<std::string> &missing, const std::string &folder) {
  const Program &program = *model.eagerProgram();
  const std::vector<size_t> steps = stepsOfOutputs(program);
  std::vector<size_t> order;
  for (size_t i = 0; i < steps.size(); ++i)
    if (!missing.contains(model.outputNames()[i]))
      order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return steps[a] < steps[b]; });
  std::vector<PeerChecks::Value> values;
  for (size_t i : order) {
    TANDEM_ASSIGN_OR_RETURN(Tensor actual,
                            readNpy(folder + "/" + std::to_string(i) + ".npy"));
    std::vector<Check> check =
        compareOutputs(std::span(&expected[i], 1), std::span(&actual, 1), "");
    values.push_back({model.outputNames()[i], locationOf(program, i, steps[i]),
                      std::move(check.front())});
  }
  return values;
}

/// The elements of `all` that are outputs of the model itself, which come last.
std::vector<BoundedTensor> lastOf(std::vector<BoundedTensor> all,
                                  size_t count) {
  return {std::make_move_iterator(all.end() - std::ptrdiff_t(count)),
          std::make_move_iterator(all.end())};
}

} // namespace

bool PeerChecks::passed() const {
  return std::all_of(values.begin(), values.end(),
                     [](const Value &value) { return value.check.passed(); });
}

Expected<PeerChecks> checkAgainstOnnxRuntime(const RunOptions &options,
                                             std::span<const Tensor> inputs,
                                             const ErrorBoundOptions &bounds) {
  TANDEM_ASSIGN_OR_RETURN(ImportOptions import, importOptions(options));
  TANDEM_ASSIGN_OR_RETURN(auto plain,
                          Graph::parseFile(options.file, "main", import));
  import.allResults = true;
  TANDEM_ASSIGN_OR_RETURN(
      auto model, Graph::parseFile(options.file, options.function, import));
  const TemporaryFolder folder;
  if (folder.path.empty())
    return fail("write", "cannot make a folder for temporary files");
  TANDEM_ASSIGN_OR_RETURN(
      json task, makeTask(options, import, *model, inputs, folder.path));
  TANDEM_ASSIGN_OR_RETURN(json answer,
                          runOnnxRuntime(options, task, folder.path));
  TANDEM_ASSIGN_OR_RETURN(
      std::vector<BoundedTensor> expected,
      evaluateWithBounds(*model->eagerProgram(), inputs, bounds));
  PeerChecks checks;
  checks.version = answer["version"];
  checks.missing = answer["missing"];
  TANDEM_ASSIGN_OR_RETURN(checks.values, compareValues(*model, expected,
                                                       {checks.missing.begin(),
                                                        checks.missing.end()},
                                                       folder.path));
  checks.outputs = lastOf(std::move(expected), plain->outputNames().size());
  return checks;
}

std::string format(const PeerChecks &checks, const std::string &file) {
  size_t differing = 0, weak = 0;
  std::string text;
  for (const PeerChecks::Value &value : checks.values) {
    if (value.check.passed()) {
      weak += value.check.difference->isWeak();
      continue;
    }
    text += differing++ ? "  " : "  first: ";
    text += "node '" + withoutFile({value.location}, file).front() +
            "', value '" + value.name + "': " + describeVerdict(value.check) +
            "\n";
  }
  std::string summary =
      "ONNX Runtime " + checks.version +
      " beside the reference: " + std::to_string(checks.values.size()) +
      " values, ";
  summary += differing ? std::to_string(differing) + " do not agree"
                       : std::string("all agree");
  if (weak)
    summary += ", " + std::to_string(weak) + " of them weakly";
  if (!checks.missing.empty())
    summary += "; " + std::to_string(checks.missing.size()) +
               " cannot be compared, such as '" + checks.missing.front() + "'";
  return summary + "\n" + text;
}

} // namespace tandem::tools
