//===- FusedContraction.h - Contractions with epilogues ---------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a library for contractions can compute in one call. The compiler plans
// such calls, and the providers of devices make them.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_FUSEDCONTRACTION_H
#define TANDEM_RUNTIME_FUSEDCONTRACTION_H

#include "tandem/Runtime/Provider.h"

namespace tandem {

/// How exact a library's contractions of f32 are. Those of other types are
/// always computed with products and sums of at least f32, f64 in f64.
enum class Precision {
  strict, ///< Products of f32, sums of f32.
  tf32,   ///< Operands may be rounded to the 10 mantissa bits of TF32.
};

/// What a device's libraries may do that changes results.
struct LibraryOptions {
  Precision precision = Precision::strict;
  /// Whether a relu that is fused into a library's call may turn NaN into 0.
  /// Where not, relu is fused only into what is known to keep NaN: the op's
  /// definition in the dialect.
  bool mayDropNaN = false;
};

/// The last op of an epilogue. GELU is the approximation by tanh.
enum class Activation { none, relu, geluTanh };

/// activation(contraction + residual + bias), where the sums are not rounded to
/// the element type in between.
struct FusedContraction {
  /// A conv or matmul. A conv's bias is operand 2, as in the dialect; a matmul
  /// may have one here, too, with an element per column. If `hasResidual`, the
  /// last operand is a tensor of the result's type.
  OpSignature contraction;
  bool hasResidual = false;
  Activation activation = Activation::none;

  size_t numBiases() const {
    return contraction.operands.size() - 2 - hasResidual;
  }
};

} // namespace tandem

#endif // TANDEM_RUNTIME_FUSEDCONTRACTION_H
