//===- TransposeTiles.h - Operands that lie across the lanes ---*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes run over the innermost loop, along which results are contiguous. An
// operand that is contiguous along another loop would be gathered, element by
// element. It is instead loaded in vectors along that other loop, a tile of
// both loops at a time, and turned by shuffles.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_LOOP_TRANSPOSETILES_H
#define TANDEM_LIB_TARGET_CPU_LOOP_TRANSPOSETILES_H

#include "KernelScratch.h"
#include "Loop/LaneEmitter.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace tandem {

/// How a kernel with such operands runs: in tiles of two of its loops. Rows are
/// iterations of the loop `rowLoop`, columns those of the innermost loop.
struct TransposeTiles {
  /// Inputs of the linalg.generic that are contiguous along the rows.
  llvm::SmallVector<unsigned, 2> inputs;
  unsigned rowLoop = 0;
  /// Of a tile; powers of two, of which a vector register holds either.
  int64_t rows = 1, columns = 1;
  /// Of a block, which is what one iteration of the shared loop runs.
  int64_t blockRows = 1, blockColumns = 1;
  /// Whether the tiles of a block follow each other along the rows.
  bool isRowsInner = false;
};

/// The tiles to run `op` in; nothing where no operand lies across the lanes, or
/// too few elements do. All loops must be parallel and of known size.
/// `width` is the number of lanes that fill a vector register.
std::optional<TransposeTiles> findTransposeTiles(mlir::linalg::GenericOp op,
                                                 int64_t width);

/// Where iterations read an operand, in elements: `origin` in the first, and
/// `strides` per loop from one to the next.
struct LoopStrides {
  llvm::SmallVector<int64_t> strides;
  int64_t origin = 0;
};

/// Nothing where the operand's indices are no sums and products of the loops.
std::optional<LoopStrides> getLoopStrides(mlir::linalg::GenericOp op,
                                          unsigned input);

/// Whether vectors of so many lanes of a result, in rows of so many elements,
/// are stored past the caches (KernelFrame::streamResult).
using StreamQuery = llvm::function_ref<bool(mlir::RankedTensorType type,
                                            int64_t lanes, int64_t rowSize)>;

/// Emits one block of `op`: iteration `iteration` of as many as
/// getTransposeBlocks says. `getBuffer` finds inputs and results in memory, and
/// tiles are turned in memory of `scratch`.
void emitTransposeBlock(mlir::OpBuilder &builder, mlir::linalg::GenericOp op,
                        const TransposeTiles &tiles, mlir::Value iteration,
                        KernelScratch &scratch,
                        llvm::function_ref<Buffer(mlir::Value)> getBuffer,
                        StreamQuery isStreamed);

/// Iterations per loop of those that the shared loop is made of: all loops but
/// the tiles' two, then blocks of rows and blocks of columns. Blocks follow
/// each other across the tiles' order, so that pages that are read are read on.
llvm::SmallVector<int64_t> getTransposeBlocks(llvm::ArrayRef<int64_t> sizes,
                                              const TransposeTiles &tiles);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_LOOP_TRANSPOSETILES_H
