//===- CalibrateShares.h - What contractions reach of a peak ----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_CALIBRATESHARES_H
#define TANDEM_LIB_COMPILER_CALIBRATESHARES_H

#include "ConvProbe.h"

#include "tandem/Measure/Rates.h"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace tandem {

/// A number of a model that contractions tell.
struct Share {
  const char *key;
  double &(*field)(DeviceModel &model);
  /// Convolutions in the form of test/shapes/conv, with "nhwc" or "nchw" and a
  /// dtype before it, which depend on the number and run in the way in
  /// question.
  std::span<const char *const> shapes;
  /// Whether they run in kernels of ours, not in the library.
  bool isGenerated;
};

/// In the order in which they can be found: each depends on those before.
std::span<const Share> allShares();

/// Finds one of them. Shapes that do not run in
/// its way say nothing.
class ShareTrial {
public:
  /// Compiles its shapes.
  explicit ShareTrial(const Share &share);

  /// Times them once more (ConvProbe::measure). The median of all rounds
  /// counts, and half of them must agree: somebody else's thread on the same
  /// core may be busy for a while.
  void measure(const Yardstick &yardstick);

  /// The value with which `model`, of one core, predicts best what was
  /// measured; nothing where no shape was.
  std::optional<measure::Best> fit(DeviceModel model) const;

private:
  struct Sample {
    std::unique_ptr<ConvProbe> probe;
    /// What it took in each, from the least.
    std::vector<double> rounds;
  };
  double getError(DeviceModel model, double value) const;

  const Share &share;
  std::vector<Sample> samples;
};

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_CALIBRATESHARES_H
