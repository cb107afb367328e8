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
#include "OutputCheck.h"
#include "PeerCheck.h"
#include "Profile.h"
#include "StepCheck.h"

#include "common/Elements.h"
#include "common/Format.h"
#include "common/MeasurementJson.h"

#include "tandem/Measure/Sampler.h"
#include "tandem/Runtime/ErrorBounds.h"
#include "tandem/Runtime/Npy.h"

#include <algorithm>
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
  PreparedPtr prepared;
  std::optional<TierProfile> profile;
  std::optional<StepChecks> steps;
  /// The peak of memory in bytes, as measured, and as the memory plan says, if
  /// there is one.
  int64_t peakBytes = 0;
  std::optional<int64_t> plannedPeakBytes;
  bool isMemoryAsPlanned() const {
    return plannedPeakBytes.value_or(peakBytes) == peakBytes;
  }
};

const TierProfile *profileOf(const TierResult &result) {
  return result.profile ? &*result.profile : nullptr;
}

/// Everything that the parts below share.
struct Context {
  const RunOptions &options;
  std::unique_ptr<Graph> graph;
  std::vector<Tensor> inputs;
  std::vector<TensorType> types;
  /// The outputs by the reference with their error bounds, for --check.
  std::vector<BoundedTensor> expected;
  ErrorBoundOptions bounds;
};

Expected<measure::Summary> timeRuns(Executor &executor,
                                    std::span<const Tensor> inputs, int count) {
  std::vector<double> samples;
  std::vector<Tensor> scratch;
  for (int i = 0; i < count; ++i) {
    auto start = std::chrono::steady_clock::now();
    TANDEM_RETURN_IF_ERROR(executor.run(inputs, scratch));
    TANDEM_RETURN_IF_ERROR(executor.stream().synchronize());
    samples.push_back(measure::nsSince(start));
  }
  return measure::summarize(std::move(samples));
}

Expected<TierResult> runTier(const Context &context, Tier tier) {
  CompileOptions compile = context.options.compile;
  // A program that is kept may have the names of another file.
  if (!context.options.profile.empty())
    compile.diskCache = false;
  compile.keepsOps = context.options.checksSteps();
  // The reference is there on the default device alone.
  compile.device =
      tier == Tier::reference ? defaultDevice() : context.options.device;
  TierResult result;
  result.tier = name(tier);
  result.label = result.tier;
  if (compile.device != defaultDevice())
    result.label += " (" + context.options.device + ")";
  GraphTiers tiers(*context.graph, std::move(compile));
  TANDEM_ASSIGN_OR_RETURN(result.prepared, tiers.prepare(context.types, tier));
  Executor &executor = *result.prepared->executor;
  Stream &stream = executor.stream();
  TANDEM_ASSIGN_OR_RETURN(std::vector<Tensor> inputs,
                          copyToDevice(context.inputs, stream));
  // The plan of a program with updates is for runs that overwrite inputs.
  if (executor.program().updates.empty())
    result.plannedPeakBytes = executor.plannedPeakBytes();
  // Memory that a tier before has freed may hold the very results.
  fillAllocations(context.options.check);
  Status status = executor.run(inputs, result.outputs, &result.peakBytes);
  fillAllocations(false);
  TANDEM_RETURN_IF_ERROR(status);
  if (context.options.checksSteps() &&
      (tier == Tier::eager || tier == Tier::compiled)) {
    fillAllocations(true);
    Expected<StepChecks> steps =
        checkSteps(*result.prepared, inputs, context.bounds, result.label);
    fillAllocations(false);
    TANDEM_ASSIGN_OR_RETURN(result.steps, std::move(steps));
  }
  if (tier == Tier::captured) // The first run is not captured yet.
    for (int i = 0; i < 2; ++i)
      TANDEM_RETURN_IF_ERROR(executor.run(inputs, result.outputs));
  TANDEM_ASSIGN_OR_RETURN(result.outputs, copyToHost(result.outputs, stream));

  const int repeat = context.options.repeat;
  TANDEM_ASSIGN_OR_RETURN(result.time, timeRuns(executor, inputs, repeat));
  if (!context.options.profile.empty()) {
    TANDEM_ASSIGN_OR_RETURN(result.profile,
                            profileTier(*result.prepared, tier, inputs,
                                        repeat ? repeat : kProfiledRuns,
                                        context.options.device));
  }
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

/// "compile: 8.1 ms of one thread, 5.2 ms on the clock: specialize 20 µs; …".
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
    std::printf("%s", toString(*result.prepared->program).c_str());
  if (options.kernels && !result.prepared->kernelReports.empty())
    std::printf("%s",
                formatKernels(*result.prepared, profileOf(result)).c_str());
  printRecomputation(result.prepared->recomputation);
  if (result.profile)
    std::printf("%s", formatProfile(*result.profile, options.file).c_str());
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
  if (!result.prepared->phases.empty())
    printCompilation(*result.prepared);
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
  ordered_json record = {
      {"tool", "tandem-run"},
      {"graph", options.file},
      {"function", options.function},
      {"inputs", toJson(context.types)},
      {"outputs", toJson(typesOf(result.outputs))},
      {"dtype", dtypeOf(context.types)},
      {"device", options.device},
      {"tier", result.tier},
      {"cache", result.prepared->isStored ? "warm" : "cold"}};
  if (options.repeat)
    record["time_ns"] = toJson(result.time);
  record["peak_bytes"] = result.peakBytes;
  if (result.plannedPeakBytes)
    record["planned_peak_bytes"] = *result.plannedPeakBytes;
  if (!result.prepared->phases.empty())
    record["compile_ns"] = {{"total", sumOf(result.prepared->phases)},
                            {"wall", result.prepared->compileNs},
                            {"phases", toJson(result.prepared->phases)},
                            {"kernels", toJson(result.prepared->kernelCounts)}};
  if (!result.prepared->recomputation.steps.empty())
    record["recomputed"] = toJson(result.prepared->recomputation);
  if (result.profile)
    record["steps"] = toJson(*result.profile, options.file);
  for (const Check &check : checks)
    if (check.label == result.label)
      record["checks"].push_back(toJson(check));
  record.update(toJson(options.environment));
  return record;
}

Expected<Tier> chosenTier(const RunOptions &options) {
  const Tier tier =
      options.tier.empty() ? Tier::eager : *parseTier(options.tier);
  TANDEM_ASSIGN_OR_RETURN(Device * device, findDevice(options.device));
  TANDEM_RETURN_IF_ERROR(checkTier(tier, *device));
  if (tier == Tier::captured && !options.profile.empty())
    return fail("argument", "the steps of captured work cannot be timed",
                "--tier=compiled has the same steps");
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
  Context context{options, {}, {}, {}, {}, {}};
  TANDEM_ASSIGN_OR_RETURN(GraphWithInputs opened, openGraph(options));
  context.graph = std::move(opened.graph);
  context.inputs = std::move(opened.inputs);
  context.types = typesOf(context.inputs);
  context.bounds.precision = options.compile.precision;
  return context;
}

/// Finds what outputs --check expects. Returns false where ONNX Runtime
/// computes something else than the reference.
Expected<bool> expectOutputs(Context &context) {
  if (context.options.checked != "onnxruntime") {
    TANDEM_ASSIGN_OR_RETURN(context.expected,
                            evaluateWithBounds(*context.graph->eagerProgram(),
                                               context.inputs, context.bounds));
    return true;
  }
  if (context.graph->outputNames().empty())
    return fail("argument", "--check=onnxruntime is of ONNX models",
                "--check=steps is of all graphs");
  TANDEM_ASSIGN_OR_RETURN(
      PeerChecks peer,
      checkAgainstOnnxRuntime(context.options, context.inputs, context.bounds));
  std::printf("%s", format(peer, context.options.file).c_str());
  context.expected = std::move(peer.outputs);
  return peer.passed();
}

/// Writes the files that the options ask for.
Status writeFiles(const RunOptions &options, const TierResult &result,
                  bool isChosen) {
  if (result.profile && options.profile != "true")
    TANDEM_RETURN_IF_ERROR(
        writeText(options.profile,
                  jsonText(traceOf(*result.profile, options.file)) + "\n"));
  if (!isChosen)
    return {};
  if (!options.outDir.empty())
    TANDEM_RETURN_IF_ERROR(writeOutputs(options, result.outputs));
  if (!options.programFile.empty())
    TANDEM_RETURN_IF_ERROR(writeFileAtomically(
        options.programFile, serialize(*result.prepared->program)));
  if (!options.kernelReport.empty())
    TANDEM_RETURN_IF_ERROR(writeText(
        options.kernelReport,
        jsonText(describeKernels(*result.prepared, profileOf(result)), 2) +
            "\n"));
  return {};
}

/// Prints what --check found. Returns whether all is right.
bool printProfile(const RunOptions &options,
                  const std::vector<TierResult> &results,
                  const std::vector<Check> &checks) {
  std::printf("%s", formatChecks(checks).c_str());
  bool passed = std::all_of(checks.begin(), checks.end(),
                            [](const Check &check) { return check.passed(); });
  for (const TierResult &result : results) {
    if (result.steps) {
      std::printf("%s",
                  format(*result.steps, result.label, options.file).c_str());
      passed &= result.steps->divergences.empty();
    }
    passed &= checkMemory(result);
  }
  return passed;
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
  bool passed = true;
  if (options.check) {
    TANDEM_ASSIGN_OR_RETURN(passed, expectOutputs(context));
  }
  std::vector<TierResult> results;
  std::vector<Check> checks;
  for (Tier tier : tiers) {
    TANDEM_ASSIGN_OR_RETURN(TierResult result, runTier(context, tier));
    if (options.check && tier != Tier::reference)
      for (Check &check :
           compareOutputs(context.expected, result.outputs, result.label))
        checks.push_back(std::move(check));
    results.push_back(std::move(result));
  }
  std::string lines;
  for (const TierResult &result : results) {
    if (!options.check || (options.repeat && result.time.samples))
      printResult(context, result);
    lines += jsonText(recordOf(context, result, checks)) + "\n";
    TANDEM_RETURN_IF_ERROR(
        writeFiles(options, result, result.tier == name(chosen)));
  }
  if (options.check)
    passed &= printProfile(options, results, checks);
  if (!options.json.empty())
    TANDEM_RETURN_IF_ERROR(writeText(options.json, lines));
  return passed;
}

} // namespace tandem::tools
