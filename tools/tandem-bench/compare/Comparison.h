//===- Comparison.h - Comparing the ways to compute -------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_COMPARE_COMPARISON_H
#define TANDEM_TOOLS_TANDEM_BENCH_COMPARE_COMPARISON_H

#include "bars/OneDNNPrimitive.h"
#include "compare/InputSets.h"

#include "common/RunEnvironment.h"
#include "common/Tiers.h"

#include "tandem/Measure/Statistics.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tandem::bench {

/// A comparison case: a graph of one contraction with constant weights, and the
/// same computation by oneDNN alone.
struct ComparisonCase {
  /// The list that it is from, and its name in that list.
  std::string list, name;
  double flops = 0;
  TensorType input, weights;
  /// The MLIR text of a function @main of one input. `hex` are the bytes of the
  /// weights.
  std::function<std::string(const std::string &hex)> source;
  /// Empty where the graph does more than the contraction.
  std::function<Expected<OneDNNPrimitive>(Formats, const Tensor &)> library;
};

/// The result of comparing the ways to compute one contraction. Times are in
/// nanoseconds per call, and were measured in alternation.
struct ComparisonResult {
  std::string list, name;
  double flops = 0;
  TensorType input, weights;
  /// The compiled tier with a generated kernel, by each of kernelMethods().
  /// None where there is no such kernel.
  std::vector<std::optional<measure::Summary>> methods;
  /// The one of these that ComparisonOptions::targetOptions selects.
  std::optional<measure::Summary> generated;
  /// The same on one thread, if several threads are measured.
  std::optional<measure::Summary> oneThread;
  /// oneDNN alone, with Formats::ownWeights, plain and own. None where it has
  /// no implementation.
  std::optional<measure::Summary> blocked, plain, own;
  /// The eager tier.
  measure::Summary eager;
  /// The compiled tier with its own choice. Where it chooses the generated
  /// kernel, this is the measurement in `generated`, because it is the same
  /// program.
  measure::Summary chosen;
  bool choseGenerated = false;
  /// The number of the method of `generated`.
  size_t method = 0;
  /// The time of the better of `generated` and `blocked` over that of the
  /// compiled tier's choice: 1 if the choice was the best. It is the median of
  /// the ratios in the single rounds.
  double chosenOverBest = 1;
  /// The time of the compiled tier's choice over the eager tier's: above 1
  /// where compiling makes the contraction slower. The median, as above.
  double chosenOverEager = 1;
  /// The times that the cost model predicts for a generated kernel and for the
  /// library, in nanoseconds; 0 where it does not compare them.
  double predictedGeneratedNs = 0, predictedLibraryNs = 0;
  /// The arithmetic peak at the time of the measurement, for this element type,
  /// in operations per nanosecond.
  double peakFlopsPerNs = 0;
  /// The time of copying as many bytes as the operands and the result have, in
  /// nanoseconds.
  double copyNs = 0;
  /// The name of oneDNN's implementation with blocked weights.
  std::string implementation;
  /// The warm compile cost of the compiled tier's choice, in nanoseconds.
  double compileNs = 0;
  /// The reason why there are no figures; empty on success.
  std::string error;

  /// The least time that the host allows over the time of the compiled tier's
  /// choice. The least time is the longer of those of the multiply-adds at peak
  /// speed and of moving the bytes. The share may exceed 1 with a method that
  /// takes fewer multiply-adds.
  double shareOfLimit() const;
  /// The time of `other` over that of the generated kernel; above 1 if the
  /// kernel is faster.
  std::optional<double>
  over(const std::optional<measure::Summary> &other) const;
  /// Whether the compiled tier takes over 1.05 times as long as the eager tier,
  /// and more than a microsecond longer.
  bool isSlowerThanEager() const;
  /// The speed-up of all threads over one thread.
  std::optional<double> scaling() const;
  /// The predicted time over the measured time.
  std::optional<double> generatedError() const;
  std::optional<double> libraryError() const;
  double flopsPerNs(const measure::Summary &time) const {
    return flops / time.median;
  }
};

/// How contractions are compared.
struct ComparisonOptions {
  /// The time for measuring one contraction, in seconds.
  double seconds = 0.3;
  /// The options of the default target with which the compiled tier chooses.
  TargetOptions targetOptions;
  DataSource data = DataSource::memory;
  std::string json;
  tools::RunEnvironment environment;
};

/// Compares the ways to compute one contraction. First checks each program's
/// result against the eager tier's, then times all. A failure, or a result that
/// differs, is reported in ComparisonResult::error.
ComparisonResult runComparison(const ComparisonCase &comparisonCase,
                               const ComparisonOptions &options);

/// Formats a table of the results, with the geometric mean of each list and of
/// all, and the worst cases.
std::string formatComparisons(const std::vector<ComparisonResult> &results);

/// The results as JSON lines.
std::string comparisonLines(const std::string &tool,
                            const std::vector<ComparisonResult> &results,
                            const ComparisonOptions &options);

/// The geometric mean of `ratio` over the results for which it has a value; 0
/// if there are none.
double geometricMean(
    const std::vector<ComparisonResult> &results,
    const std::function<std::optional<double>(const ComparisonResult &)>
        &ratio);

/// Runs all comparisons, shows the progress on standard error, prints the table
/// and writes the JSON file. Returns false where a contraction could not be
/// measured.
Expected<bool> runComparisons(const std::string &tool,
                              const std::vector<ComparisonCase> &cases,
                              const ComparisonOptions &options);

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_COMPARE_COMPARISON_H
