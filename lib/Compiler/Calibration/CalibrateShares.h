//===- CalibrateShares.h - Fitting shares to contractions -------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_CALIBRATION_CALIBRATESHARES_H
#define TANDEM_LIB_COMPILER_CALIBRATION_CALIBRATESHARES_H

#include "Calibration/ConvProbe.h"

#include "tandem/Measure/Rates.h"
#include "tandem/Target/CPU/CPUShares.h"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace tandem {

/// The description of a device, with the CPU target's shares as fields.
struct CPUDevice {
  explicit CPUDevice(const DeviceModel &model)
      : model(model), shares(CPUShares::of(model)) {}
  /// The description with the shares.
  DeviceModel toModel() const {
    DeviceModel result = model;
    shares.writeTo(result);
    return result;
  }

  DeviceModel model;
  CPUShares shares;
};

/// A number of the description that calibration finds by timing convolutions.
struct Share {
  const char *key;
  double &(*field)(CPUDevice &device);
  /// Convolutions whose times depend on the number: a dtype, "nhwc" or "nchw",
  /// and a shape in the format of test/shapes/conv.
  std::span<const char *const> shapes;
  /// How the convolutions are computed: Tiles, Loop or Library.
  ContractionWay way;
};

/// All shares that are found on one thread, in the order in which they must be
/// found, because each share depends on the previous ones.
std::span<const Share> sharesOfOneThread();
/// All shares that are found on all threads, after those of one thread.
std::span<const Share> sharesOfAllThreads();

/// Times the convolutions of one share and fits its value. Convolutions that
/// cannot run in the required way are ignored. Not thread-safe.
class ShareTrial {
public:
  /// Compiles the convolutions of `share`.
  explicit ShareTrial(const Share &share);

  /// Times all convolutions once more (ConvProbe::measure). fit uses the median
  /// of all rounds, and half of the rounds must agree, because another thread
  /// may be busy on the same core for a while.
  void measure(const SpeedReference &reference);

  /// Returns the value with which `device`, a model of the threads that were
  /// timed, predicts the measured times best. Returns nothing if no convolution
  /// was measured.
  std::optional<measure::Best> fit(CPUDevice device) const;

private:
  struct Sample {
    std::unique_ptr<ConvProbe> probe;
    /// The times of all rounds, in ascending order.
    std::vector<double> rounds;
  };
  double getError(CPUDevice device, double value) const;

  const Share &share;
  std::vector<Sample> samples;
};

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_CALIBRATION_CALIBRATESHARES_H
