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

// A pair of bf16 is stored as one i32. AVX-512 BF16 has an instruction that
// multiplies two pairs and adds both products to an f32. Other processors split
// a pair into two f32 by a shift and a mask. In both cases, one load fetches
// two inputs of an output.

/// Returns the upper or the lower halves of `bits`, a vector of i32, as f32.
mlir::Value widenBF16(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value bits, bool isUpper);

/// Returns the vectors to multiply for `pairs`, a vector of i32. If
/// `hasInstruction` is set and there are at least four pairs, this is one
/// vector of bf16, the operand of the instruction. Otherwise these are two
/// vectors of f32, with the first and the second element of each pair.
llvm::SmallVector<mlir::Value, 2> splitPairs(mlir::OpBuilder &builder,
                                             mlir::Location loc,
                                             mlir::Value pairs,
                                             bool hasInstruction);

/// Returns `sum`, a vector of f32, plus the products of `a` and `b`. Both are
/// results of splitPairs, or both are single vectors of f32.
mlir::Value addProducts(mlir::OpBuilder &builder, mlir::Location loc,
                        llvm::ArrayRef<mlir::Value> a,
                        llvm::ArrayRef<mlir::Value> b, mlir::Value sum);

/// Rounds a vector of f32 to bf16 with an instruction that treats subnormal
/// numbers as zeros. Returns null if the vector has fewer than eight lanes.
mlir::Value roundToBF16(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value value);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_BF16PAIRS_H
