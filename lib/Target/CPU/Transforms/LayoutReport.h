//===- LayoutReport.h - Layouts in the fusion report ------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_TRANSFORMS_LAYOUTREPORT_H
#define TANDEM_LIB_TARGET_CPU_TRANSFORMS_LAYOUTREPORT_H

#include "tandem/Dialect/Tandem/IR/TandemOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tandem {

/// The chosen layouts of a convolution's operand and result, and three
/// estimated costs, in nanoseconds: with these layouts, with the layouts of the
/// graph, and with channels last in both.
struct ConvLayoutNote {
  bool isInputLast = false, isOutputLast = false;
  double ns = 0, givenNs = 0, lastNs = 0;
};

/// Collects the part of the fusion report that describes the layouts of one
/// function (docs/Fusion.md).
class LayoutReport {
public:
  explicit LayoutReport(mlir::MLIRContext *context) : builder(context) {}

  void addConv(ir::ConvOp conv, const ConvLayoutNote &note);
  /// Adds a transpose to or from channels last that was inserted, or one of the
  /// graph that was removed. `ns` is its estimated cost in nanoseconds.
  void addInserted(mlir::Value value, bool isToLast, double ns);
  void addCancelled(ir::TransposeOp transpose, bool isToLast, double ns);

  /// Attaches the notes, if there are any, to `function` (kLayoutReport).
  void leaveAt(mlir::func::FuncOp function);

private:
  mlir::DictionaryAttr describeConversion(mlir::Location location,
                                          mlir::Type type, bool isToLast,
                                          double ns);

  mlir::Builder builder;
  llvm::SmallVector<mlir::Attribute> convs, inserted, cancelled;
};

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_TRANSFORMS_LAYOUTREPORT_H
