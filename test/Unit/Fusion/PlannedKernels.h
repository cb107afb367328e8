//===- PlannedKernels.h - The kernels of a plan as text ---------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TEST_UNIT_FUSION_PLANNEDKERNELS_H
#define TANDEM_TEST_UNIT_FUSION_PLANNEDKERNELS_H

#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Fusion/FusionPlan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <string>
#include <vector>

namespace tandem::test {

/// A module on ops of the dialect.
inline mlir::OwningOpRef<mlir::ModuleOp> parse(mlir::MLIRContext &context,
                                               llvm::StringRef text) {
  context.loadDialect<ir::TandemDialect, mlir::func::FuncDialect>();
  return mlir::parseSourceString<mlir::ModuleOp>(text, &context);
}

/// The body of the first function.
inline mlir::Block &bodyOf(mlir::ModuleOp module) {
  return (*module.getOps<mlir::func::FuncOp>().begin()).getBody().front();
}

/// The kind and the ops of each kernel, as "loop: exp relu".
inline std::vector<std::string> kernelsOf(mlir::Block &block,
                                          const FusionOptions &options) {
  std::vector<std::string> result;
  for (const FusionGroup &group : planFusion(block, options)) {
    std::string text = ir::stringifyFusionKind(group.kind).str() + ":";
    for (mlir::Operation *op : group.ops)
      text += " " + op->getName().stripDialect().str();
    result.push_back(text);
  }
  return result;
}

} // namespace tandem::test

#endif // TANDEM_TEST_UNIT_FUSION_PLANNEDKERNELS_H
