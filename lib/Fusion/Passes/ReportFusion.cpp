//===- ReportFusion.cpp - tandem-report-fusion ----------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Fusion/Passes.h"

#include "Passes/FusionPassOptions.h"

#include "tandem/Fusion/FusionReport.h"
#include "tandem/Runtime/Program.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

namespace tandem {
#define GEN_PASS_DEF_TANDEMREPORTFUSION
#include "tandem/Fusion/Passes.h.inc"
} // namespace tandem

using namespace mlir;

namespace tandem {
namespace {

/// A place in a source file, as "12:8".
struct Place {
  unsigned line = 0, column = 0;

  static FailureOr<Place> parse(StringRef text) {
    Place place;
    auto [line, column] = text.split(':');
    if (line.getAsInteger(10, place.line) ||
        column.getAsInteger(10, place.column))
      return failure();
    return place;
  }

  bool isIn(Location location) const {
    return location
        ->walk([&](Location inner) {
          auto file = dyn_cast<FileLineColLoc>(inner);
          return file && file.getLine() == line && file.getColumn() == column
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        })
        .wasInterrupted();
  }
};

/// The last op in `module` that came from `place`: the one that gives the
/// value, where one op has become several.
Operation *findOp(ModuleOp module, const Place &place) {
  Operation *found = nullptr;
  for (auto function : module.getOps<func::FuncOp>())
    for (Block &block : function.getBody())
      for (Operation &op : block)
        if (place.isIn(op.getLoc()))
          found = &op;
  return found;
}

struct ReportFusionPass
    : FusionPlanningPass<impl::TandemReportFusionBase<ReportFusionPass>> {
  using FusionPlanningPass::FusionPlanningPass;

  void runOnOperation() override {
    if (!file.empty() && failed(writeReport()))
      return signalPassFailure();
    if (!whyNot.empty() && failed(answer()))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }

private:
  LogicalResult writeReport();
  LogicalResult answer();
};

LogicalResult ReportFusionPass::writeReport() {
  llvm::json::Array functions;
  for (auto function : getOperation().getOps<func::FuncOp>())
    for (Block &block : function.getBody()) {
      llvm::json::Object report =
          toJson(block, FusionReportData(block, fusion));
      report["name"] = llvm::json::fixUTF8(function.getName());
      functions.push_back(std::move(report));
      dropNotes(block);
    }
  llvm::json::Value report = llvm::json::Object{
      {"device", fusion.device.name}, {"functions", std::move(functions)}};
  const std::string text = llvm::formatv("{0:2}\n", report);
  if (file == "-") {
    llvm::outs() << text;
    llvm::outs().flush();
    return success();
  }
  // LLVM's writeToOutput would put a file in the place of a device.
  Status status = writeFileAtomically(
      file, {reinterpret_cast<const uint8_t *>(text.data()), text.size()});
  if (!status)
    return emitError(getOperation().getLoc())
           << "the fusion report cannot be written: " << status.error().message;
  return success();
}

LogicalResult ReportFusionPass::answer() {
  SmallVector<Operation *> ops;
  for (StringRef text : whyNot) {
    FailureOr<Place> place = Place::parse(text);
    if (failed(place))
      return emitError(getOperation().getLoc())
             << "'" << text << "' is not a place like 12:8";
    if (Operation *op = findOp(getOperation(), *place)) {
      ops.push_back(op);
      continue;
    }
    llvm::outs() << "not fused:\n  the op at line " << place->line
                 << " is gone before fusion: simplification has replaced or "
                    "dropped it\n";
    return success();
  }
  if (ops.size() != 2 || ops[0]->getBlock() != ops[1]->getBlock())
    return emitError(getOperation().getLoc())
           << "the question is about two ops of one function";
  Block &block = *ops[0]->getBlock();
  llvm::outs() << explainFusion(block, FusionReportData(block, fusion), ops[0],
                                ops[1]);
  return success();
}

} // namespace
} // namespace tandem
