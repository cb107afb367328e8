//===- CalibrateShares.h - What contractions reach of a peak ----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_CALIBRATESHARES_H
#define TANDEM_LIB_COMPILER_CALIBRATESHARES_H

#include "tandem/Analysis/DeviceModel.h"
#include "tandem/Measure/Rates.h"

#include <optional>
#include <span>

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

/// The value with which `model`, of one core, predicts best what the shapes of
/// `share` take on the calling thread; nothing where none of them runs so.
std::optional<measure::Best> findShare(const Share &share,
                                       const DeviceModel &model);

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_CALIBRATESHARES_H
