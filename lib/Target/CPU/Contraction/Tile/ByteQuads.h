//===- ByteQuads.h - Products of quads of 8-bit integers ------ -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_BYTEQUADS_H
#define TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_BYTEQUADS_H

#include "tandem/Target/CPU/ContractionStrategy.h"

#include "mlir/IR/Builders.h"

namespace tandem {

/// A way to multiply quads of integers of 8 bits and to add the four products
/// to an i32. No way saturates: all sums are exact modulo 2^32.
enum class ByteProducts {
  /// vpdpbusd, which takes unsigned data and signed weights.
  Quads,
  /// vpmaddwd on the even and on the odd bytes, widened to 16 bits.
  Words,
  /// Multiplications of i32, one for each byte. For any processor.
  Lanes
};

/// Returns the fastest way for vectors of `width` quads that `core` has.
ByteProducts chooseByteProducts(const CoreModel &core, int64_t width,
                                bool isDataSigned);

/// Returns the vectors whose products are summed for `quads`, a vector of i32
/// of which each holds four integers of 8 bits: 1, 2 or 4 of them.
llvm::SmallVector<mlir::Value, 4> splitQuads(mlir::OpBuilder &builder,
                                             mlir::Location loc,
                                             mlir::Value quads, bool isSigned,
                                             ByteProducts how);

/// Adds the products of `data` and `weights`, both from splitQuads, to `sum`, a
/// vector of i32.
mlir::Value addQuadProducts(mlir::OpBuilder &builder, mlir::Location loc,
                            llvm::ArrayRef<mlir::Value> data,
                            llvm::ArrayRef<mlir::Value> weights,
                            mlir::Value sum);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_BYTEQUADS_H
