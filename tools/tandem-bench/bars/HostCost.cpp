//===- HostCost.cpp - The host's cost of a compiled call ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bars/HostCost.h"

#include "bars/NullDriver.h"

#include "common/ArgSpec.h"
#include "common/Format.h"
#include "common/MeasurementJson.h"
#include "common/Tiers.h"

#include "tandem/Measure/Sampler.h"
#include "tandem/Runtime/Executor.h"

namespace tandem::bench {
namespace {

using nlohmann::ordered_json;

constexpr int kSamples = 50, kCalls = 1000;
/// The most that every call may cost, and each kernel, in nanoseconds.
constexpr double kMaxOfCall = 500, kMaxOfKernel = 100;

/// A graph of so many kernels, each of which reduces along another dim than the
/// one before, so that none can be part of it.
std::string makeGraph(int kernels) {
  const std::string type = "tensor<64x64xf32>";
  std::string text = "func.func @main(%0: " + type + ") -> " + type + " {\n";
  for (int i = 0; i < kernels; ++i)
    text += "  %" + std::to_string(i + 1) + " = tandem.softmax %" +
            std::to_string(i) + " axis = " + std::to_string(i % 2) + " : " +
            type + "\n";
  return text + "  return %" + std::to_string(kernels) + " : " + type + "\n}\n";
}

struct Cost {
  size_t kernels = 0;
  measure::Summary ns;
};

Expected<measure::Summary> measureCalls(Executor &executor,
                                        std::span<const Tensor> inputs) {
  std::vector<Tensor> outputs;
  std::vector<double> samples;
  for (int sample = -1; sample < kSamples; ++sample) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kCalls; ++i)
      TANDEM_RETURN_IF_ERROR(executor.run(inputs, outputs));
    if (sample >= 0) // The first warms up.
      samples.push_back(measure::nsSince(start) / kCalls);
  }
  return measure::summarize(std::move(samples));
}

Expected<Cost> measureGraph(int kernels) {
  TANDEM_ASSIGN_OR_RETURN(auto graph, Graph::parseString(makeGraph(kernels)));
  TANDEM_ASSIGN_OR_RETURN(std::vector<Tensor> inputs,
                          tools::makeInputs(*graph->eagerProgram(), {}));
  CompileOptions options;
  options.device = "cuda";
  TANDEM_ASSIGN_OR_RETURN(tools::PreparedPtr prepared,
                          tools::GraphTiers(*graph, options)
                              .prepare(typesOf(inputs), Tier::compiled));
  Executor &executor = *prepared->executor;
  TANDEM_ASSIGN_OR_RETURN(inputs, copyToDevice(inputs, executor.stream()));
  TANDEM_ASSIGN_OR_RETURN(measure::Summary ns, measureCalls(executor, inputs));
  return Cost{prepared->program->steps.size(), ns};
}

/// The line ns = call + kernel * kernels.
struct Line {
  double call = 0, kernel = 0;
  bool isWithin() const { return call <= kMaxOfCall && kernel <= kMaxOfKernel; }
};

Line fit(const std::vector<Cost> &costs) {
  double x = 0, y = 0, xx = 0, xy = 0;
  for (const Cost &cost : costs) {
    const double kernels = double(cost.kernels), ns = cost.ns.median;
    x += kernels;
    y += ns;
    xx += kernels * kernels;
    xy += kernels * ns;
  }
  const double n = double(costs.size());
  const double slope = (n * xy - x * y) / (n * xx - x * x);
  return {(y - slope * x) / n, slope};
}

void print(const std::vector<Cost> &costs, const Line &line) {
  tools::Table table({{"kernels"}, {"host, per call"}});
  for (const Cost &cost : costs)
    table.addRow({std::to_string(cost.kernels), tools::formatSummary(cost.ns)});
  std::printf("%s%s a call and %s a kernel; at most %s and %s%s\n",
              table.str().c_str(), tools::formatTime(line.call).c_str(),
              tools::formatTime(line.kernel).c_str(),
              tools::formatTime(kMaxOfCall).c_str(),
              tools::formatTime(kMaxOfKernel).c_str(),
              line.isWithin() ? "" : ": too much");
}

Status write(const HostCostOptions &options, const std::vector<Cost> &costs,
             const Line &line) {
  if (options.json.empty())
    return {};
  ordered_json record = {{"tool", "tandem-bench gpu-host"},
                         {"call_ns", line.call},
                         {"kernel_ns", line.kernel},
                         {"most_call_ns", kMaxOfCall},
                         {"most_kernel_ns", kMaxOfKernel}};
  for (const Cost &cost : costs)
    record["graphs"].push_back(
        {{"kernels", cost.kernels}, {"host_ns", tools::toJson(cost.ns)}});
  record.update(tools::toJson(options.environment));
  return tools::writeText(options.json, jsonText(record) + "\n");
}

} // namespace

Expected<bool> runHostCost(const HostCostOptions &options) {
  useNullDriver();
  std::vector<Cost> costs;
  for (int kernels : {1, 2, 4, 8, 16, 32}) {
    TANDEM_ASSIGN_OR_RETURN(Cost cost, measureGraph(kernels));
    costs.push_back(cost);
  }
  const Line line = fit(costs);
  print(costs, line);
  TANDEM_RETURN_IF_ERROR(write(options, costs, line));
  return line.isWithin();
}

} // namespace tandem::bench
