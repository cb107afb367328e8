//===- EmbeddingBars.cpp - Tandem within another program ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sweep/BenchmarkGraph.h"

#include "common/ChildProcess.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <sstream>

namespace tandem::bench {
namespace {

using measure::Summary;

constexpr int64_t kBatch = 32;
/// Each side is measured so often, in turns, and its best is taken: other load
/// adds to either alone.
constexpr int kRounds = 6;

/// Medians of a call, in ns.
struct Medians {
  double eager = std::numeric_limits<double>::max(), compiled = eager;
  void add(const Medians &other) {
    eager = std::min(eager, other.eager);
    compiled = std::min(compiled, other.compiled);
  }
};

/// By test/Examples/simplecnn.cpp, a program of its own.
Expected<Medians> measureEmbedded(double seconds) {
  std::filesystem::path program = tools::executablePath();
  program.replace_filename("example-simplecnn");
  TANDEM_ASSIGN_OR_RETURN(
      std::string output,
      tools::runChild({program, tools::sharePath("graphs/simplecnn.mlir"),
                       std::to_string(kBatch), std::to_string(seconds)}));
  Medians medians;
  std::istringstream lines(output);
  std::string eager, compiled;
  if (!(lines >> eager >> medians.eager >> compiled >> medians.compiled) ||
      eager != "eager" || compiled != "compiled")
    return fail("bars", "example-simplecnn prints '" + output + "'");
  return medians;
}

/// The same here, one tier after the other as there.
Expected<Medians> measureHere(const BarsOptions &options,
                              BenchmarkGraph &benchmark) {
  Medians medians;
  for (auto [tier, median] :
       {std::pair(&benchmark.eager, &medians.eager),
        std::pair(&benchmark.compiled, &medians.compiled)}) {
    measure::Sampler sampler(samplerOptions(options));
    sampler.add("call",
                [&benchmark, executor = (*tier)->executor.get()](size_t) {
                  return executor->run(benchmark.inputs[0], benchmark.outputs);
                });
    TANDEM_ASSIGN_OR_RETURN(std::vector<Summary> times, sampler.run());
    *median = times[0].median;
  }
  return medians;
}

} // namespace

Status addEmbeddingBars(const BarsOptions &options, Bars &bars) {
  TANDEM_ASSIGN_OR_RETURN(
      BenchmarkGraph benchmark,
      loadBenchmarkGraph(options, "simplecnn", {{"N", kBatch}}));
  Medians embedded, here;
  for (int round = 0; round < kRounds; ++round) {
    TANDEM_ASSIGN_OR_RETURN(Medians there, measureEmbedded(options.seconds));
    embedded.add(there);
    TANDEM_ASSIGN_OR_RETURN(Medians own, measureHere(options, benchmark));
    here.add(own);
  }
  auto add = [&](const std::string &tier, double there, double own) {
    bars.push_back({"simplecnn b" + std::to_string(kBatch) + " " + tier +
                        ": embedded / tandem-bench",
                    there / own,
                    1.05,
                    true,
                    "x",
                    {}});
  };
  add("eager", embedded.eager, here.eager);
  add("compiled", embedded.compiled, here.compiled);
  return {};
}

} // namespace tandem::bench
