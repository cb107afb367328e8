//===- Contest.h - One contraction, run every way ---------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_CONTEST_H
#define TANDEM_TOOLS_TANDEM_BENCH_CONTEST_H

#include "LibraryCall.h"

#include "common/Environment.h"
#include "common/Tiers.h"

#include "tandem/Measure/Statistics.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tandem::bench {

/// A graph of one contraction with constant weights, and how oneDNN is asked
/// for the same.
struct Contender {
  /// Where it is from, and its name there.
  std::string list, name;
  double flops = 0;
  TensorType input, weights;
  /// The text of a function @main of one input. `hex` are the weights' bytes.
  std::function<std::string(const std::string &hex)> source;
  std::function<Expected<LibraryCall>(Formats, const Tensor &)> library;
};

/// What the contest of one contraction has shown. Times in ns per call, taken
/// in alternation.
struct ContestResult {
  std::string list, name;
  double flops = 0;
  TensorType input, weights;
  /// The compiled tier with its contractions generated: without Winograd's
  /// method, and with it, where it is possible. None where there is no kernel
  /// for this one.
  std::optional<measure::Summary> direct, winograd;
  /// The one of them that ContestOptions::winograd takes.
  std::optional<measure::Summary> generated;
  /// The same on one thread, where there are several.
  std::optional<measure::Summary> oneThread;
  /// oneDNN by itself: Formats::ownWeights, plain and own; none where it has
  /// nothing.
  std::optional<measure::Summary> blocked, plain, own;
  /// The compiled tier as it comes. Where it chooses the generated kernel,
  /// this is `generated`: one program, measured once.
  measure::Summary chosen;
  bool choseGenerated = false;
  /// Whether `generated` is `winograd`.
  bool isWinograd = false;
  /// The better of generated and blocked over what the compiled tier chooses, 1
  /// being the best there is: medians of the ratios of the single rounds.
  double chosenOverBest = 1;
  /// What the model says of both; ns, 0 where it has nothing to compare.
  double predictedGeneratedNs = 0, predictedLibraryNs = 0;
  /// Multiply-adds in registers, of this type: flops per ns of this moment.
  double peakFlopsPerNs = 0;
  /// Copying as many bytes as the operands and the result have; ns.
  double copyNs = 0;
  /// oneDNN's implementation with blocked weights.
  std::string implementation;
  /// C of what is chosen, warm; ns.
  double compileNs = 0;
  /// Why there are no figures; empty on success.
  std::string error;

  /// The host's own limit over the time of what is chosen: the longer of its
  /// multiply-adds in registers and of moving its bytes. Above 1 where
  /// Winograd's method takes fewer.
  double shareOfLimit() const;
  /// Time of `other` over that of the generated kernel: 1 and more is good.
  std::optional<double>
  over(const std::optional<measure::Summary> &other) const;
  /// How many times faster all threads are than one.
  std::optional<double> scaling() const;
  /// Predicted over measured.
  std::optional<double> generatedError() const;
  std::optional<double> libraryError() const;
  double flopsPerNs(const measure::Summary &time) const {
    return flops / time.median;
  }
};

struct ContestOptions {
  /// For the figures of one contraction.
  double seconds = 0.3;
  /// How the compiled tier chooses.
  Contractions contractions = Contractions::predict;
  Winograd winograd = CompileOptions().winograd;
  std::string json;
  tools::Environment environment;
};

/// Checks each program's result against eager, then times all. A result that
/// differs, or a failure, is an `error` in the result.
ContestResult runContest(const Contender &contender,
                         const ContestOptions &options);

/// The table, the geometric mean of each list and of all, and the worst.
std::string formatContests(const std::vector<ContestResult> &results);

/// One line of JSON for each.
std::string contestLines(const std::string &tool,
                         const std::vector<ContestResult> &results,
                         const ContestOptions &options);

/// The geometric mean of `ratio` over the results that have it; 0 for none.
double geometricMean(
    const std::vector<ContestResult> &results,
    const std::function<std::optional<double>(const ContestResult &)> &ratio);

/// Runs all, reporting progress on standard error, prints the table and writes
/// the JSON. False where one could not be measured.
Expected<bool> runContests(const std::string &tool,
                           const std::vector<Contender> &contenders,
                           const ContestOptions &options);

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_CONTEST_H
