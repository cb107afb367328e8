//===- ShapeMeasurement.cpp - Everything measured of one shape ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sweep/ShapeMeasurement.h"

#include "sweep/SavedState.h"

#include "tandem/Measure/Sampler.h"

#include <algorithm>

namespace tandem::bench {
namespace {

using tandem::tools::PreparedPtr;
using tandem::tools::Tier;

/// The executors that are compared with one another.
struct Executors {
  PreparedPtr eager, compiled, eagerDispatch, compiledDispatch;
  /// The captured tier; null if the device has no such tier.
  PreparedPtr captured;
};

Expected<Executors> prepareExecutors(const Graph &graph, const CompileJob &job,
                                     std::span<const TensorType> inputs) {
  tools::GraphTiers tiers(graph, job.options()),
      dispatch(graph, job.options(), /*dispatchOnly=*/true);
  Executors executors;
  TANDEM_ASSIGN_OR_RETURN(executors.eager, tiers.prepare(inputs, Tier::eager));
  TANDEM_ASSIGN_OR_RETURN(executors.compiled,
                          tiers.prepare(inputs, Tier::compiled));
  if (checkTier(Tier::captured, executors.eager->executor->stream().device())) {
    TANDEM_ASSIGN_OR_RETURN(executors.captured,
                            tiers.prepare(inputs, Tier::captured));
  }
  TANDEM_ASSIGN_OR_RETURN(executors.eagerDispatch,
                          dispatch.prepare(inputs, Tier::eager));
  TANDEM_ASSIGN_OR_RETURN(executors.compiledDispatch,
                          dispatch.prepare(inputs, Tier::compiled));
  return executors;
}

/// With new kernels, then with every kernel known.
Status measureWarmCosts(const Graph &graph, const MeasureOptions &options,
                        const CompileJob &job,
                        const std::vector<Tensor> &inputs,
                        ShapeMeasurement &result) {
  for (CompileCost *cost : {&result.warm, &result.cached}) {
    CompileOptions compile = job.options();
    compile.kernelCache = cost == &result.cached;
    TANDEM_ASSIGN_OR_RETURN(*cost, measureWarm(graph, compile, inputs,
                                               0.25 * options.seconds * 1e9));
  }
  return {};
}

Status runEagerOnce(const Graph &graph, const std::string &device,
                    const std::vector<Tensor> &inputs) {
  CompileOptions options;
  options.device = device;
  TANDEM_ASSIGN_OR_RETURN(
      PreparedPtr eager,
      tools::GraphTiers(graph, options).prepare(typesOf(inputs), Tier::eager));
  std::vector<Tensor> outputs;
  return eager->executor->run(inputs, outputs);
}

/// e, c, both dispatch times, and that of captured work, in alternation. Each
/// sample begins with the first state: after hundreds of steps the moments of
/// zero gradients would be subnormal, and slow.
Status sampleSteady(Executors &executors, const InputSets &inputs,
                    double seconds, ShapeMeasurement &result) {
  measure::SamplerOptions options;
  options.budgetNs = seconds * 1e9;
  measure::Sampler sampler(options);
  const Executor &eager = *executors.eager->executor;
  Stream &stream = eager.stream();
  TANDEM_ASSIGN_OR_RETURN(const SavedState state,
                          SavedState::save(eager.program(), inputs, stream));
  Status restored;
  std::vector<Tensor> outputs;
  std::vector<PreparedPtr> tiers = {executors.eager, executors.compiled,
                                    executors.eagerDispatch,
                                    executors.compiledDispatch};
  std::vector<measure::Summary *> summaries = {&result.eager, &result.compiled,
                                               &result.eagerDispatch,
                                               &result.compiledDispatch};
  if (executors.captured) {
    tiers.push_back(executors.captured);
    summaries.push_back(&result.captured.emplace());
  }
  for (const PreparedPtr &tier : tiers)
    sampler.add(
        "",
        [&, executor = tier->executor.get()](size_t call) -> Status {
          TANDEM_RETURN_IF_ERROR(restored);
          TANDEM_RETURN_IF_ERROR(executor->runInPlace(inputs[call], outputs));
          return executor->stream().synchronize();
        },
        [&] { restored = state.restore(stream); });
  TANDEM_ASSIGN_OR_RETURN(std::vector<measure::Summary> figures, sampler.run());
  for (size_t i = 0; i < figures.size(); ++i)
    *summaries[i] = figures[i];
  if (executors.captured && executors.captured->executor->captureFailure())
    result.captured.reset();
  return {};
}

Status measurePeaks(Executors &executors, const std::vector<Tensor> &inputs,
                    ShapeMeasurement &result) {
  std::vector<Tensor> outputs;
  Executor &compiled = *executors.compiled->executor;
  result.plannedPeakBytes = compiled.plannedPeakBytes();
  TANDEM_RETURN_IF_ERROR(
      compiled.runInPlace(inputs, outputs, &result.compiledPeakBytes));
  return executors.eager->executor->runInPlace(inputs, outputs,
                                               &result.eagerPeakBytes);
}

/// The graph that is measured: the graph of the file, or its training step.
struct Subject {
  const Graph *graph = nullptr;
  std::optional<MeasuredStep> training;
  InputSets inputs;
};

Expected<Subject> makeSubject(const Graph &graph,
                              const std::vector<TensorType> &types,
                              const MeasureOptions &options) {
  Subject subject;
  if (!options.train.areSet()) {
    subject.graph = &graph;
    TANDEM_ASSIGN_OR_RETURN(
        subject.inputs,
        InputSets::create(*graph.eagerProgram(), types, options.cacheBytes));
    return subject;
  }
  TANDEM_ASSIGN_OR_RETURN(subject.training,
                          makeMeasuredStep(graph, types, options.train));
  subject.graph = subject.training->step.graph.get();
  TANDEM_ASSIGN_OR_RETURN(subject.inputs, makeStepInputs(subject.training->step,
                                                         options.cacheBytes));
  return subject;
}

/// Fills in what follows from the measured times.
void judge(ShapeMeasurement &result) {
  result.verdict = measure::judge(result.eager, result.compiled);
  result.breakEven = measure::breakEvenCalls(
      result.warm.total.median, result.eager.median, result.compiled.median);
  result.breakEvenCold = measure::breakEvenCalls(
      result.cold.total.median, result.eager.median, result.compiled.median);
}

} // namespace

Expected<ShapeMeasurement> measureShape(const Graph &graph,
                                        const measure::DimSizes &dims,
                                        const MeasureOptions &options,
                                        const Progress &progress) {
  ShapeMeasurement result;
  result.dims = dims;
  TANDEM_ASSIGN_OR_RETURN(std::vector<TensorType> types,
                          measure::bindDims(*graph.eagerProgram(), dims));
  progress("inputs");
  TANDEM_ASSIGN_OR_RETURN(Device * device, findDevice(options.device));
  TANDEM_ASSIGN_OR_RETURN(const Subject subject,
                          makeSubject(graph, types, options));
  if (subject.training)
    result.differentiateNs = subject.training->differentiateNs;
  TANDEM_ASSIGN_OR_RETURN(InputSets inputs,
                          subject.inputs.placed(device->defaultStream()));
  result.inputs = typesOf(inputs[0]);
  result.inputSets = inputs.size();
  // What cannot run at all is found here, with the op's location.
  TANDEM_RETURN_IF_ERROR(
      runEagerOnce(*subject.graph, options.device, inputs[0]));
  const CompileJob job{options.file,    options.function, options.device,
                       options.threads, std::move(types), options.precision,
                       options.train};
  progress("compiling, cold");
  TANDEM_ASSIGN_OR_RETURN(result.cold, measureCold(job, options.coldRuns));
  if (options.withDiskCache) {
    progress("compiling, with the cache on disk");
    TANDEM_ASSIGN_OR_RETURN(result.disk,
                            measureDiskCache(job, options.coldRuns));
  }
  // Before there are programs, which hold the weights that are packed for them.
  progress("compiling, warm");
  TANDEM_RETURN_IF_ERROR(
      measureWarmCosts(*subject.graph, options, job, inputs[0], result));
  progress("eager and compiled calls");
  TANDEM_ASSIGN_OR_RETURN(Executors executors,
                          prepareExecutors(*subject.graph, job, result.inputs));
  TANDEM_RETURN_IF_ERROR(
      sampleSteady(executors, inputs, options.seconds, result));
  TANDEM_RETURN_IF_ERROR(measurePeaks(executors, inputs[0], result));
  const auto &steps = executors.compiled->program->steps;
  result.eagerSteps = subject.graph->eagerProgram()->steps.size();
  result.compiledSteps = steps.size();
  result.kernels = static_cast<size_t>(std::ranges::count_if(
      steps, [](const auto &step) { return step->kernel >= 0; }));
  judge(result);
  return result;
}

} // namespace tandem::bench
