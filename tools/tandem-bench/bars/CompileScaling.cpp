//===- CompileScaling.cpp - Compile cost as a graph grows -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bars/CompileScaling.h"

#include "common/Format.h"
#include "common/MeasurementJson.h"
#include "common/ProgressLine.h"
#include "common/Tiers.h"

#include "tandem/Tandem.h"

#include <algorithm>
#include <cstdio>

namespace tandem::bench {
namespace {

using nlohmann::ordered_json;
using tools::formatTime;

/// What a graph of one size took.
ScalingPoint summarize(const std::vector<Compiled> &runs) {
  ScalingPoint point;
  std::vector<double> totals, walls;
  for (const Compiled &run : runs) {
    walls.push_back(run.wallNs);
    totals.push_back(0);
    for (const PhaseTime &phase : run.phases)
      totals.back() += phase.ns;
  }
  point.total = measure::summarize(totals);
  point.wall = measure::summarize(walls);
  for (size_t i = 0; i < runs[0].phases.size(); ++i) {
    std::vector<double> samples;
    for (const Compiled &run : runs)
      samples.push_back(run.phases[i].ns);
    point.phases.push_back(
        {runs[0].phases[i].phase, measure::summarize(samples).median});
  }
  point.steps = runs[0].program->steps.size();
  point.kernels = runs[0].program->kernels.size();
  return point;
}

ordered_json toRecord(const ScalingPoint &point,
                      const ScalingOptions &options) {
  ordered_json record = {{"tool", "tandem-bench compile-scaling"},
                         {"graph", "generated"},
                         {"function", "main"},
                         {"inputs", tools::toJson(point.inputs)},
                         {"dtype", tools::dtypeOf(point.inputs)},
                         {"device", tools::defaultDevice()},
                         {"ops", point.ops},
                         {"steps", point.steps},
                         {"kernels", point.kernels},
                         {"total_ns", tools::toJson(point.total)},
                         {"wall_ns", tools::toJson(point.wall)},
                         {"per_kernel_ns", point.perKernelNs()},
                         {"fuse_per_100_ops_ns", point.fusePer100Ns()},
                         {"phases_ns", tools::toJson(point.phases)}};
  record.update(tools::toJson(options.environment));
  return record;
}

void print(const std::vector<ScalingPoint> &points) {
  tools::Table table({{"ops"},
                      {"kernels"},
                      {"C, one thread"},
                      {"on the clock"},
                      {"a kernel"},
                      {"fuse/100 ops"},
                      {"before kernels"},
                      {"emit"},
                      {"other"}});
  for (const ScalingPoint &point : points) {
    double before = 0;
    for (const char *phase :
         {"specialize", "simplify", "layout", "fuse", "kernels"})
      before += point.phaseNs(phase);
    table.addRow({std::to_string(point.ops), std::to_string(point.kernels),
                  formatTime(point.total.median), formatTime(point.wall.median),
                  formatTime(point.perKernelNs()),
                  formatTime(point.fusePer100Ns()), formatTime(before),
                  formatTime(point.phaseNs("emit")),
                  formatTime(point.phaseNs("other"))});
  }
  std::printf("%s", table.str().c_str());
}

} // namespace

double ScalingPoint::phaseNs(const std::string &name) const {
  for (const PhaseTime &phase : phases)
    if (phase.phase == name)
      return phase.ns;
  return 0;
}

double ScalingPoint::perKernelNs() const {
  double ns = 0;
  for (const char *name :
       {"encode", "linalg", "lower", "optimize", "codegen", "load"})
    ns += phaseNs(name);
  return ns / static_cast<double>(std::max<size_t>(kernels, 1));
}

double ScalingPoint::fusePer100Ns() const {
  return 100 * phaseNs("fuse") / static_cast<double>(ops);
}

Expected<ScalingPoint> measureScaling(int ops, int runs) {
  TANDEM_ASSIGN_OR_RETURN(std::unique_ptr<Graph> graph,
                          Graph::parseString(makeScalingGraph(ops)));
  CompileOptions options;
  options.kernelCache = false;
  TANDEM_ASSIGN_OR_RETURN(std::unique_ptr<Compiler> compiler,
                          graph->createCompiler(options));
  const Program &eager = *graph->eagerProgram();
  std::vector<TensorType> inputs;
  for (uint32_t slot : eager.inputs)
    inputs.push_back(fromFlat(*eager.slots[slot]->type));
  std::vector<Compiled> compiled;
  for (int run = -1; run < runs; ++run) {
    TANDEM_ASSIGN_OR_RETURN(Compiled result, compiler->compile(inputs));
    if (run >= 0) // The first warms up.
      compiled.push_back(std::move(result));
  }
  ScalingPoint point = summarize(compiled);
  point.ops = eager.steps.size();
  point.inputs = std::move(inputs);
  return point;
}

Status runScaling(const ScalingOptions &options) {
  std::vector<ScalingPoint> points;
  std::string lines;
  tools::ProgressLine line;
  for (int ops : options.ops) {
    line.show("compiling a graph of " + std::to_string(ops) + " ops");
    TANDEM_ASSIGN_OR_RETURN(ScalingPoint point,
                            measureScaling(ops, options.runs));
    lines += jsonText(toRecord(point, options)) + "\n";
    points.push_back(std::move(point));
  }
  line.clear();
  std::printf("%s", tools::headingOf(options.environment).c_str());
  print(points);
  return options.json.empty() ? Status()
                              : tools::writeText(options.json, lines);
}

} // namespace tandem::bench
