//===- ComparisonBars.cpp - Contractions beside oneDNN --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bars/Bars.h"

#include "common/ProgressLine.h"

#include "compare/ComparisonCases.h"

#include <algorithm>

namespace tandem::bench {
namespace {

using Ratio = std::optional<double>;

/// Runs each; an error where one has no figures.
Expected<std::vector<ComparisonResult>>
runAll(const BarsOptions &options, const std::vector<ComparisonCase> &cases) {
  ComparisonOptions comparison;
  comparison.seconds = options.seconds;
  comparison.environment = options.environment;
  std::vector<ComparisonResult> results;
  tools::ProgressLine line;
  for (const ComparisonCase &comparisonCase : cases) {
    line.show(comparisonCase.name);
    results.push_back(runComparison(comparisonCase, comparison));
    if (!results.back().error.empty())
      return fail("bars", comparisonCase.name + ": " + results.back().error);
  }
  return results;
}

/// The worst of what is chosen beside the better of generated and oneDNN.
Bar chosenBar(const std::string &title,
              const std::vector<ComparisonResult> &results) {
  auto worst = std::min_element(results.begin(), results.end(),
                                [](const auto &a, const auto &b) {
                                  return a.chosenOverBest < b.chosenOverBest;
                                });
  return {title + ": chosen / better, worst (" + worst->name + ")",
          worst->chosenOverBest,
          0.97,
          false,
          "x",
          {}};
}

/// "NAME (12 of 13)" where not all are generated.
std::string titleOf(const std::string &name,
                    const std::vector<ComparisonResult> &results) {
  auto generated = std::count_if(results.begin(), results.end(),
                                 [](const ComparisonResult &result) {
                                   return result.generated.has_value();
                                 });
  if (static_cast<size_t>(generated) == results.size())
    return name;
  return name + " (" + std::to_string(generated) + " of " +
         std::to_string(results.size()) + ")";
}

} // namespace

Status addConvListBars(const BarsOptions &options, Bars &bars) {
  for (const char *list :
       {"shapes_resnet_50", "shapes_unet", "shapes_mobilenet", "shapes_vgg_19",
        "shapes_1d", "shapes_1d_wavenet"}) {
    ConvSelection selection;
    selection.files = {tools::sharePath(std::string("shapes/") + list)};
    TANDEM_ASSIGN_OR_RETURN(std::vector<ComparisonCase> cases,
                            convCases(selection));
    TANDEM_ASSIGN_OR_RETURN(std::vector<ComparisonResult> results,
                            runAll(options, cases));
    const std::string title = titleOf(list, results);
    auto overBlocked = [](const ComparisonResult &result) -> Ratio {
      return result.over(result.blocked);
    };
    auto overPlain = [](const ComparisonResult &result) -> Ratio {
      return result.over(result.plain);
    };
    bars.push_back({title + ": generated / oneDNN, its own weights",
                    geometricMean(results, overBlocked),
                    1,
                    false,
                    "x",
                    {}});
    bars.push_back({title + ": generated / oneDNN, plain weights",
                    geometricMean(results, overPlain),
                    1.5,
                    false,
                    "x",
                    {}});
    bars.push_back(chosenBar(list, results));
    bars.push_back({std::string(list) + ": longer of flops and copy / chosen",
                    geometricMean(results,
                                  [](const ComparisonResult &result) -> Ratio {
                                    return result.shareOfLimit();
                                  }),
                    kShareOfLimit,
                    false,
                    "x",
                    {}});
  }
  return {};
}

Status addMatmulBars(const BarsOptions &options, Bars &bars) {
  std::vector<ComparisonCase> cases;
  for (int64_t size : {512, 768, 1024, 1536, 2048})
    cases.push_back(matmulCase({size, size, size}));
  TANDEM_ASSIGN_OR_RETURN(std::vector<ComparisonResult> results,
                          runAll(options, cases));
  for (const ComparisonResult &result : results) {
    bars.push_back({"matmul " + result.name + ": generated / oneDNN",
                    result.over(result.blocked).value_or(0),
                    1,
                    false,
                    "x",
                    {}});
    bars.push_back({"matmul " + result.name + ": flops / peak",
                    result.flopsPerNs(result.chosen) / result.peakFlopsPerNs,
                    kShareOfLimit,
                    false,
                    "x",
                    {{"chosen", result.chosen}}});
  }
  bars.push_back(chosenBar("matmul", results));
  return {};
}

} // namespace tandem::bench
