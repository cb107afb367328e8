//===- Sweep.cpp - Shape by shape: when does compiling pay ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sweep/Sweep.h"

#include "common/MeasurementJson.h"
#include "common/ProgressLine.h"

#include <cstdio>

namespace tandem::bench {

using nlohmann::ordered_json;

namespace {

ordered_json toJson(const CompileCost &cost) {
  ordered_json phases = ordered_json::object();
  for (const auto &[name, summary] : cost.phases)
    phases[name] = tools::toJson(summary);
  return {{"total", tools::toJson(cost.total)},
          {"wall", tools::toJson(cost.wall)},
          {"phases", phases},
          {"rearranged_bytes", cost.relayoutedBytes}};
}

ordered_json toJson(std::optional<int64_t> value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

Status writeResults(const SweepOptions &options,
                    const std::vector<ordered_json> &records) {
  if (!options.json.empty()) {
    std::string lines;
    for (const ordered_json &record : records)
      lines += jsonText(record) + "\n";
    TANDEM_RETURN_IF_ERROR(tools::writeText(options.json, lines));
  }
  if (options.html.empty())
    return {};
  TANDEM_ASSIGN_OR_RETURN(std::string page, makeHtml(records));
  return tools::writeText(options.html, page);
}

ShapeMeasurement failed(const measure::DimSizes &dims, const Error &error) {
  ShapeMeasurement result;
  result.dims = dims;
  result.error = error.str();
  return result;
}

/// What is wrong with the request, before the first second is spent on it.
Expected<std::vector<measure::DimSizes>> plan(const SweepOptions &options,
                                              const Graph &graph) {
  std::vector<measure::DimRange> ranges;
  if (!options.vary.empty()) {
    TANDEM_ASSIGN_OR_RETURN(ranges, measure::parseVary(options.vary));
  }
  TANDEM_ASSIGN_OR_RETURN(std::vector<measure::DimSizes> shapes,
                          measure::cartesianProduct(ranges));
  TANDEM_RETURN_IF_ERROR(measure::bindDims(*graph.eagerProgram(), shapes[0]));
  if (options.measure.train.areSet())
    TANDEM_RETURN_IF_ERROR(checkTrainOptions(graph, options.measure.train));
  if (!options.html.empty())
    TANDEM_RETURN_IF_ERROR(makeHtml({}));
  return shapes;
}

} // namespace

ordered_json toRecord(const SweepOptions &options,
                      const ShapeMeasurement &shape) {
  ordered_json dims = ordered_json::object();
  for (const auto &[name, size] : shape.dims)
    dims[name] = size;
  ordered_json record = {{"tool", "tandem-bench sweep"},
                         {"graph", options.measure.file},
                         {"function", options.measure.function},
                         {"dims", dims},
                         {"inputs", tools::toJson(shape.inputs)},
                         {"dtype", tools::dtypeOf(shape.inputs)},
                         {"device", options.measure.device},
                         {"precision", name(options.measure.precision)},
                         {"cache", {"cold", "warm", "cached"}}};
  if (!shape.error.empty())
    record["error"] = shape.error;
  else
    record.update(ordered_json{
        {"eager_ns", tools::toJson(shape.eager)},
        {"eager_dispatch_ns", tools::toJson(shape.eagerDispatch)},
        {"compiled_ns", tools::toJson(shape.compiled)},
        {"compiled_dispatch_ns", tools::toJson(shape.compiledDispatch)},
        {"compile_cold_ns", toJson(shape.cold)},
        {"compile_warm_ns", toJson(shape.warm)},
        {"compile_cached_ns", toJson(shape.cached)},
        {"break_even_calls", toJson(shape.breakEven)},
        {"break_even_calls_cold", toJson(shape.breakEvenCold)},
        {"verdict", measure::name(shape.verdict)},
        {"eager_peak_bytes", shape.eagerPeakBytes},
        {"compiled_peak_bytes", shape.compiledPeakBytes},
        {"planned_peak_bytes", toJson(shape.plannedPeakBytes)},
        {"eager_steps", shape.eagerSteps},
        {"compiled_steps", shape.compiledSteps},
        {"compiled_kernels", shape.kernels},
        {"input_sets", shape.inputSets}});
  if (options.measure.train.areSet())
    record["optimizer"] = options.measure.train.optimizer;
  if (shape.differentiateNs)
    record["differentiate_ns"] = *shape.differentiateNs;
  if (shape.captured)
    record["captured_ns"] = tools::toJson(*shape.captured);
  if (shape.disk)
    record.update(
        ordered_json{{"compile_cold_cache_ns", toJson(shape.disk->empty)},
                     {"compile_warm_cache_ns", toJson(shape.disk->found)}});
  record.update(tools::toJson(options.environment));
  return record;
}

Expected<bool> sweep(const SweepOptions &options) {
  TANDEM_ASSIGN_OR_RETURN(
      std::unique_ptr<Graph> graph,
      Graph::parseFile(options.measure.file, options.measure.function));
  TANDEM_ASSIGN_OR_RETURN(std::vector<measure::DimSizes> shapes,
                          plan(options, *graph));
  tools::ProgressLine line;
  std::vector<ShapeMeasurement> results;
  std::vector<ordered_json> records;
  bool complete = true;
  for (size_t i = 0; i < shapes.size(); ++i) {
    std::string prefix = "[" + std::to_string(i + 1) + "/" +
                         std::to_string(shapes.size()) + "] " +
                         measure::toString(shapes[i]) + ": ";
    Expected<ShapeMeasurement> result = measureShape(
        *graph, shapes[i], options.measure,
        [&](std::string_view what) { line.show(prefix + std::string(what)); });
    complete &= result.has_value();
    results.push_back(result ? *result : failed(shapes[i], result.error()));
    records.push_back(toRecord(options, results.back()));
    // After each shape, so that an interrupted sweep leaves what it has.
    TANDEM_RETURN_IF_ERROR(writeResults(options, records));
  }
  line.clear();
  std::printf("%s%s", tools::headingOf(options.environment).c_str(),
              formatTable(results).c_str());
  return complete;
}

} // namespace tandem::bench
