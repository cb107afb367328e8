//===- HostCost.h - The host's cost of a compiled call ----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_BARS_HOSTCOST_H
#define TANDEM_TOOLS_TANDEM_BENCH_BARS_HOSTCOST_H

#include "common/RunEnvironment.h"

namespace tandem::bench {

/// Options of `tandem-bench gpu-host`.
struct HostCostOptions {
  std::string json;
  tools::RunEnvironment environment;
};

/// Measures what a call of a compiled program costs the host where the driver's
/// functions do nothing: of graphs of more and more kernels, and by least
/// squares what every call costs and what each kernel adds. Needs no GPU.
/// Returns whether both are within their targets.
Expected<bool> runHostCost(const HostCostOptions &options);

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_BARS_HOSTCOST_H
