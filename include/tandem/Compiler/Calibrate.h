//===- Calibrate.h - The description of this machine, measured --*- C++ -*-===//
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

struct CalibrateOptions {
  /// Whether all processors are measured at once, too, and memory that no cache
  /// holds: for a program that has the machine to itself. Else one thread is
  /// busy, with a few MB.
  bool wholeMachine = true;
  /// Asked between any two figures; true ends the measuring, with an Error.
  std::function<bool()> isCancelled;
};

/// One number of a description.
struct CalibratedFigure {
  /// As in the files of utils/cpu-specs; "caches[0]" is a level's bytes_per_ns.
  std::string key;
  /// As it would be without measuring; and as it is now, rounded.
  double detected = 0, value = 0;
  /// Of the measurements, by measure::Best; where it is too large, or no value
  /// explains what was measured, `value` is `detected`.
  double spread = 0;
  bool isMeasured = false;
};

struct Calibration {
  DeviceModel model;
  std::vector<CalibratedFigure> figures;
};

/// Measures this machine, on the instructions of hostProcessor(), in some
/// seconds: the rates of loops of multiply-adds and of copies, and then what
/// contractions take of them in kernels of ours and in the library, which gives
/// the shares. Each figure is the best of several runs, rounded to steps so
/// that two measurements say the same. Thread-safe, but two at a time disturb
/// each other. The Error says what could not be run.
Expected<Calibration> calibrateHost(const CalibrateOptions &options = {});

} // namespace tandem

#endif // TANDEM_COMPILER_CALIBRATE_H
