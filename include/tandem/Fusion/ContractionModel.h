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
  /// The number of bytes of the contraction's result that a task keeps for the
  /// windows, and the maximum number of bytes that it may keep.
  int64_t partBytes = 0, mostPartBytes = 0;
  /// The additional time of the kernel, as a share of its time without the
  /// windows. The kernel takes longer if it computes elements more than once or
  /// uses fewer cores.
  double repeatedShare = 0;
};

/// Describes the kernels that a target generates for contractions, as far as
/// fusion decisions depend on them: which contractions have a kernel, and the
/// costs of the kernels. Each target implements this interface. A model is
/// immutable and lives as long as the process; all its functions are
/// thread-safe.
class ContractionModel {
public:
  virtual ~ContractionModel() = default;

  /// The name of the model in pass options, which is the name of the target.
  virtual llvm::StringRef name() const = 0;

  /// Whether there is a kernel for `hero`, which `contraction` describes. The
  /// Error says why not, as a clause that continues a sentence about the op.
  virtual Status checkGenerated(mlir::Operation *hero,
                                const Contraction &contraction) const = 0;
  /// The share of the device's peak that the kernel reaches: above 0, at most
  /// 1.
  virtual double getEfficiency(const DeviceModel &device,
                               const Contraction &contraction) const = 0;

  /// Whether the kernel's tasks can compute the data that they read, i.e.
  /// whether the kernel can have a prologue. The Error says why not, as a
  /// clause that continues a sentence about the op.
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
