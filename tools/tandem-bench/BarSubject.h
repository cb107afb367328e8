//===- BarSubject.h - What speed bars have in common ------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_BARSUBJECT_H
#define TANDEM_TOOLS_TANDEM_BENCH_BARSUBJECT_H

#include "Bars.h"
#include "InputSets.h"
#include "MoveSeries.h"

#include "tandem/Measure/Vary.h"

namespace tandem::bench {

/// A graph on one shape, with all that its bars compare. Inputs rotate as
/// InputSets has it.
struct Subject {
  std::unique_ptr<Graph> graph;
  std::vector<TensorType> types;
  InputSets inputs;
  tools::PreparedTier eager, compiled;
  /// Of the last call.
  std::vector<Tensor> outputs;
};

/// Compiles, and runs eager once to fill `outputs`. Errors where a program
/// cannot be made.
Expected<Subject> makeSubject(const BarsOptions &options,
                              std::unique_ptr<Graph> graph,
                              const measure::DimSizes &dims);
/// The same, of a graph of share/tandem/graphs.
Expected<Subject> loadSubject(const BarsOptions &options,
                              const std::string &name,
                              const measure::DimSizes &dims);

/// A call of `tier`, which is one of the subject's.
measure::Sampler::Call callOf(Subject &subject, tools::PreparedTier &tier);

measure::SamplerOptions samplerOptions(const BarsOptions &options);

/// Adds series that read `bytes` / 2 bytes of the subject's inputs, as they
/// follow each other, and write as many: what moving `bytes` takes.
Expected<MoveSeries> addCopySeries(measure::Sampler &sampler,
                                   const Subject &subject, int64_t bytes,
                                   Targets &targets);

/// Ratio of medians.
double medianRatio(const measure::Summary &a, const measure::Summary &b);

/// `first` over `second`, with both spreads.
Bar ratioBar(std::string what, const Named &first, const Named &second,
             double bar, bool atMost);

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_BARSUBJECT_H
