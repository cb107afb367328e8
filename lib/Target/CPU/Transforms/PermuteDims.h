//===- PermuteDims.h - Ops with permuted dims -------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_TRANSFORMS_PERMUTEDIMS_H
#define TANDEM_LIB_TARGET_CPU_TRANSFORMS_PERMUTEDIMS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tandem {

/// A permutation as in tandem.transpose: dim i of the result is dim
/// `permutation[i]` of the operand.
using Permutation = llvm::SmallVector<int64_t>;

/// The permutation from N, C, spatial dims to N, spatial dims, C; empty for
/// ranks that have no such layout, or in which it changes nothing.
Permutation getChannelsLast(int64_t rank);
Permutation invert(llvm::ArrayRef<int64_t> permutation);
llvm::SmallVector<int64_t> permute(llvm::ArrayRef<int64_t> values,
                                   llvm::ArrayRef<int64_t> permutation);
std::string permute(llvm::StringRef layout,
                    llvm::ArrayRef<int64_t> permutation);
mlir::RankedTensorType permute(mlir::RankedTensorType type,
                               llvm::ArrayRef<int64_t> permutation);

/// Whether `op` can be computed on operands with permuted dims. Its result then
/// has permuted dims too, unless dropsDims holds, in which case it does not
/// change. Not to be called for convolutions, which have layouts of their own.
bool isPermutable(mlir::Operation *op);
/// Whether `op` is a reduction to a type of lower rank.
bool dropsDims(mlir::Operation *op);
/// The number of dims of a permutable op that are permuted.
int64_t getPermutedRank(mlir::Operation *op);
/// Whether an operand of a permutable op has the dims that are permuted.
bool hasPermutedDims(mlir::OpOperand &operand);

/// Creates a copy of `op` at the builder's insertion point, on `operands` whose
/// dims have been permuted where hasPermutedDims holds.
mlir::Operation *createPermuted(mlir::OpBuilder &builder, mlir::Operation *op,
                                mlir::ValueRange operands,
                                llvm::ArrayRef<int64_t> permutation);

/// Whether a permutation keeps the order of the dims larger than 1, so that no
/// elements move.
bool movesNothing(mlir::RankedTensorType type,
                  llvm::ArrayRef<int64_t> permutation);

/// Creates `value` with permuted dims: as a constant if it is one, as a reshape
/// if no elements move, otherwise as a transpose.
mlir::Value createTransposed(mlir::OpBuilder &builder, mlir::Value value,
                             llvm::ArrayRef<int64_t> permutation);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_TRANSFORMS_PERMUTEDIMS_H
