//===- CompileHistory.cpp - What this process's compiles have cost --------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Prediction/CompileHistory.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tandem {

CompileHistory &CompileHistory::process(bool isHost) {
  static auto &histories = *new std::array<CompileHistory, 2>;
  return histories[isHost];
}

double CompileHistory::Expectation::compileNs(double hits) const {
  CostPrediction left = costs;
  left.kernelsNs *= 1 - hits;
  return isFirst ? left.firstNs() : left.warmNs();
}

CompileHistory::Expectation CompileHistory::expect(const FusionSketch &sketch,
                                                   const Program &program,
                                                   const DeviceModel &device,
                                                   bool keepsKernels) const {
  static const auto &none = *new std::unordered_set<uint64_t>;
  Expectation expected;
  for (const SketchedKernel &kernel : sketch.kernels)
    expected.kernels.push_back(kernel.key);
  std::sort(expected.kernels.begin(), expected.kernels.end());
  expected.kernels.erase(
      std::unique(expected.kernels.begin(), expected.kernels.end()),
      expected.kernels.end());
  std::lock_guard lock(mutex);
  const auto &kept = keepsKernels ? known : none;
  expected.newKernels = static_cast<size_t>(
      std::count_if(expected.kernels.begin(), expected.kernels.end(),
                    [&](uint64_t key) { return !kept.contains(key); }));
  expected.isFirst = observations == 0;
  expected.keepsKernels = keepsKernels;
  expected.costs = predictCosts(describeCosts(sketch, program, device, kept));
  return expected;
}

double CompileHistory::compileNs(const Expectation &expected) const {
  std::lock_guard lock(mutex);
  return std::exp(logRatio) * expected.compileNs(hits);
}

void CompileHistory::observe(const Expectation &expected,
                             const KernelCounts &counts, double ns) {
  const size_t old = expected.kernels.size() - expected.newKernels;
  const size_t there = counts.cached + counts.stored;
  double found = 0;
  if (expected.newKernels > 0 && there > old)
    found = std::min(1.0, static_cast<double>(there - old) /
                              static_cast<double>(expected.newKernels));
  const double predicted = expected.compileNs(found);
  if (!(ns > 0) || !(predicted > 0))
    return;
  std::lock_guard lock(mutex);
  observations = std::min(observations + 1, kWindow);
  logRatio += (std::log(ns / predicted) - logRatio) / (observations + 1);
  if (expected.newKernels > 0)
    hits += (found - hits) / (observations + 1);
  if (!expected.keepsKernels)
    return;
  if (known.size() + expected.kernels.size() > kMaxKeys)
    known.clear();
  known.insert(expected.kernels.begin(), expected.kernels.end());
}

void CompileHistory::observeStored() {
  std::lock_guard lock(mutex);
  hits += (1 - hits) / (kWindow + 1);
}

} // namespace tandem
