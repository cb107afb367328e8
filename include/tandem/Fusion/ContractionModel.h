//===- ContractionModel.h - A target's kernels of contractions --*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_FUSION_CONTRACTIONMODEL_H
#define TANDEM_FUSION_CONTRACTIONMODEL_H

#include "tandem/Analysis/Contraction/ContractionWindow.h"
#include "tandem/Analysis/DeviceModel.h"
#include "tandem/Fusion/TargetModels.h"

namespace tandem {

/// The costs of windows over a contraction's result within its kernel.
struct WindowCosts {
  /// Bytes of the result that a task keeps for the windows, and the most that
  /// it may keep.
  int64_t partBytes = 0, mostPartBytes = 0;
  /// The additional time of the kernel, for what it computes more than once or
  /// on fewer cores, as a share of its time without the windows.
  double repeatedShare = 0;
};

/// Describes the kernels that a target generates for contractions: which there
/// are and what they cost, as far as that decides what is fused. Implemented by
/// the target. A model is immutable and lives as long as the process; all its
/// functions are thread-safe.
class ContractionModel {
public:
  virtual ~ContractionModel() = default;

  /// The name that options of passes take: the target's.
  virtual llvm::StringRef name() const = 0;

  /// Whether there is a kernel for `hero`, which `contraction` describes. The
  /// Error says why not, as a clause that continues a sentence about the op.
  virtual Status checkGenerated(mlir::Operation *hero,
                                const Contraction &contraction) const = 0;
  /// The share of the device's peak that the kernel reaches: above 0, at most
  /// 1.
  virtual double getEfficiency(const DeviceModel &device,
                               const Contraction &contraction) const = 0;

  /// Whether the kernel's tasks can compute the data that they read, by a
  /// prologue. The Error says why not, as a clause that continues a sentence
  /// about the op.
  virtual Status checkPrologue(const Contraction &contraction) const = 0;
  /// How many times, on average, tasks with a prologue compute an element of
  /// the data.
  virtual double getPrologueRuns(const DeviceModel &device,
                                 const Contraction &contraction) const = 0;

  /// The costs of `window` over a result whose elements have `elementBytes`
  /// bytes where they are kept, in a kernel that takes `ns` nanoseconds.
  virtual WindowCosts getWindowCosts(const DeviceModel &device,
                                     const Contraction &contraction,
                                     const ContractionWindow &window,
                                     int64_t elementBytes, double ns) const = 0;
};

using ContractionModels = TargetModels<ContractionModel>;

} // namespace tandem

#endif // TANDEM_FUSION_CONTRACTIONMODEL_H
