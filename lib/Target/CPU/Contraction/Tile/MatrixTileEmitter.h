//===- MatrixTileEmitter.h - Tiles of a matrix unit ------------ -*- C++
//-*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_MATRIXTILEEMITTER_H
#define TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_MATRIXTILEEMITTER_H

#include "Contraction/Tile/TileEmitter.h"

namespace tandem {

/// Tiles of positions x vectors of outputs that AMX computes from quads of
/// integers of 8 bits. The sums are tile registers. A tile register holds some
/// of the rows of one vector. LLVM chooses the registers and configures them.
class MatrixTileEmitter : public TileEmitter {
public:
  /// Allocates the memory through which the sums reach vector registers.
  MatrixTileEmitter(mlir::OpBuilder &builder, mlir::Location loc,
                    const TileProblem &problem, KernelScratch &scratch);

  /// Emits the epilogue in a loop over the rows of the tile.
  void finish(const ContractionTile &which, llvm::ArrayRef<mlir::Value> sums,
              EmitEpilogue emitEpilogue) override;

protected:
  Accumulators emitTile() override;

private:
  /// Adds the products of one step, whose quads are `quadStep` weights apart.
  Accumulators emitProducts(Offsets offsets, int64_t quadStep,
                            const Accumulators &sums);
  void store(llvm::ArrayRef<mlir::Value> sums);
  /// The number of rows before `which` that its tile registers also compute. It
  /// is 0 unless `which` has fewer rows than other tiles. The additional rows
  /// belong to the previous tile.
  int64_t getRowsBefore(const ContractionTile &which) const {
    return strategy.rows - which.rows;
  }
  /// The distance between two rows of the data, in elements.
  int64_t getRowStep() const {
    return getInner().stride * getInner().dataStride;
  }
  mlir::Value callX86(llvm::StringRef name, mlir::ValueRange operands);
  mlir::Value loadRegister(int64_t rows, int64_t bytes, mlir::Value pointer,
                           int64_t stride);
  mlir::Value size(int64_t value);

  /// The number of tile registers that hold all rows of a vector, and the
  /// number of rows in each of them.
  int64_t registers, rowsOfRegister;
  mlir::Value memory;
};

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_MATRIXTILEEMITTER_H
