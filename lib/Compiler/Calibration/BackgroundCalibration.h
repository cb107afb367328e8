//===- BackgroundCalibration.h - Measuring in the background ----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_CALIBRATION_BACKGROUNDCALIBRATION_H
#define TANDEM_LIB_COMPILER_CALIBRATION_BACKGROUNDCALIBRATION_H

#include <memory>

namespace tandem {

/// Measures the host on a thread of its own, unless it was measured before
/// (measuredModel) or TANDEM_DEVICE describes it. Measuring starts a second
/// after the first compiler was created, so that short-lived programs do not
/// pay for it, and stops when there are no compilers any more. Destroying the
/// last compiler waits until the current measurement is complete, which takes
/// about a tenth of a second. A fork waits for it, too.
class BackgroundCalibration {
public:
  /// Returns the instance that all compilers share, or null if there is nothing
  /// to measure. Thread-safe.
  static std::shared_ptr<BackgroundCalibration> share();
  ~BackgroundCalibration();
  BackgroundCalibration(const BackgroundCalibration &) = delete;

private:
  BackgroundCalibration();
  static void *run(void *self);
  static void stopCurrent();
  void stop();

  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_CALIBRATION_BACKGROUNDCALIBRATION_H
