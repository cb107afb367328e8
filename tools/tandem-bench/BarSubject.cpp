//===- BarSubject.cpp - What speed bars have in common --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BarSubject.h"

#include <algorithm>

namespace tandem::bench {

using tandem::tools::Tier;

Expected<Subject> makeSubject(const BarsOptions &options,
                              std::unique_ptr<Graph> graph,
                              const measure::DimSizes &dims) {
  Subject subject;
  subject.graph = std::move(graph);
  const Program &program = *subject.graph->eagerProgram();
  TANDEM_ASSIGN_OR_RETURN(subject.types, measure::bindDims(program, dims));
  TANDEM_ASSIGN_OR_RETURN(subject.inputs,
                          InputSets::create(program, subject.types,
                                            options.environment.cacheBytes));
  TANDEM_ASSIGN_OR_RETURN(
      subject.eager,
      tools::prepareTier(*subject.graph, Tier::eager, subject.types));
  TANDEM_ASSIGN_OR_RETURN(
      subject.compiled,
      tools::prepareTier(*subject.graph, Tier::compiled, subject.types));
  TANDEM_RETURN_IF_ERROR(
      subject.eager.executor->run(subject.inputs[0], subject.outputs));
  return subject;
}

Expected<Subject> loadSubject(const BarsOptions &options,
                              const std::string &name,
                              const measure::DimSizes &dims) {
  TANDEM_ASSIGN_OR_RETURN(std::unique_ptr<Graph> graph, loadBarGraph(name));
  return makeSubject(options, std::move(graph), dims);
}

measure::Sampler::Call callOf(Subject &subject, tools::PreparedTier &tier) {
  return [&subject, executor = tier.executor.get()](size_t call) {
    return executor->run(subject.inputs[call], subject.outputs);
  };
}

measure::SamplerOptions samplerOptions(const BarsOptions &options) {
  measure::SamplerOptions result;
  result.budgetNs = options.seconds * 1e9;
  result.minSamples = 15;
  result.maxSamples = 2000;
  return result;
}

Expected<MoveSeries> addCopySeries(measure::Sampler &sampler,
                                   const Subject &subject, int64_t bytes,
                                   Targets &targets) {
  TANDEM_ASSIGN_OR_RETURN(targets, makeTargets(bytes / 2));
  return addMoveSeries(
      sampler, "copy",
      [&subject, bytes, &targets](size_t call, measure::Stores stores) {
        // Once more from the first input where they are fewer bytes than that;
        // none of the graphs has inputs of no bytes alone.
        for (int64_t done = 0; done < bytes / 2;)
          for (const Tensor &input : subject.inputs[call]) {
            int64_t part = std::min(input.bytes(), bytes / 2 - done);
            measure::copyOnAllThreads(targets[call] + done, input.data(),
                                      static_cast<size_t>(part), stores);
            done += part;
          }
      });
}

double medianRatio(const measure::Summary &a, const measure::Summary &b) {
  return a.median / std::max(b.median, 1.0);
}

Bar ratioBar(std::string what, const Named &first, const Named &second,
             double bar, bool atMost) {
  return {std::move(what),
          medianRatio(first.second, second.second),
          bar,
          atMost,
          "x",
          {first, second}};
}

} // namespace tandem::bench
