//===- TransposeTiles.h - Operands that lie across the lanes ----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes run along the innermost loop, along which results are contiguous. An
// operand that is contiguous along another loop would have to be gathered,
// element by element. Instead, tiles of both loops are loaded as vectors along
// that other loop, and transposed by shuffles.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_LOOP_TRANSPOSETILES_H
#define TANDEM_LIB_TARGET_CPU_LOOP_TRANSPOSETILES_H

#include "KernelScratch.h"
#include "Loop/LaneEmitter.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace tandem {

/// How a kernel with such operands runs: in tiles of two of its loops. The rows
/// of a tile are iterations of loop `rowLoop`, its columns those of the
/// innermost loop.
struct TransposeTiles {
  /// The inputs of the linalg.generic that are contiguous along the rows.
  llvm::SmallVector<unsigned, 2> inputs;
  unsigned rowLoop = 0;
  /// The size of a tile. Both are powers of two, and at most the number of
  /// lanes of a vector register.
  int64_t rows = 1, columns = 1;
  /// The size of a block, which one iteration of the shared loop computes.
  int64_t blockRows = 1, blockColumns = 1;
  /// Whether the tiles of a block follow each other along the rows.
  bool isRowsInner = false;
};

/// Finds the tiles for `op`; nothing where no operand lies across the lanes, or
/// where tiles do not pay because there are few elements. All loops must be
/// parallel and of known size. `width` is the number of lanes of a vector
/// register.
std::optional<TransposeTiles> findTransposeTiles(mlir::linalg::GenericOp op,
                                                 int64_t width);

/// How iterations access an operand, in elements: the offset `origin` in the
/// first iteration, and the stride of each loop.
struct LoopStrides {
  llvm::SmallVector<int64_t> strides;
  int64_t origin = 0;
};

/// The strides of input number `input`; nothing where its indices are not
/// linear in the loops.
std::optional<LoopStrides> getLoopStrides(mlir::linalg::GenericOp op,
                                          unsigned input);

/// Whether a result is written with non-temporal stores
/// (KernelFrame::streamResult).
using StreamQuery = llvm::function_ref<bool(mlir::RankedTensorType type,
                                            int64_t lanes, int64_t rowSize)>;

/// Emits one block of `op`: iteration `iteration` of the loops of
/// getTransposeBlocks. `getBuffer` finds inputs and results in memory; tiles
/// are transposed in memory of `scratch`.
void emitTransposeBlock(mlir::OpBuilder &builder, mlir::linalg::GenericOp op,
                        const TransposeTiles &tiles, mlir::Value iteration,
                        KernelScratch &scratch,
                        llvm::function_ref<Buffer(mlir::Value)> getBuffer,
                        StreamQuery isStreamed);

/// The sizes of the loops that the shared loop is merged from: all loops but
/// the two of the tiles, then blocks of rows and blocks of columns. Blocks
/// follow each other in the opposite direction to the tiles of a block, so that
/// reading continues in the same pages.
llvm::SmallVector<int64_t> getTransposeBlocks(llvm::ArrayRef<int64_t> sizes,
                                              const TransposeTiles &tiles);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_LOOP_TRANSPOSETILES_H
