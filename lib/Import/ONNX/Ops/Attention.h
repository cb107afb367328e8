//===- Attention.h - What ops of attention share -------------- -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_IMPORT_ONNX_OPS_ATTENTION_H
#define TANDEM_LIB_IMPORT_ONNX_OPS_ATTENTION_H

#include "Model/Ops.h"

namespace tandem::onnx {

/// (B, S, heads * D) as (B, heads, S, D), and back.
mlir::Value splitHeads(Node &node, mlir::Value x, int64_t heads);
mlir::Value mergeHeads(Node &node, mlir::Value x);
/// 0 where `condition` holds, -inf elsewhere, in the type of `like`.
mlir::Value maskUnless(Node &node, mlir::Value condition, mlir::Value like);
/// One bias and another, either of which may be missing.
mlir::Value combine(Node &node, mlir::Value bias, mlir::Value more);

/// The operands of Attention and QAttention of com.microsoft beside input and
/// weights.
struct AttentionOperands {
  unsigned mask, past;
  std::optional<unsigned> bias;
};
/// Sets the results of Attention or QAttention. `projection` has the queries,
/// keys and values side by side: (B, S, sum of their hidden sizes).
void attendProjection(Node &node, mlir::Value projection,
                      const AttentionOperands &operands);

} // namespace tandem::onnx

#endif // TANDEM_LIB_IMPORT_ONNX_OPS_ATTENTION_H
