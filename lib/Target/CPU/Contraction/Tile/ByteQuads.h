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

/// Returns the vectors whose products are summed for `quads`, a vector of i32
/// of which each holds four integers of 8 bits: 1, 2 or 4 of them.
llvm::SmallVector<mlir::Value, 4> splitQuads(mlir::OpBuilder &builder,
                                             mlir::Location loc,
                                             mlir::Value quads, bool isSigned,
                                             ByteProducts how);

/// Returns the quads of `bytes`, a vector of i8, as a task copies them: i16 of
/// the even bytes of each quad, followed by those of its odd bytes.
mlir::Value widenQuads(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value bytes, bool isSigned);

/// Adds the products of `data` and `weights`, either some or all vectors from
/// splitQuads, to `sum`, a vector of i32.
mlir::Value addQuadProducts(mlir::OpBuilder &builder, mlir::Location loc,
                            llvm::ArrayRef<mlir::Value> data,
                            llvm::ArrayRef<mlir::Value> weights,
                            mlir::Value sum);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_BYTEQUADS_H
