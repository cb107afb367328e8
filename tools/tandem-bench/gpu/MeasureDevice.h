//===- MeasureDevice.h - The command tandem-bench device --------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_GPU_MEASUREDEVICE_H
#define TANDEM_TOOLS_TANDEM_BENCH_GPU_MEASUREDEVICE_H

#include "common/RunEnvironment.h"

#include "tandem/Support/Error.h"

#include <string>
#include <vector>

namespace tandem::bench {

/// Options of `tandem-bench device`.
struct DeviceOptions {
  /// Whether the model is stored for programs that start later.
  bool store = true;
  /// The number of measurements, and lists of convolutions for which to report
  /// how many of the choices between kernel and library are the same with all
  /// measured models. The last model is printed and stored.
  int runs = 1;
  std::vector<std::string> shapes;
  tools::RunEnvironment environment;
};

/// Measures the host. Prints the model to standard output, in the format of
/// utils/cpu-specs, and the measurements to standard error.
Status runDevice(const DeviceOptions &options);

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_GPU_MEASUREDEVICE_H
