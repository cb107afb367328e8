//===- Auto.cpp - tandem-run --tier=auto ----------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Auto.h"

#include "Model.h"

#include "common/Elements.h"
#include "common/Format.h"
#include "common/MeasurementJson.h"
#include "common/Tiers.h"

#include "tandem/Measure/Sampler.h"

#include <cstdio>

namespace tandem::tools {
namespace {

/// Calls with the inputs of one shape.
struct Calls {
  std::vector<Tensor> inputs;
  /// The times of all calls in order, in nanoseconds.
  std::vector<double> ns;
  /// The outputs of the last call.
  std::vector<Tensor> outputs;
};

/// Calls with each shape so many times, in turn.
Status callOften(Function &function, Stream &stream, std::vector<Calls> &shapes,
                 int times) {
  for (int i = 0; i < times; ++i)
    for (Calls &calls : shapes) {
      auto start = std::chrono::steady_clock::now();
      TANDEM_ASSIGN_OR_RETURN(calls.outputs, function.call(calls.inputs));
      TANDEM_RETURN_IF_ERROR(stream.synchronize());
      calls.ns.push_back(measure::nsSince(start));
    }
  for (Calls &calls : shapes) {
    TANDEM_ASSIGN_OR_RETURN(calls.outputs, copyToHost(calls.outputs, stream));
  }
  return {};
}

void print(const RunOptions &options, const Calls &calls) {
  for (size_t i = 0; i < calls.outputs.size(); ++i) {
    std::printf("output %zu: %s\n", i, calls.outputs[i].type().str().c_str());
    if (options.print)
      std::printf("%s\n",
                  formatElements(calls.outputs[i], options.digits).c_str());
  }
  if (options.repeat) {
    std::vector<double> late(calls.ns.end() - (calls.ns.size() + 3) / 4,
                             calls.ns.end());
    std::printf("first call %s; the last quarter of %zu calls %s\n",
                formatTime(calls.ns.front()).c_str(), calls.ns.size(),
                formatSummary(measure::summarize(std::move(late))).c_str());
  }
}

Status write(const RunOptions &options, const FunctionReport &report) {
  if (!options.eventFile.empty())
    TANDEM_RETURN_IF_ERROR(writeText(options.eventFile, report.eventLines()));
  if (!options.traceFile.empty())
    TANDEM_RETURN_IF_ERROR(writeText(options.traceFile, report.trace()));
  if (options.json.empty())
    return {};
  nlohmann::ordered_json record = {{"tool", "tandem-run"},
                                   {"graph", options.file},
                                   {"function", options.function},
                                   {"device", options.device},
                                   {"tier", options.tier}};
  record["report"] = nlohmann::ordered_json::parse(report.json());
  record.update(toJson(options.environment));
  return writeText(options.json, jsonText(record) + "\n");
}

/// Fails for a signature whose compiled program could not be certified.
Status checkCertified(const FunctionReport &report) {
  for (const SignatureReport &signature : report.signatures)
    if (signature.certificateError &&
        signature.state != SignatureState::promoted)
      return tl::unexpected(*signature.certificateError);
  return {};
}

/// Compiles for all shapes before the first call.
Status compileAhead(Function &function, std::span<const Calls> shapes) {
  std::vector<std::vector<TensorType>> signatures;
  for (const Calls &calls : shapes)
    signatures.push_back(typesOf(calls.inputs));
  TANDEM_RETURN_IF_ERROR(function.compileAhead(signatures));
  function.wait();
  return {};
}

} // namespace

Status runAutomatically(const RunOptions &options) {
  TANDEM_ASSIGN_OR_RETURN(GraphWithShapes opened, openGraphVaried(options));
  TANDEM_ASSIGN_OR_RETURN(Device * device, findDevice(options.device));
  Stream &stream = device->defaultStream();
  std::vector<Calls> shapes;
  for (std::vector<Tensor> &inputs : opened.inputs) {
    TANDEM_ASSIGN_OR_RETURN(shapes.emplace_back().inputs,
                            copyToDevice(inputs, stream));
  }
  CompileOptions compile = options.compile;
  compile.device = options.device;
  TieringOptions tiering;
  tiering.isStrict = options.strict;
  tiering.compileIn = options.compileIn;
  tiering.isTraced = !options.traceFile.empty();
  tiering.reproducerDir = compile.reproducerDir;
  TANDEM_ASSIGN_OR_RETURN(auto function,
                          opened.graph->createFunction(compile, tiering));
  if (options.compileAhead)
    TANDEM_RETURN_IF_ERROR(compileAhead(*function, shapes));
  TANDEM_RETURN_IF_ERROR(
      callOften(*function, stream, shapes, 1 + std::max(options.repeat, 0)));
  if (options.strict) // What a call has begun to check counts, too.
    function->wait();
  const FunctionReport report = function->report();
  for (const SignatureReport &signature : report.signatures)
    printWarnings(signature.warnings);
  for (const Calls &calls : shapes)
    print(options, calls);
  if (options.explain)
    std::printf("%s", report.str().c_str());
  TANDEM_RETURN_IF_ERROR(write(options, report));
  return options.strict ? checkCertified(report) : Status();
}

} // namespace tandem::tools
