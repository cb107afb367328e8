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
  /// The history of this process: of what is compiled for the host, or for
  /// other devices.
  static CompileHistory &process(bool isHost = true);

  /// What is predicted of a graph now.
  struct Expectation {
    CostPrediction costs;
    /// The keys of its kernels, each once, and the number of those that were
    /// not known.
    std::vector<uint64_t> kernels;
    size_t newKernels = 0;
    /// Whether nothing was compiled yet, and whether kernels are kept.
    bool isFirst = false, keepsKernels = false;

    /// C, the cost of compiling in nanoseconds, if the share `hits` of the new
    /// kernels is found in a cache after all.
    double compileNs(double hits) const;
  };

  /// Predicts the costs of a graph. All kernels are new if none is kept.
  Expectation expect(const FusionSketch &sketch, const Program &program,
                     const DeviceModel &device, bool keepsKernels) const;
  /// C, in nanoseconds, corrected by what was observed.
  double compileNs(const Expectation &expected) const;
  /// A compilation took so many nanoseconds of processor time.
  void observe(const Expectation &expected, const KernelCounts &counts,
               double ns);

  /// A program was found on disk, with nothing compiled.
  void observeStored();

private:
  /// The number of compilations in the moving average. The weight of earlier
  /// ones decays.
  static constexpr double kWindow = 16;
  /// The most keys that are kept, a few times the number of kernels that are
  /// cached (KernelCache::Limits). If this is exceeded, all keys are forgotten.
  static constexpr size_t kMaxKeys = 4096;

  mutable std::mutex mutex; // Guards all that follows.
  std::unordered_set<uint64_t> known;
  /// The number of compilations, at most kWindow; the mean logarithm of
  /// measured over predicted, with a 0 for the prediction itself; and the mean
  /// share of kernels that were thought new and had been kept elsewhere.
  double observations = 0, logRatio = 0, hits = 0;
};

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_PREDICTION_COMPILEHISTORY_H
