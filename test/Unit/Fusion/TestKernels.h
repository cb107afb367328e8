//===- TestKernels.h - Kernels of contractions, as wanted -------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TEST_UNIT_FUSION_TESTKERNELS_H
#define TANDEM_TEST_UNIT_FUSION_TESTKERNELS_H

#include "tandem/Fusion/FusionPlan.h"

namespace tandem::test {

/// Kernels of contractions that are what a test makes of them.
struct Kernels final : ContractionModel {
  llvm::StringRef name() const override { return "test"; }
  Status checkGenerated(mlir::Operation *, const Contraction &) const override {
    return refusal.empty() ? Status() : fail("codegen", refusal);
  }
  double getEfficiency(const DeviceModel &,
                       const Contraction &) const override {
    return efficiency;
  }
  Status checkPrologue(const Contraction &) const override { return {}; }
  double getPrologueRuns(const DeviceModel &,
                         const Contraction &) const override {
    return prologueRuns;
  }
  WindowCosts getWindowCosts(const DeviceModel &, const Contraction &,
                             const ContractionWindow &, int64_t,
                             double) const override {
    return windows;
  }

  std::string refusal;
  double efficiency = 0.9, prologueRuns = 1;
  WindowCosts windows{1024, 2048, 0};
};

} // namespace tandem::test

#endif // TANDEM_TEST_UNIT_FUSION_TESTKERNELS_H
