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

/// Options of calibrateHost: which figures are measured, and how to cancel the
/// measurement.
struct CalibrateOptions {
  /// If true, figures that involve all processors at once, or memory beyond the
  /// caches, are measured too. Set this only in a program that has the machine
  /// to itself. If false, the measurement occupies one thread and a few MB of
  /// data.
  bool wholeMachine = true;
  /// Called between any two figures. If the function returns true,
  /// calibrateHost stops and returns an Error. May be empty.
  std::function<bool()> isCancelled;
};

/// One number of the model.
struct CalibratedFigure {
  /// Its key in the files of utils/cpu-specs; "caches[0]" stands for the
  /// bytes_per_ns of a level.
  std::string key;
  /// `detected` is the value that is used without measuring. `value` is the
  /// measured value, rounded.
  double detected = 0, value = 0;
  /// The relative spread of the measurements, as in measure::Best. If the
  /// spread is too large, or if no value explains the measurements, `value`
  /// equals `detected`.
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
