//===- ByteQuads.h - Products of quads of 8-bit integers ------ -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_BYTEQUADS_H
#define TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_BYTEQUADS_H

#include "Contraction/Cost/ByteProducts.h"

#include "mlir/IR/Builders.h"

namespace tandem {

/// Returns the vectors to multiply for `quads`, a vector of i32, each of which
/// holds four integers of 8 bits. ByteProducts::Quads takes one vector, Words
/// takes two, and Lanes takes four.
llvm::SmallVector<mlir::Value, 4> splitQuads(mlir::OpBuilder &builder,
                                             mlir::Location loc,
                                             mlir::Value quads, bool isSigned,
                                             ByteProducts how);

/// Returns `bytes`, a vector of i8, in the form in which a task copies quads:
/// widened to i16, with the even bytes of each quad before its odd bytes.
mlir::Value widenQuads(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value bytes, bool isSigned);

/// Adds the products of `data` and `weights` to `sum`, a vector of i32. Both
/// are all or some of the vectors that splitQuads returns.
mlir::Value addQuadProducts(mlir::OpBuilder &builder, mlir::Location loc,
                            llvm::ArrayRef<mlir::Value> data,
                            llvm::ArrayRef<mlir::Value> weights,
                            mlir::Value sum);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_BYTEQUADS_H
