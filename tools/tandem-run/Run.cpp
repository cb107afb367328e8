//===- Run.cpp - Runs a graph on a tier -----------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Run.h"

#include "KernelReports.h"
#include "Model.h"

#include "common/Elements.h"
#include "common/Format.h"
#include "common/Json.h"

#include "tandem/Measure/Sampler.h"
#include "tandem/Runtime/ErrorBounds.h"
#include "tandem/Runtime/Npy.h"

#include <cstdio>
#include <filesystem>
#include <optional>

namespace tandem::tools {
namespace {

using nlohmann::ordered_json;

/// One tier's outputs and figures.
struct TierResult {
  std::string tier;
  /// The tier, with the device where that is not the CPU.
  std::string label;
  std::vector<Tensor> outputs;
  measure::Summary time;
  PreparedTier prepared;
  /// As measured, and as the memory plan says, where there is one.
  int64_t peakBytes = 0;
  std::optional<int64_t> plannedPeakBytes;
  bool isMemoryAsPlanned() const {
    return plannedPeakBytes.value_or(peakBytes) == peakBytes;
  }
};

/// What --check found for one output of one tier.
struct Check {
  std::string label;
  size_t output = 0;
  TensorType type;
  /// Nothing where the output's type is wrong.
  std::optional<Difference> difference;
  bool passed() const { return difference && difference->agrees(); }
};

/// Everything that the parts below share.
struct Context {
  const RunOptions &options;
  std::unique_ptr<Graph> graph;
  std::vector<Tensor> inputs;
  std::vector<TensorType> types;
  /// The outputs by the reference with their error bounds, for --check.
  std::vector<BoundedTensor> expected;
};

Expected<TierResult> runTier(const Context &context, Tier tier) {
  TierOptions tierOptions;
  tierOptions.compile = context.options.compile;
  // The reference is there on the default device alone.
  tierOptions.compile.device =
      tier == Tier::reference ? defaultDevice() : context.options.device;
  TierResult result;
  result.tier = name(tier);
  result.label = result.tier;
  if (tierOptions.compile.device != defaultDevice())
    result.label += " (" + context.options.device + ")";
  TANDEM_ASSIGN_OR_RETURN(
      result.prepared,
      prepareTier(*context.graph, tier, context.types, tierOptions));
  Executor &executor = *result.prepared.executor;
  Stream &stream = executor.stream();
  TANDEM_ASSIGN_OR_RETURN(std::vector<Tensor> inputs,
                          copyToDevice(context.inputs, stream));
  result.plannedPeakBytes = executor.plannedPeakBytes();
  // Memory that a tier before has freed may hold the very results.
  fillAllocations(context.options.check);
  Status status = executor.run(inputs, result.outputs, &result.peakBytes);
  fillAllocations(false);
  TANDEM_RETURN_IF_ERROR(status);
  if (tier == Tier::captured) // The first run is not captured yet.
    for (int i = 0; i < 2; ++i)
      TANDEM_RETURN_IF_ERROR(executor.run(inputs, result.outputs));
  TANDEM_ASSIGN_OR_RETURN(result.outputs, copyToHost(result.outputs, stream));

  std::vector<double> samples;
  std::vector<Tensor> scratch;
  for (int i = 0; i < context.options.repeat; ++i) {
    auto start = std::chrono::steady_clock::now();
    TANDEM_RETURN_IF_ERROR(executor.run(inputs, scratch));
    TANDEM_RETURN_IF_ERROR(stream.synchronise());
    samples.push_back(measure::nsSince(start));
  }
  result.time = measure::summarize(std::move(samples));
  if (std::optional<Error> failure = executor.captureFailure())
    printWarnings({{"runs are not captured: " + failure->message,
                    failure->location, ""}});
  return result;
}

double sumOf(const std::vector<PhaseTime> &phases) {
  double ns = 0;
  for (const PhaseTime &phase : phases)
    ns += phase.ns;
  return ns;
}

/// "compile: 8.1 ms of one thread, 5.2 ms on the clock: specialise 20 µs; …".
void printCompilation(const PreparedTier &prepared) {
  std::printf("compile: %s of one thread, %s on the clock:",
              formatTime(sumOf(prepared.phases)).c_str(),
              formatTime(prepared.compileNs).c_str());
  for (const PhaseTime &phase : prepared.phases)
    std::printf(" %s %s;", phase.phase.c_str(), formatTime(phase.ns).c_str());
  const KernelCounts &kernels = prepared.kernelCounts;
  std::printf(" %zu kernels compiled, %zu known, %zu from disk\n",
              kernels.compiled, kernels.cached, kernels.stored);
}

/// "recomputed: g.mlir:3:8, 4.00 KiB, 1.2 µs; …; peak 3.00 KiB less".
void printRecomputation(const Recomputation &recomputation) {
  if (recomputation.steps.empty())
    return;
  std::printf("recomputed:");
  for (const Recomputation::Step &step : recomputation.steps)
    std::printf(" %s, %s, %s;", step.location.c_str(),
                formatBytes(step.bytes).c_str(), formatTime(step.ns).c_str());
  std::printf(" peak %s less\n",
              formatBytes(recomputation.peakBytesSaved).c_str());
}

void printResult(const Context &context, const TierResult &result) {
  const RunOptions &options = context.options;
  if (options.program)
    std::printf("%s", toString(*result.prepared.program).c_str());
  if (options.kernels && !result.prepared.kernelReports.empty())
    std::printf("%s", formatKernels(result.prepared).c_str());
  printRecomputation(result.prepared.recomputation);
  for (size_t i = 0; i < result.outputs.size(); ++i) {
    std::printf("output %zu: %s\n", i, result.outputs[i].type().str().c_str());
    if (options.print)
      std::printf("%s\n",
                  formatElements(result.outputs[i], options.digits).c_str());
  }
  if (!options.repeat)
    return;
  std::printf("%s: %s, peak %s\n", result.label.c_str(),
              formatSummary(result.time).c_str(),
              formatBytes(result.peakBytes).c_str());
  if (!result.prepared.phases.empty())
    printCompilation(result.prepared);
}

Status writeOutputs(const RunOptions &options,
                    const std::vector<Tensor> &outputs) {
  std::error_code code;
  std::filesystem::create_directories(options.outDir, code);
  if (code)
    return fail("write", "cannot make the folder '" + options.outDir +
                             "': " + code.message());
  for (size_t i = 0; i < outputs.size(); ++i) {
    std::string file = "output" + std::to_string(i) + ".npy";
    TANDEM_RETURN_IF_ERROR(
        writeNpy(std::filesystem::path(options.outDir) / file, outputs[i]));
  }
  return {};
}

std::vector<Check> compareOutputs(const Context &context,
                                  const TierResult &result) {
  std::vector<Check> checks;
  for (size_t i = 0; i < context.expected.size(); ++i) {
    const BoundedTensor &expected = context.expected[i];
    Check check{result.label, i, expected.value.type(), {}};
    // Another type is a bug of the tier, not of the user.
    if (result.outputs[i].type() == check.type)
      check.difference =
          compare(expected.value, result.outputs[i], expected.bounds);
    checks.push_back(check);
  }
  return checks;
}

std::string scientific(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2e", value);
  return text;
}

std::string describeVerdict(const Difference &difference) {
  if (!difference.agrees() && difference.mismatches == 0)
    return "FAIL: every element may be anything";
  if (!difference.agrees())
    return "FAIL: " + std::to_string(difference.mismatches) +
           " elements; element " + std::to_string(difference.worstIndex) +
           " is " + scientific(difference.actual) + ", not " +
           scientific(difference.expected) + ", its bound " +
           scientific(difference.bound);
  if (difference.unbounded > difference.compared)
    return "ok, weakly: most elements may be anything";
  if (difference.isWeak())
    return "ok, weakly: wrong results may be within these bounds";
  return "ok";
}

void printChecks(const std::vector<Check> &checks) {
  Table table({{"tier", false},
               {"output", false},
               {"compared"},
               {"max abs"},
               {"max rel"},
               {"max ULP"},
               {"max bound"},
               {"worst element"},
               {"its bound"},
               {"", false}});
  for (const Check &check : checks) {
    std::string output = std::to_string(check.output) + ": " + check.type.str();
    if (!check.difference) {
      table.addRow({check.label, output, "0", "-", "-", "-", "-", "-", "-",
                    "FAIL: another type"});
      continue;
    }
    const Difference &difference = *check.difference;
    char ulp[32];
    std::snprintf(ulp, sizeof ulp, "%.4g", difference.maxUlp);
    bool differs = difference.worstIndex >= 0;
    table.addRow({check.label, output, std::to_string(difference.compared),
                  scientific(difference.maxAbsolute),
                  scientific(difference.maxRelative), ulp,
                  scientific(difference.maxBound),
                  differs ? std::to_string(difference.worstIndex) : "-",
                  differs ? scientific(difference.bound) : "-",
                  describeVerdict(difference)});
  }
  std::printf("%s", table.str().c_str());
}

ordered_json recordOf(const Check &check) {
  ordered_json record = {{"output", check.output}, {"passed", check.passed()}};
  if (!check.difference)
    return record;
  const Difference &difference = *check.difference;
  record.update({{"compared", difference.compared},
                 {"unbounded", difference.unbounded},
                 {"max_abs", difference.maxAbsolute},
                 {"max_rel", difference.maxRelative},
                 {"max_ulp", difference.maxUlp},
                 {"max_bound", difference.maxBound},
                 {"mismatches", difference.mismatches},
                 {"weak", difference.isWeak()}});
  if (difference.worstIndex >= 0)
    record["worst"] = {{"element", difference.worstIndex},
                       {"expected", difference.expected},
                       {"actual", difference.actual},
                       {"bound", difference.bound}};
  return record;
}

/// A plan that is not kept is a bug, on which no caller's memory may depend.
bool checkMemory(const TierResult &result) {
  if (!result.isMemoryAsPlanned())
    std::printf("%s: FAIL: held %lld bytes at its peak, planned are %lld\n",
                result.label.c_str(), static_cast<long long>(result.peakBytes),
                static_cast<long long>(*result.plannedPeakBytes));
  return result.isMemoryAsPlanned();
}

ordered_json recordOf(const Context &context, const TierResult &result,
                      const std::vector<Check> &checks) {
  const RunOptions &options = context.options;
  ordered_json record = {{"tool", "tandem-run"},
                         {"graph", options.file},
                         {"function", options.function},
                         {"inputs", toJson(context.types)},
                         {"outputs", toJson(typesOf(result.outputs))},
                         {"dtype", dtypeOf(context.types)},
                         {"device", options.device},
                         {"tier", result.tier},
                         {"cache", result.prepared.isStored ? "warm" : "cold"}};
  if (options.repeat)
    record["time_ns"] = toJson(result.time);
  record["peak_bytes"] = result.peakBytes;
  if (result.plannedPeakBytes)
    record["planned_peak_bytes"] = *result.plannedPeakBytes;
  if (!result.prepared.phases.empty())
    record["compile_ns"] = {{"total", sumOf(result.prepared.phases)},
                            {"wall", result.prepared.compileNs},
                            {"phases", toJson(result.prepared.phases)},
                            {"kernels", toJson(result.prepared.kernelCounts)}};
  if (!result.prepared.recomputation.steps.empty())
    record["recomputed"] = toJson(result.prepared.recomputation);
  for (const Check &check : checks)
    if (check.label == result.label)
      record["checks"].push_back(recordOf(check));
  record.update(toJson(options.environment));
  return record;
}

Expected<Tier> chosenTier(const RunOptions &options) {
  const Tier tier =
      options.tier.empty() ? Tier::eager : *parseTier(options.tier);
  TANDEM_ASSIGN_OR_RETURN(Device * device, findDevice(options.device));
  TANDEM_RETURN_IF_ERROR(checkTier(tier, *device));
  if (tier >= Tier::compiled)
    return tier;
  if (!options.check && !options.compile.fusionReport.empty())
    return fail("argument",
                "tier '" + std::string(name(tier)) +
                    "' fuses nothing to report (--fusion-report)",
                "--tier=compiled does");
  if ((options.kernels && !options.check) || !options.kernelReport.empty())
    return fail("argument",
                "tier '" + std::string(name(tier)) +
                    "' has no kernels to report",
                "--tier=compiled has");
  return tier;
}

Expected<Context> prepare(const RunOptions &options) {
  Context context{options, {}, {}, {}, {}};
  TANDEM_ASSIGN_OR_RETURN(GraphWithInputs opened, openGraph(options));
  context.graph = std::move(opened.graph);
  context.inputs = std::move(opened.inputs);
  context.types = typesOf(context.inputs);
  return context;
}

} // namespace

Expected<bool> run(const RunOptions &options) {
  TANDEM_ASSIGN_OR_RETURN(Tier chosen, chosenTier(options));
  TANDEM_ASSIGN_OR_RETURN(Context context, prepare(options));
  std::vector<Tier> tiers{chosen};
  if (options.check) {
    TANDEM_ASSIGN_OR_RETURN(Device * device, findDevice(options.device));
    const std::span<const Tier> all = tiersOf(*device);
    tiers.assign(all.begin(), all.end());
  }
  if (options.check) {
    ErrorBoundOptions bounds;
    bounds.precision = options.compile.precision;
    TANDEM_ASSIGN_OR_RETURN(context.expected,
                            evaluateWithBounds(*context.graph->eagerProgram(),
                                               context.inputs, bounds));
  }
  std::vector<TierResult> results;
  std::vector<Check> checks;
  for (Tier tier : tiers) {
    TANDEM_ASSIGN_OR_RETURN(TierResult result, runTier(context, tier));
    if (options.check && tier != Tier::reference)
      for (Check &check : compareOutputs(context, result))
        checks.push_back(std::move(check));
    results.push_back(std::move(result));
  }
  std::string lines;
  bool passed = true;
  for (const TierResult &result : results) {
    if (!options.check || (options.repeat && result.time.samples))
      printResult(context, result);
    lines += recordOf(context, result, checks).dump() + "\n";
    if (!options.outDir.empty() && result.tier == name(chosen))
      TANDEM_RETURN_IF_ERROR(writeOutputs(options, result.outputs));
    if (!options.programFile.empty() && result.tier == name(chosen))
      TANDEM_RETURN_IF_ERROR(writeFileAtomically(
          options.programFile, serialize(*result.prepared.program)));
    if (!options.kernelReport.empty() && result.tier == name(chosen))
      TANDEM_RETURN_IF_ERROR(
          writeText(options.kernelReport,
                    describeKernels(result.prepared).dump(2) + "\n"));
  }
  if (options.check)
    printChecks(checks);
  for (const Check &check : checks)
    passed &= check.passed();
  if (options.check)
    for (const TierResult &result : results)
      passed &= checkMemory(result);
  if (!options.json.empty())
    TANDEM_RETURN_IF_ERROR(writeText(options.json, lines));
  return passed;
}

} // namespace tandem::tools
