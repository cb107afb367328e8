//===- TransposeTiles.cpp - Operands that lie across the lanes ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loop/TransposeTiles.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;

namespace tandem {

/// A tile is held in registers: so many vectors.
static constexpr int64_t kMaxTile = 16;
/// Below these a gather costs no more than a tile.
static constexpr int64_t kMinRows = 4, kMinColumns = 2;
/// A block of so many rows and columns stays in the second-level cache, and
/// touches no more pages than the TLB holds.
static constexpr int64_t kBlock = 128;
/// The number of columns or rows of a long block, which has fewer of the other
/// ones. Long blocks are used if addresses are congruent modulo kConflictBytes,
/// the size of one way of the first-level cache.
static constexpr int64_t kLongBlock = 512, kConflictBytes = 4096;

/// Whether only sums and products with constants make up the map.
static bool isLinear(AffineMap map) {
  auto isSimple = [](AffineExpr expr) {
    WalkResult result = expr.walk([](AffineExpr part) {
      bool divides = part.getKind() == AffineExprKind::FloorDiv ||
                     part.getKind() == AffineExprKind::CeilDiv ||
                     part.getKind() == AffineExprKind::Mod;
      return divides ? WalkResult::interrupt() : WalkResult::advance();
    });
    return !result.wasInterrupted();
  };
  return llvm::all_of(map.getResults(), isSimple);
}

std::optional<LoopStrides> getLoopStrides(linalg::GenericOp op,
                                          unsigned input) {
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInputOperand(input));
  if (!isLinear(map))
    return std::nullopt;
  auto type = cast<RankedTensorType>(op.getDpsInputs()[input].getType());
  auto offsetOf = [&](ArrayRef<int64_t> loops) {
    int64_t offset = 0;
    for (auto [index, size] : llvm::zip(map.compose(loops), type.getShape()))
      offset = offset * size + index;
    return offset;
  };
  SmallVector<int64_t> loops(map.getNumDims(), 0);
  LoopStrides result;
  result.origin = offsetOf(loops);
  for (int64_t &loop : loops) {
    loop = 1;
    result.strides.push_back(offsetOf(loops) - result.origin);
    loop = 0;
  }
  return result;
}

/// The loop along which the operand is contiguous, where the lanes are not.
static std::optional<unsigned> findRowLoop(linalg::GenericOp op,
                                           unsigned input) {
  OpOperand *operand = op.getDpsInputOperand(input);
  if (op.getMatchingBlockArgument(operand).use_empty())
    return std::nullopt;
  std::optional<LoopStrides> access = getLoopStrides(op, input);
  if (!access || access->strides.back() <= LaneEmitter::kMaxShuffledStep)
    return std::nullopt;
  const auto *unit = llvm::find(access->strides, 1);
  if (unit == access->strides.end())
    return std::nullopt;
  return unit - access->strides.begin();
}

namespace {
/// Whether the columns that a tile loads, and the rows that it stores, compete
/// for one set of the first-level cache.
struct Conflicts {
  bool ofLoads, ofStores;
};
} // namespace

/// Finds the conflicts of loads from the first operand that is transposed, and
/// of stores to the first result.
static Conflicts findConflicts(linalg::GenericOp op,
                               const TransposeTiles &tiles) {
  auto compete = [](int64_t stride, Value tensor) {
    int64_t bits = getElementTypeOrSelf(tensor).getIntOrFloatBitWidth();
    return stride * ((bits + 7) / 8) % kConflictBytes == 0;
  };
  unsigned input = tiles.inputs.front();
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  int64_t rowStride =
      llvm::product_of(ArrayRef(sizes).drop_front(tiles.rowLoop + 1));
  return {compete(getLoopStrides(op, input)->strides.back(),
                  op.getDpsInputs()[input]),
          compete(rowStride, op.getResult(0))};
}

/// Chooses the size of blocks and the order of their tiles. Tiles follow each
/// other along the rows or along the columns. Along the rows, successive loads
/// are adjacent, so that the hardware prefetcher detects them; stores need this
/// less. If loads or stores compete for one set of the cache, lines that a tile
/// reads or writes in part do not stay in the cache. Then the next tile takes
/// the rest of these lines, and the block is long in that direction and short
/// in the other, so that few lines compete. Stores count for more than loads:
/// 16384 x 128 in bf16 take 0.38 ms with long runs of stores and 1.5 ms with
/// short ones; 4096 x 64 in f32 from memory take 61 us with long runs of loads
/// and 135 us with short ones (Zen 5).
static void chooseBlocks(TransposeTiles &tiles, int64_t rows, int64_t columns,
                         Conflicts conflicts) {
  tiles.isRowsInner = !conflicts.ofStores &&
                      (conflicts.ofLoads || rows >= kBlock || rows >= columns);
  bool compete = conflicts.ofLoads || conflicts.ofStores;
  int64_t most = compete ? kLongBlock : kBlock;
  rows = llvm::alignTo(rows, tiles.rows);
  columns = llvm::alignTo(columns, tiles.columns);
  auto blockBeside = [&](int64_t other, int64_t tile) -> int64_t {
    return std::max<int64_t>(llvm::alignDown(kBlock * kBlock / other, tile),
                             tile);
  };
  tiles.blockRows = std::min(most, rows);
  tiles.blockColumns = std::min(most, columns);
  // Without conflicts whole columns are better, where there are few of them.
  if (tiles.isRowsInner != compete)
    tiles.blockRows =
        std::min(blockBeside(tiles.blockColumns, tiles.rows), rows);
  else
    tiles.blockColumns =
        std::min(blockBeside(tiles.blockRows, tiles.columns), columns);
}

std::optional<TransposeTiles> findTransposeTiles(linalg::GenericOp op,
                                                 int64_t width) {
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  if (sizes.size() < 2 || sizes.back() < kMinColumns ||
      llvm::is_contained(sizes, 0))
    return std::nullopt;
  TransposeTiles tiles;
  for (unsigned input = 0; input < op.getNumDpsInputs(); ++input) {
    std::optional<unsigned> loop = findRowLoop(op, input);
    if (!loop || sizes[*loop] < kMinRows)
      continue;
    // The first decides; what lies in yet another way is gathered.
    if (tiles.inputs.empty())
      tiles.rowLoop = *loop;
    if (tiles.rowLoop == *loop)
      tiles.inputs.push_back(input);
  }
  if (tiles.inputs.empty())
    return std::nullopt;
  int64_t most = std::min(width, kMaxTile);
  auto fit = [&](int64_t size) {
    return std::min<int64_t>(most, llvm::PowerOf2Ceil(size));
  };
  int64_t rows = sizes[tiles.rowLoop], columns = sizes.back();
  tiles.rows = fit(rows);
  tiles.columns = fit(columns);
  chooseBlocks(tiles, rows, columns, findConflicts(op, tiles));
  return tiles;
}

SmallVector<int64_t> getTransposeBlocks(ArrayRef<int64_t> sizes,
                                        const TransposeTiles &tiles) {
  SmallVector<int64_t> blocks;
  for (auto [loop, size] : llvm::enumerate(sizes.drop_back()))
    if (loop != tiles.rowLoop)
      blocks.push_back(size);
  blocks.push_back(llvm::divideCeil(sizes[tiles.rowLoop], tiles.blockRows));
  blocks.push_back(llvm::divideCeil(sizes.back(), tiles.blockColumns));
  if (!tiles.isRowsInner)
    std::swap(blocks.back(), blocks[blocks.size() - 2]);
  return blocks;
}

} // namespace tandem
