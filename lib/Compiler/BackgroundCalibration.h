//===- BackgroundCalibration.h - Measuring beside a program -----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_BACKGROUNDCALIBRATION_H
#define TANDEM_LIB_COMPILER_BACKGROUNDCALIBRATION_H

#include <memory>

namespace tandem {

/// Measures this host on a thread of its own, unless that was done before
/// (measuredModel) or TANDEM_DEVICE says what it is: a second after the first
/// compiler was made, so that a program that ends at once does not pay for it,
/// and for as long as there are compilers. The last of them waits for the
/// figure in hand, a tenth of a second; so does fork.
class BackgroundCalibration {
public:
  /// What compilers share; null where there is nothing to measure. Thread-safe.
  static std::shared_ptr<BackgroundCalibration> share();
  ~BackgroundCalibration();
  BackgroundCalibration(const BackgroundCalibration &) = delete;

private:
  BackgroundCalibration();
  static void *run(void *self);
  static void stopBeforeFork();
  void stop();

  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_BACKGROUNDCALIBRATION_H
