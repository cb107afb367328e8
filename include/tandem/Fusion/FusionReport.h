//===- FusionReport.h - Reports on fusion decisions -------------*- C++ -*-===//
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

/// The fusion plan of a block and all decisions that led to it.
struct FusionReportData {
  FusionLog log;
  std::vector<FusionGroup> kernels;

  FusionReportData(mlir::Block &block, const FusionOptions &options)
      : kernels(planFusion(block, options, &log)) {}
};

/// The attribute of a function in which the layout phase leaves its part of the
/// report: a dictionary of dictionaries, arrays, strings, numbers and
/// locations.
inline constexpr llvm::StringLiteral kLayoutReport = "tandem.layouts";

/// The report as JSON, in the format that docs/Fusion.md describes: each
/// decision with its reason and estimated costs; each kernel with its kind, ops
/// and estimated time; the op steps; totals; and, if earlier passes have left
/// notes, the contractions with their estimated costs, and the layouts. Times
/// are in nanoseconds.
llvm::json::Object toJson(mlir::Block &block, const FusionReportData &data);

/// Removes the notes that earlier passes have left in `block` for the report.
void dropNotes(mlir::Block &block);

/// Says whether the ops `a` and `b` of `block` are in one kernel, and if not,
/// why: a text of one or more lines.
std::string explainFusion(mlir::Block &block, const FusionReportData &data,
                          mlir::Operation *a, mlir::Operation *b);

} // namespace tandem

#endif // TANDEM_FUSION_FUSIONREPORT_H
