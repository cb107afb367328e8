//===- MeasureDevice.cpp - tandem-bench device ----------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MeasureDevice.h"

#include "tandem/Compiler/Calibrate.h"

#include <cstdio>

namespace tandem::bench {

static void printFigures(const std::vector<CalibratedFigure> &figures) {
  std::fprintf(stderr, "%-24s %10s %10s %8s\n", "", "detected", "taken",
               "spread");
  for (const CalibratedFigure &figure : figures)
    std::fprintf(stderr, "%-24s %10.4g %10.4g %7.0f%%%s\n", figure.key.c_str(),
                 figure.detected, figure.value, 100 * figure.spread,
                 figure.isMeasured ? "" : "  not measured");
}

Status runDevice(const DeviceOptions &options) {
  TANDEM_ASSIGN_OR_RETURN(Calibration calibration, calibrateHost());
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
