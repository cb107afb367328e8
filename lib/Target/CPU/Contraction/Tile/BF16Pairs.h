//===- BF16Pairs.h - Products of pairs of bf16 ---------------- -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_BF16PAIRS_H
#define TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_BF16PAIRS_H

#include "mlir/IR/Builders.h"

namespace tandem {

// A pair of bf16 is one i32: what an instruction of AVX-512 BF16 multiplies and
// adds to an f32, and what other processors split by a shift and a mask into
// two f32. Either way a load brings two inputs of an output.

/// The upper or the lower halves of `bits`, a vector of i32, as f32.
mlir::Value widenBF16(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value bits, bool isUpper);

/// The vectors whose products are summed for `pairs`: one that the instruction
/// takes, or the first and the second of each pair in f32.
llvm::SmallVector<mlir::Value, 2> splitPairs(mlir::OpBuilder &builder,
                                             mlir::Location loc,
                                             mlir::Value pairs,
                                             bool hasInstruction);

/// `sum`, of f32, and the products of `a` and `b`: both from splitPairs, or
/// vectors of f32.
mlir::Value addProducts(mlir::OpBuilder &builder, mlir::Location loc,
                        llvm::ArrayRef<mlir::Value> a,
                        llvm::ArrayRef<mlir::Value> b, mlir::Value sum);

/// A vector of f32 rounded to bf16 by the instruction for it, which takes
/// subnormal numbers for zeros. Null for fewer lanes than it comes for.
mlir::Value roundToBF16(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value value);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_BF16PAIRS_H
