//===- TierComparison.cpp - Where the compiled tier loses to eager --------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compare/TierComparison.h"

#include "common/Format.h"
#include "common/MeasurementJson.h"
#include "common/ProgressLine.h"
#include "common/Regex.h"
#include "common/Tiers.h"
#include "compare/InputSets.h"
#include "compare/TierCases.h"

#include "tandem/Measure/Sampler.h"
#include "tandem/Measure/Vary.h"
#include "tandem/Measure/WorkerPlaces.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tandem::bench {
namespace {

using measure::Summary;
using tools::Tier;

constexpr double kMaxRatio = 1.05, kMaxMoreNs = 500;

struct TierResult {
  std::string name;
  int threads = 1;
  std::vector<TensorType> inputs;
  Summary eager, compiled;
  /// Compiled over eager, the median of single rounds.
  double ratio = 1;

  bool isSlower() const {
    return ratio > kMaxRatio && compiled.median - eager.median > kMaxMoreNs;
  }
};

Expected<std::vector<TierCase>>
selectCases(const TierComparisonOptions &options) {
  std::vector<TierCase> cases;
  if (options.random.empty()) {
    cases = makeOpCases();
  } else {
    unsigned long long seed = 0;
    int count = 0;
    char rest = 0;
    if (options.random.starts_with('-') ||
        std::sscanf(options.random.c_str(), "%llu:%d%c", &seed, &count,
                    &rest) != 2 ||
        count < 1)
      return fail("tiers", "'" + options.random + "' is not SEED:COUNT");
    cases = makeRandomCases(seed, count);
  }
  TANDEM_ASSIGN_OR_RETURN(const std::regex filter,
                          tools::parseRegex("tiers", options.filter));
  std::erase_if(cases, [&](const TierCase &each) {
    return !std::regex_search(each.name, filter);
  });
  if (cases.empty())
    return fail("tiers", "no case matches '" + options.filter + "'");
  return cases;
}

/// Takes the case's times once more, within `seconds`.
Status sampleTiers(TierResult &result, const InputSets &inputs,
                   const tools::PreparedPtr &eager,
                   const tools::PreparedPtr &compiled, double seconds) {
  measure::SamplerOptions options;
  options.budgetNs = seconds * 1e9;
  measure::Sampler sampler(options);
  std::vector<Tensor> outputs;
  auto add = [&](const char *name, const tools::PreparedPtr &tier) {
    return sampler.add(
        name,
        [&](size_t call) { return tier->executor->run(inputs[call], outputs); },
        measure::keepWorkersAway);
  };
  size_t first = add("eager", eager), second = add("compiled", compiled);
  TANDEM_ASSIGN_OR_RETURN(std::vector<Summary> times, sampler.run());
  result.eager = times[first];
  result.compiled = times[second];
  result.ratio = sampler.medianRatio(second, first);
  return {};
}

Expected<TierResult> measureCase(const TierCase &each, int threads,
                                 const TierComparisonOptions &options) {
  setNumThreads(threads);
  TierResult result;
  result.name = each.name;
  result.threads = threads;
  TANDEM_ASSIGN_OR_RETURN(std::unique_ptr<Graph> graph,
                          Graph::parseString(each.source));
  const Program &program = *graph->eagerProgram();
  TANDEM_ASSIGN_OR_RETURN(result.inputs, measure::bindDims(program, {}));
  TANDEM_ASSIGN_OR_RETURN(InputSets inputs,
                          InputSets::create(program, result.inputs,
                                            options.environment.cacheBytes));
  tools::GraphTiers tiers(*graph);
  TANDEM_ASSIGN_OR_RETURN(tools::PreparedPtr eager,
                          tiers.prepare(result.inputs, Tier::eager));
  TANDEM_ASSIGN_OR_RETURN(tools::PreparedPtr compiled,
                          tiers.prepare(result.inputs, Tier::compiled));
  // What seems slower is measured longer, so that noise is not reported.
  for (double factor : {1.0, 5.0}) {
    TANDEM_RETURN_IF_ERROR(
        sampleTiers(result, inputs, eager, compiled, factor * options.seconds));
    if (!result.isSlower())
      break;
  }
  return result;
}

void print(const std::vector<TierResult> &results) {
  tools::Table table({{"slower compiled", false},
                      {"threads"},
                      {"eager"},
                      {"compiled"},
                      {"ratio"}});
  double logs = 0;
  int64_t slower = 0;
  for (const TierResult &result : results) {
    logs += std::log(result.ratio);
    if (!result.isSlower())
      continue;
    ++slower;
    char ratio[32];
    std::snprintf(ratio, sizeof ratio, "%.2f", result.ratio);
    table.addRow({result.name, std::to_string(result.threads),
                  tools::formatTime(result.eager.median),
                  tools::formatTime(result.compiled.median), ratio});
  }
  if (slower > 0)
    std::printf("%s", table.str().c_str());
  std::printf("%zu cases, %lld slower compiled than eager; compiled takes %.2f "
              "of eager's time by geometric mean\n",
              results.size(), static_cast<long long>(slower),
              std::exp(logs / static_cast<double>(results.size())));
}

std::string toLine(const TierResult &result,
                   const TierComparisonOptions &options) {
  nlohmann::ordered_json record = {
      {"tool", "tandem-bench tiers"},
      {"graph", result.name},
      {"function", "main"},
      {"inputs", tools::toJson(result.inputs)},
      {"dtype", tools::dtypeOf(result.inputs)},
      {"device", tools::defaultDevice()},
      {"eager_ns", tools::toJson(result.eager)},
      {"compiled_ns", tools::toJson(result.compiled)},
      {"compiled_over_eager", result.ratio},
      {"slower", result.isSlower()}};
  record.update(tools::toJson(options.environment));
  record["threads"] = result.threads;
  return jsonText(record) + "\n";
}

} // namespace

Expected<bool> runTierComparison(const TierComparisonOptions &options) {
  TANDEM_ASSIGN_OR_RETURN(std::vector<TierCase> cases, selectCases(options));
  std::vector<TierResult> results;
  std::string lines;
  tools::ProgressLine line;
  for (size_t i = 0; i < cases.size(); ++i) {
    line.show("[" + std::to_string(i + 1) + "/" + std::to_string(cases.size()) +
              "] " + cases[i].name);
    for (int threads : options.threads) {
      Expected<TierResult> result = measureCase(cases[i], threads, options);
      if (!result) {
        line.clear();
        return fail("tiers", cases[i].name + ": " + result.error().str());
      }
      lines += toLine(*result, options);
      results.push_back(std::move(*result));
    }
  }
  line.clear();
  std::printf("%s", tools::headingOf(options.environment).c_str());
  print(results);
  if (!options.json.empty())
    TANDEM_RETURN_IF_ERROR(tools::writeText(options.json, lines));
  return std::none_of(
      results.begin(), results.end(),
      [](const TierResult &result) { return result.isSlower(); });
}

} // namespace tandem::bench
