//===- CompileHistory.h - What this process's compiles have cost *- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_PREDICTION_COMPILEHISTORY_H
#define TANDEM_LIB_COMPILER_PREDICTION_COMPILEHISTORY_H

#include "Prediction/FusionSketch.h"

#include "tandem/Runtime/Compiler.h"

#include <mutex>
#include <span>
#include <unordered_set>

namespace tandem {

/// Records, for a process, the measured costs of compilations relative to their
/// predictions, and which kernels they made. Predictions are corrected by this
/// record, so that coefficients that were fitted on another machine can be
/// used. Thread-safe; its lock is held for some microseconds.
class CompileHistory {
public:
  /// Returns the history of this process, either of compilations for the host
  /// or of compilations for other devices.
  static CompileHistory &process(bool isHost = true);

  /// The current predictions for a graph.
  struct Expectation {
    CostPrediction costs;
    /// The keys of the graph's kernels, without duplicates, and the number of
    /// kernels that were not known.
    std::vector<uint64_t> kernels;
    size_t newKernels = 0;
    /// Whether nothing has been compiled yet, and whether compiled kernels are
    /// kept in a cache.
    bool isFirst = false, keepsKernels = false;

    /// C, the cost of compiling in nanoseconds, if the share `hits` of the new
    /// kernels is found in a cache after all.
    double compileNs(double hits) const;
  };

  /// Predicts the costs of a graph. All kernels are new if none is kept.
  Expectation expect(const FusionSketch &sketch, const Program &program,
                     const DeviceModel &device, bool keepsKernels) const;
  /// Returns C, the cost of compiling in nanoseconds, corrected by the observed
  /// costs.
  double compileNs(const Expectation &expected) const;
  /// Records that a compilation took `ns` nanoseconds of processor time.
  void observe(const Expectation &expected, const KernelCounts &counts,
               double ns);

  /// Records that a program was found on disk, so that nothing was compiled.
  void observeStored();

private:
  /// The number of compilations in the moving average. The weight of earlier
  /// compilations decays.
  static constexpr double kWindow = 16;
  /// The most keys that are kept, a few times the number of kernels that are
  /// cached (KernelCache::Limits). If this is exceeded, all keys are forgotten.
  static constexpr size_t kMaxKeys = 4096;

  mutable std::mutex mutex; // Guards all that follows.
  std::unordered_set<uint64_t> known;
  /// The number of compilations, at most kWindow. The mean logarithm of
  /// measured over predicted costs, in which the prediction itself counts as
  /// one measurement, with logarithm 0. The mean share of kernels that were
  /// expected to be new but were found in a cache.
  double observations = 0, logRatio = 0, hits = 0;
};

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_PREDICTION_COMPILEHISTORY_H
