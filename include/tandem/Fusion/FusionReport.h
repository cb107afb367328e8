//===- FusionReport.h - What was fused, and why not more ----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_FUSION_FUSIONREPORT_H
#define TANDEM_FUSION_FUSIONREPORT_H

#include "tandem/Fusion/FusionPlan.h"

#include "llvm/Support/JSON.h"

namespace tandem {

/// A block's plan and the decisions behind it.
struct FusionAccount {
  FusionLog log;
  std::vector<FusionGroup> kernels;

  FusionAccount(mlir::Block &block, const FusionOptions &options)
      : kernels(planFusion(block, options, &log)) {}
};

/// Where the layout phase leaves an account of a function for the report, as a
/// dictionary of dictionaries, arrays, strings, numbers and locations.
inline constexpr llvm::StringLiteral kLayoutNotes = "tandem.layouts";

/// The account as JSON (docs/Fusion.md describes it): each decision with its
/// reason and prices, each kernel with its kind, ops and estimated time, the op
/// steps, and totals; contractions with their prices, and layouts, as far as
/// earlier passes have left notes. Times are in ns.
llvm::json::Object toJson(mlir::Block &block, const FusionAccount &account);

/// Takes off what earlier passes have noted in `block` for the report.
void dropNotes(mlir::Block &block);

/// Whether `a` and `b` of `block` are in one kernel, and else why not, as text
/// of one or more lines.
std::string explainFusion(mlir::Block &block, const FusionAccount &account,
                          mlir::Operation *a, mlir::Operation *b);

} // namespace tandem

#endif // TANDEM_FUSION_FUSIONREPORT_H
