//===- Calibrate.h - Measuring the model of this machine --------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_COMPILER_CALIBRATE_H
#define TANDEM_COMPILER_CALIBRATE_H

#include "tandem/Analysis/DeviceModel.h"

#include <functional>
#include <string>
#include <vector>

namespace tandem {

/// What calibrateHost measures, and how it can be stopped.
struct CalibrateOptions {
  /// Whether to also measure all processors at once and memory beyond the
  /// caches, for a program that has the machine to itself. Otherwise one thread
  /// is busy, with a few MB of data.
  bool wholeMachine = true;
  /// Called between any two figures. Returning true ends the measuring with an
  /// Error. May be empty.
  std::function<bool()> isCancelled;
};

/// One number of the model.
struct CalibratedFigure {
  /// Its key in the files of utils/cpu-specs; "caches[0]" stands for the
  /// bytes_per_ns of a level.
  std::string key;
  /// The value without measuring, and the measured value, rounded.
  double detected = 0, value = 0;
  /// The relative spread of the measurements, as in measure::Best. Where it is
  /// too large, or no value explains what was measured, `value` is `detected`.
  double spread = 0;
  /// Whether `value` was measured.
  bool isMeasured = false;
};

/// A measured model, with the figures that were measured for it.
struct Calibration {
  DeviceModel model;
  std::vector<CalibratedFigure> figures;
};

/// Measures the host, with the instructions of hostProcessor(), in a few
/// seconds. First it measures the rates of loops of multiply-adds and of
/// copies, then the speed of contractions in generated kernels and in the
/// library relative to these, which gives the shares. Each figure is the best
/// of several runs, rounded to steps so that repeated measurements give the
/// same result. docs/Device.md describes the method. Thread-safe, but two
/// concurrent calls disturb each other's measurements. The Error says what
/// could not be run.
Expected<Calibration> calibrateHost(const CalibrateOptions &options = {});

} // namespace tandem

#endif // TANDEM_COMPILER_CALIBRATE_H
