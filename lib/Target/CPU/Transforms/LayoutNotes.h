//===- LayoutNotes.h - An account of the layouts assigned ------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_TRANSFORMS_LAYOUTNOTES_H
#define TANDEM_LIB_TARGET_CPU_TRANSFORMS_LAYOUTNOTES_H

#include "tandem/Dialect/Tandem/IR/TandemOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tandem {

/// The layouts of a convolution's operand and result, with the price of these,
/// of those given, and of channels last in both; in ns.
struct ConvLayoutNote {
  bool isInputLast = false, isOutputLast = false;
  double ns = 0, givenNs = 0, lastNs = 0;
};

/// What is said of one function's layouts in the fusion report
/// (docs/Fusion.md).
class LayoutNotes {
public:
  explicit LayoutNotes(mlir::MLIRContext *context) : builder(context) {}

  void addConv(ir::ConvOp conv, const ConvLayoutNote &note);
  /// A transpose to or from channels last, which has been inserted or was in
  /// the graph and is gone; `ns` is its price.
  void addInserted(mlir::Value value, bool isToLast, double ns);
  void addCancelled(ir::TransposeOp transpose, bool isToLast, double ns);

  /// Leaves the account at `function`, where there is something to say.
  void leaveAt(mlir::func::FuncOp function);

private:
  mlir::DictionaryAttr describeConversion(mlir::Location location,
                                          mlir::Type type, bool isToLast,
                                          double ns);

  mlir::Builder builder;
  llvm::SmallVector<mlir::Attribute> convs, inserted, cancelled;
};

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_TRANSFORMS_LAYOUTNOTES_H
