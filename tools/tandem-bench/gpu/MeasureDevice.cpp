//===- MeasureDevice.cpp - tandem-bench device ----------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gpu/MeasureDevice.h"

#include "compare/ComparisonCases.h"

#include "common/ProgressLine.h"

#include "tandem/Compiler/Calibrate.h"
#include "tandem/Runtime/Compare.h"
#include "tandem/Tandem.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace tandem::bench {

static void printFigures(const std::vector<CalibratedFigure> &figures) {
  std::fprintf(stderr, "%-24s %10s %10s %8s\n", "", "detected", "taken",
               "spread");
  for (const CalibratedFigure &figure : figures)
    std::fprintf(stderr, "%-24s %10.4g %10.4g %7.0f%%%s\n", figure.key.c_str(),
                 figure.detected, figure.value, 100 * figure.spread,
                 figure.isMeasured ? "" : "  not measured");
}

/// How many of the models, each of which TANDEM_DEVICE names in turn, choose
/// the library for `comparisonCase`.
static Expected<int> countLibrary(const ComparisonCase &comparisonCase,
                                  const std::vector<std::string> &models) {
  TANDEM_ASSIGN_OR_RETURN(Tensor weights,
                          Tensor::allocate(comparisonCase.weights));
  fillRandom(weights, /*seed=*/1);
  TANDEM_ASSIGN_OR_RETURN(
      auto graph, Graph::parseString(comparisonCase.source(hexOf(weights))));
  int count = 0;
  for (const std::string &model : models) {
    setenv("TANDEM_DEVICE", model.c_str(), /*overwrite=*/1);
    TANDEM_ASSIGN_OR_RETURN(auto estimates, graph->estimateContractions(
                                                {&comparisonCase.input, 1}));
    count += !estimates.empty() && estimates.front().isLibrary;
  }
  unsetenv("TANDEM_DEVICE");
  return count;
}

/// Reads the cases of the lists in both layouts. The names of the cases begin
/// with the layout.
static Expected<std::vector<ComparisonCase>>
readLists(const std::vector<std::string> &files) {
  std::vector<ComparisonCase> all;
  if (files.empty())
    return all;
  for (const char *layout : {"nhwc", "nchw"}) {
    ConvSelection selection;
    selection.files = files;
    selection.layout = layout;
    TANDEM_ASSIGN_OR_RETURN(auto cases, convCases(selection));
    for (ComparisonCase &comparisonCase : cases) {
      comparisonCase.name = std::string(layout) + " " + comparisonCase.name;
      all.push_back(std::move(comparisonCase));
    }
  }
  return all;
}

static Status compareChoices(const std::vector<ComparisonCase> &cases,
                             const std::vector<std::string> &models) {
  const int runs = static_cast<int>(models.size());
  const auto shapes = static_cast<double>(cases.size());
  int agreed = 0, same = 0;
  for (const ComparisonCase &comparisonCase : cases) {
    TANDEM_ASSIGN_OR_RETURN(int library, countLibrary(comparisonCase, models));
    const int most = std::max(library, runs - library);
    agreed += most == runs;
    same += most;
    if (most < runs)
      std::fprintf(stderr, "%s: %d of %d in a kernel\n",
                   comparisonCase.name.c_str(), runs - library, runs);
  }
  std::fprintf(stderr,
               "%d measurements: of %.0f shapes %.0f %% are always computed "
               "the same way; of all choices %.1f %% are as most\n",
               runs, shapes, 100 * agreed / shapes,
               100 * same / (shapes * runs));
  return {};
}

Status runDevice(const DeviceOptions &options) {
  // Before what takes long.
  TANDEM_ASSIGN_OR_RETURN(auto cases, readLists(options.shapes));
  std::vector<std::string> models;
  Calibration calibration;
  tools::ProgressLine line;
  for (int run = 0; run < options.runs; ++run) {
    CalibrateOptions calibrate;
    calibrate.isCancelled = [&line, run, &options, figures = 0]() mutable {
      line.showLate("measuring the machine: run " + std::to_string(run + 1) +
                    " of " + std::to_string(options.runs) + ", figure " +
                    std::to_string(++figures));
      return false;
    };
    TANDEM_ASSIGN_OR_RETURN(calibration, calibrateHost(calibrate));
    models.push_back(writeDeviceModel(calibration.model));
  }
  line.clear();
  if (!cases.empty())
    TANDEM_RETURN_IF_ERROR(compareChoices(cases, models));
  std::fprintf(stderr, "%s", tools::headingOf(options.environment).c_str());
  printFigures(calibration.figures);
  std::printf("%s\n",
              writeDeviceModel(calibration.model, /*indent=*/2).c_str());
  if (!options.store)
    return {};
  TANDEM_RETURN_IF_ERROR(setMeasuredModel(calibration.model));
  std::fprintf(stderr, "kept in %s\n", measuredModelFile().c_str());
  return {};
}

} // namespace tandem::bench
