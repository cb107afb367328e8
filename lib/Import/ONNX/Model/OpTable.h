//===- OpTable.h - The ONNX ops that can be imported ------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_IMPORT_ONNX_MODEL_OPTABLE_H
#define TANDEM_LIB_IMPORT_ONNX_MODEL_OPTABLE_H

#include "Model/Node.h"

namespace tandem::onnx {

/// A row of the op table (Ops.def).
struct OpRow {
  llvm::StringLiteral name;
  /// Adds to the function what computes the node, and sets its results.
  void (*convert)(Node &node);
  /// The operands that determine shapes, as a bit for each.
  uint32_t shapeOperands;
  /// Whether floats of 16 bits are widened (Node::widenHalves).
  bool isWide = false;
};

/// The operator sets that are understood: those of the default domain from
/// kFirstOpset to kLastOpset.
inline constexpr int64_t kFirstOpset = 6, kLastOpset = 26;

/// Whether `domain` is ONNX's own.
inline bool isDefaultDomain(llvm::StringRef domain) {
  return domain.empty() || domain == "ai.onnx";
}

/// What messages call the op of a node: "Conv", or "com.microsoft.Gelu".
std::string opName(const proto::NodeProto &node);

/// The row of an op; null where it is not in the table.
const OpRow *findOp(llvm::StringRef domain, llvm::StringRef name);

/// Computes the results of ops on shapes (Shape, Gather, Concat, …) while
/// importing, where all operands are known integers, perhaps with free dims.
/// Returns whether it could.
bool evaluateIntegers(Node &node);

} // namespace tandem::onnx

#endif // TANDEM_LIB_IMPORT_ONNX_MODEL_OPTABLE_H
