//===- PermuteDims.h - Ops on dims in another order ------------*- C++ -*-===//
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

/// As tandem.transpose's: dim i of the result is dim `permutation[i]`.
using Permutation = llvm::SmallVector<int64_t>;

/// From N, C, spatial dims to N, spatial dims, C; empty for ranks that have no
/// such order, or where it is the same.
Permutation getChannelsLast(int64_t rank);
Permutation invert(llvm::ArrayRef<int64_t> permutation);
llvm::SmallVector<int64_t> permute(llvm::ArrayRef<int64_t> values,
                                   llvm::ArrayRef<int64_t> permutation);
std::string permute(llvm::StringRef layout,
                    llvm::ArrayRef<int64_t> permutation);
mlir::RankedTensorType permute(mlir::RankedTensorType type,
                               llvm::ArrayRef<int64_t> permutation);

/// Whether `op` can be computed on operands with permuted dims. Its result then
/// has permuted dims, too, unless it `dropsDims`: then it stays as it is. A
/// convolution is not asked: its layouts are its own.
bool isPermutable(mlir::Operation *op);
/// Whether `op` is a reduction to a type of lower rank.
bool dropsDims(mlir::Operation *op);
/// How many dims of a permutable op are permuted.
int64_t getPermutedRank(mlir::Operation *op);
/// Whether that operand of a permutable op has the dims that are permuted.
bool hasPermutedDims(mlir::OpOperand &operand);

/// The same on operands that have been permuted where they have the dims, at
/// the builder's place.
mlir::Operation *createPermuted(mlir::OpBuilder &builder, mlir::Operation *op,
                                mlir::ValueRange operands,
                                llvm::ArrayRef<int64_t> permutation);

/// Whether the dims larger than 1 stay in their order.
bool movesNothing(mlir::RankedTensorType type,
                  llvm::ArrayRef<int64_t> permutation);

/// `value` with permuted dims: a constant where it is one, a reshape where no
/// elements move, else a transpose.
mlir::Value createTransposed(mlir::OpBuilder &builder, mlir::Value value,
                             llvm::ArrayRef<int64_t> permutation);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_TRANSFORMS_PERMUTEDIMS_H
