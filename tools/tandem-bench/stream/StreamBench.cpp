//===- StreamBench.cpp - Policies on streams of calls ---------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "stream/StreamTrial.h"

#include "common/Format.h"
#include "common/MeasurementJson.h"
#include "common/Tiers.h"
#include "stream/CoreSlices.h"
#include "sweep/CompileCost.h"

#include "tandem/Measure/Sampler.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>

namespace tandem::bench {
namespace {

using tiering::PolicyOptions;
using tiering::ReplayMachine;

//===----------------------------------------------------------------------===//
// Signatures
//===----------------------------------------------------------------------===//

/// e and c, in alternation, with the rotating inputs that streams have.
Status sampleCalls(const Graph &graph, const InputSets &inputs,
                   const CompileOptions &options, SignatureCosts &costs) {
  measure::SamplerOptions sampling;
  sampling.budgetNs = 0.2e9;
  measure::Sampler sampler(sampling);
  std::vector<Tensor> outputs;
  tools::GraphTiers tiers(graph, options);
  std::vector<tools::PreparedPtr> prepared;
  for (Tier tier : {Tier::eager, Tier::compiled}) {
    TANDEM_ASSIGN_OR_RETURN(prepared.emplace_back(),
                            tiers.prepare(typesOf(inputs[0]), tier));
  }
  for (const tools::PreparedPtr &tier : prepared)
    sampler.add("", [&, executor = tier->executor.get()](size_t call) {
      return executor->run(inputs[call], outputs);
    });
  TANDEM_ASSIGN_OR_RETURN(auto figures, sampler.run());
  costs.eagerNs = figures[0].median;
  costs.compiledNs = figures[1].median;
  return {};
}

Expected<SignatureCosts> measureSignature(const StreamBench &bench, size_t s) {
  CompileOptions options;
  options.device = bench.subject.device;
  options.kernelCache = false;
  const InputSets &inputs = bench.subject.inputs[s];
  SignatureCosts costs;
  TANDEM_ASSIGN_OR_RETURN(
      CompileCost compile,
      measureWarm(*bench.graph, options, inputs[0], 0.2e9, 3, 11));
  costs.compileNs = compile.total.median;
  TANDEM_RETURN_IF_ERROR(sampleCalls(*bench.graph, inputs, options, costs));
  TANDEM_ASSIGN_OR_RETURN(std::shared_ptr<Compiler> compiler,
                          bench.graph->createCompiler(options));
  const Prediction prediction = compiler->predict(bench.subject.types[s]);
  costs.predictedCompileNs = prediction.compileNs;
  costs.predictedCompiledNs = prediction.compiledNs;
  costs.predictedEagerNs = prediction.eagerNs;
  return costs;
}

/// Makes the inputs of signatures and measures their costs.
Status addSignatures(StreamBench &bench,
                     const std::vector<measure::DimSizes> &dims) {
  StreamBenchmark &subject = bench.subject;
  for (const measure::DimSizes &sizes : dims) {
    bench.dims.push_back(sizes);
    const Program &program = *bench.graph->eagerProgram();
    TANDEM_ASSIGN_OR_RETURN(subject.types.emplace_back(),
                            measure::bindDims(program, sizes));
    TANDEM_ASSIGN_OR_RETURN(
        subject.inputs.emplace_back(),
        InputSets::create(program, subject.types.back(),
                          bench.options.environment.cacheBytes));
    TANDEM_ASSIGN_OR_RETURN(bench.costs.emplace_back(),
                            measureSignature(bench, subject.types.size() - 1));
  }
  return {};
}

//===----------------------------------------------------------------------===//
// The command
//===----------------------------------------------------------------------===//

/// A kind of stream, or a trace.
struct Shapes {
  std::string name;
  std::optional<StreamTrace> trace;
};

Expected<Shapes> parseShapes(const std::string &name) {
  if (std::ranges::count(streamKinds(), name) > 0)
    return Shapes{name, std::nullopt};
  std::ifstream file(name);
  if (!file) {
    std::string kinds;
    for (std::string_view kind : streamKinds())
      kinds += std::string(kind) + ", ";
    return fail("stream", "'" + name + "' is no kind of stream and no file",
                "there are " + kinds + "and files of JSON lines");
  }
  std::ostringstream text;
  text << file.rdbuf();
  TANDEM_ASSIGN_OR_RETURN(StreamTrace trace, parseTrace(text.str()));
  return Shapes{name, std::move(trace)};
}

/// The calls of a trace, by the bench's signatures, which it adds to.
Expected<CallStream> bindTrace(StreamBench &bench, const StreamTrace &trace) {
  std::vector<size_t> places;
  for (const measure::DimSizes &sizes : trace.signatures) {
    auto known = std::ranges::find(bench.dims, sizes);
    places.push_back(static_cast<size_t>(known - bench.dims.begin()));
    if (known == bench.dims.end())
      TANDEM_RETURN_IF_ERROR(addSignatures(bench, {sizes}));
  }
  CallStream calls = trace.calls;
  for (StreamCall &call : calls)
    call.signature = places[call.signature];
  return calls;
}

Status makeBench(StreamBench &bench) {
  const StreamOptions &options = bench.options;
  TANDEM_ASSIGN_OR_RETURN(bench.graph,
                          Graph::parseFile(options.file, options.function));
  for (const std::string &name : options.policies) {
    TANDEM_ASSIGN_OR_RETURN(bench.policies.emplace_back(), parsePolicy(name));
  }
  bench.subject.graph = bench.graph.get();
  bench.subject.device = options.device;
  bench.subject.threads = options.threads;
  bench.subject.compileThreads = options.compileThreads;
  bench.hasSpareCore = options.environment.cores > options.threads;
  bench.machine = bench.hasSpareCore
                      ? ReplayMachine::spareCore()
                      : ReplayMachine::sharedCore(measureSliceNs());
  return {};
}

std::string coresOf(const StreamBench &bench) {
  if (bench.hasSpareCore)
    return "a core is spare for compiling";
  return "no core is spare for compiling; threads take turns of " +
         tools::formatTime(bench.machine.tickNs);
}

/// Measures the signatures of --vary, if a kind of stream is asked for.
Status addVaried(StreamBench &bench, const std::vector<Shapes> &shapes) {
  if (std::ranges::all_of(
          shapes, [](const Shapes &one) { return one.trace.has_value(); }))
    return {};
  std::vector<measure::DimRange> ranges;
  if (!bench.options.vary.empty()) {
    TANDEM_ASSIGN_OR_RETURN(ranges, measure::parseVary(bench.options.vary));
  }
  TANDEM_ASSIGN_OR_RETURN(std::vector<measure::DimSizes> dims,
                          measure::cartesianProduct(ranges));
  return addSignatures(bench, dims);
}

/// The streams of one kind, one for each length.
Expected<std::vector<std::pair<double, CallStream>>>
streamsOf(StreamBench &bench, const Shapes &shapes) {
  if (shapes.trace) {
    TANDEM_ASSIGN_OR_RETURN(CallStream calls, bindTrace(bench, *shapes.trace));
    return std::vector{std::pair{0.0, std::move(calls)}};
  }
  std::vector<double> lengths = {0};
  if (hasLength(shapes.name))
    lengths = bench.options.lengths;
  PolicyOptions policy;
  policy.compileThreads = static_cast<unsigned>(bench.options.compileThreads);
  std::vector<std::pair<double, CallStream>> streams;
  for (double length : lengths)
    streams.emplace_back(length,
                         makeStream(shapes.name, bench.costs, length,
                                    bench.machine, policy, bench.options.seed));
  return streams;
}

Status writeLines(const StreamOptions &options,
                  const std::vector<StreamFigures> &figures) {
  if (options.json.empty())
    return {};
  std::string lines;
  for (const StreamFigures &stream : figures)
    for (const nlohmann::ordered_json &record : toRecords(options, stream))
      lines += jsonText(record) + "\n";
  return tools::writeText(options.json, lines);
}

} // namespace

Status runStreams(StreamOptions options) {
  if (options.threads == 0)
    options.threads =
        std::max(1, options.environment.cores - options.compileThreads);
  setNumThreads(options.threads);
  options.environment.threads = options.threads;
  setCompileThreads(options.compileThreads);
  StreamBench bench{options, {}, {}, {}, {}, {}, false, {}};
  TANDEM_RETURN_IF_ERROR(makeBench(bench));
  std::vector<Shapes> shapes;
  for (const std::string &name : options.shapes) {
    TANDEM_ASSIGN_OR_RETURN(shapes.emplace_back(), parseShapes(name));
  }
  TANDEM_RETURN_IF_ERROR(addVaried(bench, shapes));
  std::printf("%s%s\n", tools::headingOf(options.environment).c_str(),
              coresOf(bench).c_str());
  std::vector<StreamFigures> all;
  for (const Shapes &one : shapes) {
    TANDEM_ASSIGN_OR_RETURN(auto streams, streamsOf(bench, one));
    for (auto &[length, stream] : streams) {
      if (!options.writeTrace.empty())
        TANDEM_RETURN_IF_ERROR(tools::writeText(
            options.writeTrace, printTrace({bench.dims, stream})));
      TANDEM_ASSIGN_OR_RETURN(
          StreamFigures figures,
          measureStream(bench, std::move(stream), one.name));
      figures.kind = one.name;
      figures.length = length;
      std::printf("\n%s", formatStream(figures).c_str());
      std::fflush(stdout);
      all.push_back(std::move(figures));
      // After each, so that an interrupted run leaves what it has.
      TANDEM_RETURN_IF_ERROR(writeLines(options, all));
    }
  }
  std::printf("\n%s", formatSummary(all).c_str());
  return {};
}

} // namespace tandem::bench
