//===- GPUFigures.h - The figures that have targets on a GPU ----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_GPU_GPUHUMANREADABLE_H
#define TANDEM_TOOLS_TANDEM_BENCH_GPU_GPUHUMANREADABLE_H

#include "common/RunEnvironment.h"

#include "tandem/Support/Choices.h"
#include "tandem/Support/Error.h"

#include <string>

namespace tandem::bench {

/// Options of `tandem-bench gpu`.
struct GPUFiguresOptions {
  /// The device to measure: "cuda".
  std::string device = "cuda";
  Precision precision = Precision::strict;
  /// A JSON file with the peers' figures, in microseconds (see
  /// utils/gpu-day/peers.json); empty: none are shown.
  std::string peers;
  /// The file to which a JSON line per figure is written; empty: none.
  std::string json;
  /// Measures only figures whose name matches this regular expression.
  std::string filter;
  /// Calls that are enqueued before the one wait that ends a sample.
  int calls = 1000;
  tools::RunEnvironment environment;
};

/// Measures every figure that has a target on a GPU and prints a table of
/// figure, target and peers. Returns whether all targets are reached. The Error
/// says why a figure cannot be measured.
Expected<bool> runGPUFigures(const GPUFiguresOptions &options);

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_GPU_GPUHUMANREADABLE_H
