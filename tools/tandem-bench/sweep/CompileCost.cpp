//===- CompileCost.cpp - What compiling one shape costs, by phase ---------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sweep/CompileCost.h"

#include "common/ArgSpec.h"
#include "common/ChildProcess.h"
#include "common/MeasurementJson.h"
#include "common/RunEnvironment.h"
#include "common/TemporaryFolder.h"

#include "tandem/Measure/Sampler.h"
#include "tandem/Runtime/Executor.h"
#include "tandem/Runtime/PhaseTimes.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace tandem::bench {
namespace {

using Clock = std::chrono::steady_clock;
using tandem::measure::nsSince;

/// Time that the first call takes beyond a settled one.
Expected<double> firstRunExcess(Executor &executor,
                                const std::vector<Tensor> &inputs) {
  double first = 0, settled = 0;
  for (int i = 0; i < 4; ++i) {
    std::vector<Tensor> outputs;
    auto start = Clock::now();
    TANDEM_RETURN_IF_ERROR(executor.run(inputs, outputs));
    TANDEM_RETURN_IF_ERROR(executor.stream().synchronize());
    double ns = nsSince(start);
    if (i == 0)
      first = ns;
    settled = i <= 1 ? ns : std::min(settled, ns);
  }
  return std::max(0.0, first - settled);
}

/// Samples per phase, phases in order of first appearance.
class PhaseSamples {
public:
  void add(const std::vector<PhaseTime> &phases, double wallNs,
           int64_t rearranged) {
    walls.push_back(wallNs);
    relayoutedBytes = rearranged;
    double total = 0;
    for (const PhaseTime &phase : phases) {
      find(phase.phase).push_back(phase.ns);
      total += phase.ns;
    }
    totals.push_back(total);
  }

  CompileCost summarize() const {
    CompileCost cost;
    cost.total = measure::summarize(totals);
    cost.wall = measure::summarize(walls);
    for (const auto &[name, samples] : byPhase)
      cost.phases.emplace_back(name, measure::summarize(samples));
    cost.relayoutedBytes = relayoutedBytes;
    return cost;
  }

private:
  std::vector<double> &find(const std::string &name) {
    for (auto &[phase, samples] : byPhase)
      if (phase == name)
        return samples;
    return byPhase.emplace_back(name, std::vector<double>()).second;
  }

  std::vector<std::pair<std::string, std::vector<double>>> byPhase;
  std::vector<double> totals, walls;
  int64_t relayoutedBytes = 0;
};

std::vector<std::string> childCommand(const CompileJob &job) {
  std::vector<std::string> words = {tools::executablePath(),
                                    "cold-compile",
                                    job.file,
                                    "--func=" + job.function,
                                    "--device=" + job.device,
                                    "--precision=" +
                                        std::string(name(job.precision))};
  if (job.threads > 0)
    words.push_back("--threads=" + std::to_string(job.threads));
  for (const TensorType &type : job.inputs)
    words.push_back("--dims=:" + type.shape.str());
  if (job.train.areSet())
    words.push_back("--train=" + job.train.optimizer);
  for (const std::string &parameter : job.train.parameters)
    words.push_back("--parameters=" + parameter);
  return words;
}

/// The phases of a child's compilation, added to `samples`.
Status parseChild(const std::string &output, PhaseSamples &samples) {
  auto json = nlohmann::ordered_json::parse(output, nullptr, false);
  if (!json.is_object())
    return fail("cold compile", "the child process printed no result");
  std::vector<PhaseTime> phases;
  for (const auto &phase : json["phases"])
    phases.push_back({phase[0].get<std::string>(), phase[1].get<double>()});
  samples.add(phases, json["wall"].get<double>(),
              json["rearranged_bytes"].get<int64_t>());
  return {};
}

} // namespace

Expected<TimedCompile> compileTimed(Compiler &compiler,
                                    const std::vector<Tensor> &inputs) {
  TimedCompile result;
  TANDEM_ASSIGN_OR_RETURN(result.prepared,
                          tools::compileTier(compiler, typesOf(inputs)));
  result.phases = result.prepared.phases;
  result.phases.push_back({"prepare", result.prepared.compileNs -
                                          result.prepared.wallNs -
                                          result.prepared.prebuiltNs});
  Executor &executor = *result.prepared.executor;
  TANDEM_ASSIGN_OR_RETURN(const std::vector<Tensor> there,
                          copyToDevice(inputs, executor.stream()));
  TANDEM_ASSIGN_OR_RETURN(double first, firstRunExcess(executor, there));
  result.phases.push_back({"first run", first});
  result.wallNs = result.prepared.compileNs + first;
  return result;
}

Expected<CompileCost> measureWarm(const Graph &graph,
                                  const CompileOptions &options,
                                  const std::vector<Tensor> &inputs,
                                  double budgetNs, int minRuns, int maxRuns) {
  PhaseSamples samples;
  auto start = Clock::now();
  for (int i = -1; i < maxRuns; ++i) { // The first warms up.
    if (i >= minRuns && nsSince(start) > budgetNs)
      break;
    // A compiler keeps what it has made of weights; to a new one they are new.
    TANDEM_ASSIGN_OR_RETURN(std::unique_ptr<Compiler> compiler,
                            graph.createCompiler(options));
    TANDEM_ASSIGN_OR_RETURN(TimedCompile compiled,
                            compileTimed(*compiler, inputs));
    if (i >= 0)
      samples.add(compiled.phases, compiled.wallNs,
                  compiled.prepared.relayoutedBytes);
  }
  return samples.summarize();
}

Expected<CompileCost> measureCold(const CompileJob &job, int runs) {
  PhaseSamples samples;
  for (int i = 0; i < runs; ++i) {
    TANDEM_ASSIGN_OR_RETURN(std::string output,
                            tools::runChild(childCommand(job)));
    TANDEM_RETURN_IF_ERROR(parseChild(output, samples));
  }
  return samples.summarize();
}

Expected<DiskCacheCost> measureDiskCache(const CompileJob &job, int runs) {
  PhaseSamples empty, found;
  for (int i = 0; i < runs; ++i) {
    const tools::TemporaryFolder folder;
    if (folder.path.empty())
      return fail("write", "cannot make a folder for temporary files");
    std::vector<std::string> command = childCommand(job);
    command.push_back("--cache-dir=" + folder.path);
    for (PhaseSamples *samples : {&empty, &found}) {
      TANDEM_ASSIGN_OR_RETURN(std::string output, tools::runChild(command));
      TANDEM_RETURN_IF_ERROR(parseChild(output, *samples));
    }
  }
  return DiskCacheCost{empty.summarize(), found.summarize()};
}

Status runColdChild(const CompileJob &job, const std::vector<std::string> &dims,
                    const std::string &cacheDir) {
  auto start = Clock::now();
  TANDEM_ASSIGN_OR_RETURN(std::unique_ptr<Graph> graph,
                          Graph::parseFile(job.file, job.function));
  double importNs = nsSince(start);
  std::vector<std::string> specs;
  for (const std::string &text : dims)
    specs.push_back(text == ":" ? "random" : "random" + text);
  TANDEM_ASSIGN_OR_RETURN(std::vector<Tensor> inputs,
                          tools::makeInputs(*graph->eagerProgram(), specs));
  std::optional<MeasuredStep> training;
  if (job.train.areSet()) {
    TANDEM_ASSIGN_OR_RETURN(
        training, makeMeasuredStep(*graph, typesOf(inputs), job.train));
    TANDEM_ASSIGN_OR_RETURN(const InputSets sets,
                            makeStepInputs(training->step, /*cacheBytes=*/0));
    inputs = sets[0];
    graph = std::move(training->step.graph);
  }
  CompileOptions options = job.options();
  // In a new process there are no kernels to be reused but those on disk.
  options.diskCache = !cacheDir.empty();
  options.kernelCache = !cacheDir.empty();
  options.cacheDir = cacheDir;
  // The compiler's own start is part of the cold cost.
  start = Clock::now();
  TANDEM_ASSIGN_OR_RETURN(std::unique_ptr<Compiler> compiler,
                          graph->createCompiler(options));
  double startNs = nsSince(start);
  TANDEM_ASSIGN_OR_RETURN(TimedCompile compiled,
                          compileTimed(*compiler, inputs));
  PhaseTimes times;
  times.add("import", importNs);
  if (training)
    times.add("differentiate", training->differentiateNs);
  times.add("start compiler", startNs); // Or its first part.
  times.add(compiled.phases);
  auto phases = nlohmann::ordered_json::array();
  for (const PhaseTime &phase : times.phases())
    phases.push_back({phase.phase, phase.ns});
  nlohmann::ordered_json result = {
      {"phases", std::move(phases)},
      {"wall", importNs + (training ? training->differentiateNs : 0) + startNs +
                   compiled.wallNs},
      {"rearranged_bytes", compiled.prepared.relayoutedBytes}};
  std::printf("%s\n", jsonText(result).c_str());
  return {};
}

} // namespace tandem::bench
