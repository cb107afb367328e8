//===- Predict.cpp - What is predicted before compiling -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sweep/Predict.h"

#include "common/MeasurementJson.h"
#include "common/RunEnvironment.h"

#include "tandem/Compiler/CostFeatures.h"
#include "tandem/Measure/Vary.h"
#include "tandem/Runtime/Executor.h"
#include "tandem/Support/HumanReadable.h"
#include "tandem/Tandem.h"

#include <cstdio>

namespace tandem::bench {
namespace {

using nlohmann::ordered_json;

ordered_json toRecord(const PredictOptions &options,
                      std::span<const TensorType> inputs,
                      const CostFeatures &features,
                      const CostPrediction &costs) {
  ordered_json named = ordered_json::object();
  for (size_t i = 0; i < kCostFeatures; ++i)
    named[std::string(kCostFeatureNames[i])] = features.all()[i];
  return {
      {"tool", "tandem-bench predict"},     {"graph", options.file},
      {"function", options.function},       {"inputs", tools::toJson(inputs)},
      {"compile_cold_ns", costs.coldNs()},  {"compile_warm_ns", costs.warmNs()},
      {"compile_cached_ns", costs.graphNs}, {"eager_ns", costs.eagerNs},
      {"compiled_ns", costs.compiledNs},    {"features", named}};
}

void print(const measure::DimSizes &shape, const CostPrediction &costs) {
  const std::string dims = measure::toString(shape);
  std::printf(
      "%s%sC cold %s, warm %s, hit %s; e %s, c %s\n", dims.c_str(),
      dims.empty() ? "" : ": ", formatTime(costs.coldNs()).c_str(),
      formatTime(costs.warmNs()).c_str(), formatTime(costs.graphNs).c_str(),
      formatTime(costs.eagerNs).c_str(), formatTime(costs.compiledNs).c_str());
}

} // namespace

Status runPredict(const PredictOptions &options) {
  TANDEM_ASSIGN_OR_RETURN(std::unique_ptr<Graph> graph,
                          Graph::parseFile(options.file, options.function));
  TANDEM_ASSIGN_OR_RETURN(DeviceModel device, findDeviceModel("host"));
  device = device.withThreads(numThreads());
  std::vector<measure::DimRange> ranges;
  if (!options.vary.empty()) {
    TANDEM_ASSIGN_OR_RETURN(ranges, measure::parseVary(options.vary));
  }
  TANDEM_ASSIGN_OR_RETURN(std::vector<measure::DimSizes> shapes,
                          measure::cartesianProduct(ranges));
  const Program &program = *graph->eagerProgram();
  std::string lines;
  for (const measure::DimSizes &shape : shapes) {
    TANDEM_ASSIGN_OR_RETURN(std::vector<TensorType> inputs,
                            measure::bindDims(program, shape));
    TANDEM_ASSIGN_OR_RETURN(CostFeatures features,
                            describeCosts(program, inputs, device));
    const CostPrediction costs = predictCosts(features);
    lines += jsonText(toRecord(options, inputs, features, costs)) + "\n";
    print(shape, costs);
  }
  return options.json.empty() ? Status()
                              : tools::writeText(options.json, lines);
}

} // namespace tandem::bench
