//===- MeasureDevice.h - tandem-bench device --------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_MEASUREDEVICE_H
#define TANDEM_TOOLS_TANDEM_BENCH_MEASUREDEVICE_H

#include "common/Environment.h"

#include "tandem/Support/Error.h"

#include <string>
#include <vector>

namespace tandem::bench {

struct DeviceOptions {
  /// Whether the model is kept for programs that start later.
  bool store = true;
  /// How often to measure, and lists of convolutions: how many of the choices
  /// between kernel and library all of the models agree on. The last model is
  /// printed and kept.
  int runs = 1;
  std::vector<std::string> shapes;
  tools::Environment environment;
};

/// Measures this host; prints its description to standard output, in the form
/// of utils/cpu-specs, and what was measured to standard error.
Status runDevice(const DeviceOptions &options);

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_MEASUREDEVICE_H
