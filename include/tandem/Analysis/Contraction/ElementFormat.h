//===- ElementFormat.h - Memory and computing types of elements -*- C++ -*-===//
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

/// The types in which a contraction's elements are stored and its sums are
/// computed.
struct ElementFormat {
  explicit ElementFormat(mlir::Type type)
      : memory(type), compute(type),
        bytes(llvm::divideCeil(type.getIntOrFloatBitWidth(), 8)),
        packedInputs(type.isInteger(8) ? 4
                     : type.isBF16()   ? 2
                                       : 1) {
    if (type.isBF16() || type.isF16())
      compute = mlir::Float32Type::get(type.getContext());
    if (type.isInteger(8))
      compute = mlir::IntegerType::get(type.getContext(), 32);
  }

  /// `memory` is the type of data, weights, bias and result. `compute` is the
  /// type of products and sums, which are rounded to `memory` once. For
  /// integers of 8 bits, `memory` is the type of the data, and sums are not
  /// rounded: the result is of type i32.
  mlir::Type memory, compute;
  /// Size of an element in memory, in bytes.
  int64_t bytes;
  /// The number of inputs of one output that packed weights hold side by side,
  /// so that one instruction multiplies or loads all of them.
  int64_t packedInputs;

  /// Whether elements are converted as they are loaded and stored.
  bool isWidened() const { return memory != compute; }
  /// Whether integers of 8 bits are multiplied.
  bool isBytes() const { return memory.isInteger(8); }
  /// Changes the format of integers of 8 bits so that their products are summed
  /// in f32. The sums must be exact.
  void sumInF32() {
    compute = mlir::Float32Type::get(memory.getContext());
    packedInputs = 1;
  }
};

/// Whether contractions of this element type are computed in f32.
inline bool isComputedInF32(mlir::Type elementType) {
  return ElementFormat(elementType).compute.isF32();
}

} // namespace tandem

#endif // TANDEM_ANALYSIS_CONTRACTION_ELEMENTFORMAT_H
