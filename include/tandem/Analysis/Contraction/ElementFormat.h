//===- ElementFormat.h - How elements are held and computed ----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_ANALYSIS_CONTRACTION_ELEMENTFORMAT_H
#define TANDEM_ANALYSIS_CONTRACTION_ELEMENTFORMAT_H

#include "mlir/IR/BuiltinTypes.h"

#include "llvm/Support/MathExtras.h"

namespace tandem {

/// How the elements of a contraction's operands and result are held in memory,
/// and how its products are summed.
struct ElementFormat {
  explicit ElementFormat(mlir::Type type)
      : memory(type), compute(type),
        bytes(llvm::divideCeil(type.getIntOrFloatBitWidth(), 8)),
        packedInputs(type.isBF16() ? 2 : 1) {
    if (type.isBF16() || type.isF16())
      compute = mlir::Float32Type::get(type.getContext());
  }

  /// Of data, weights, bias and result; of products and sums, which are rounded
  /// once.
  mlir::Type memory, compute;
  /// Of an element in memory.
  int64_t bytes;
  /// Inputs of one output that packed weights have side by side, to be
  /// multiplied by one instruction or loaded by one.
  int64_t packedInputs;

  /// Whether elements are converted as they are loaded and stored.
  bool isWidened() const { return memory != compute; }
};

} // namespace tandem

#endif // TANDEM_ANALYSIS_CONTRACTION_ELEMENTFORMAT_H
