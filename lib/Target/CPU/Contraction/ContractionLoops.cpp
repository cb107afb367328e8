//===- ContractionLoops.cpp - From tasks of a contraction to its tiles ----===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction/ContractionLoops.h"

#include "Contraction/Cost/CopiedWeights.h"
#include "Loop/LaneEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tandem {

/// If positions run along the lanes, up to this many tiles at the ends of a row
/// have code of their own with masks, so that all other tiles need no masks.
/// Masks take registers, which are vector registers with AVX2.
static constexpr size_t kMaxMaskedEdges = 2;

/// Returns the mask of the lanes from `first` on that are below `size`.
Value ContractionLoops::createMask(Value first, int64_t size) {
  Value count = arith::SubIOp::create(builder, loc, index(size), first);
  return LaneEmitter::createTailMask(builder, loc, schedule.tile.width, count);
}

void ContractionLoops::emitTask(Value task) {
  Value number;
  if (schedule.isStaged())
    number = delinearizeInnermost(task, schedule.getColumnChunks());
  else if (!areGroups())
    number = delinearizeInnermost(task, schedule.outputs.getTiles());
  Value tileChunk = delinearizeInnermost(task, schedule.getTileChunks());
  Value rowChunk = delinearizeInnermost(task, schedule.getRowChunks());
  Value firstRow = scale(rowChunk, schedule.rowsPerTask);
  Value firstTile = scale(tileChunk, schedule.tilesPerTask);
  Value lastRow = add(firstRow, index(schedule.rowsPerTask));
  if (schedule.rows % schedule.rowsPerTask != 0)
    lastRow =
        arith::MinSIOp::create(builder, loc, lastRow, index(schedule.rows));
  auto emitPart = [&](const ContractionTile &part) {
    if (schedule.rowsPerTask == 1)
      return emitRow(part, firstRow, firstTile);
    emitRows(part, firstRow, lastRow, firstTile);
  };
  if (schedule.isStaged()) {
    emitStaging(firstRow, firstTile);
    return emitColumns(number, emitPart);
  }
  Value group =
      areGroups() ? Value() : delinearizeInnermost(task, schedule.groups);
  emitTiles(group, number, emitPart);
}

/// Emits the tiles of outputs, of all groups, of a task whose data is staged.
void ContractionLoops::emitColumns(Value chunk, EmitPart emitPart) {
  if (areGroups())
    return emitTiles({}, {}, emitPart);
  auto emitColumn = [&](Value column) {
    Value number = delinearizeInnermost(column, schedule.outputs.getTiles());
    Value group = schedule.groups == 1 ? index(0) : column;
    emitTiles(group, number, emitPart);
  };
  Value first = scale(chunk, schedule.columnsPerTask);
  if (schedule.columnsPerTask == 1)
    return emitColumn(first);
  Value last = add(first, index(schedule.columnsPerTask));
  if (schedule.getColumns() % schedule.columnsPerTask != 0)
    last = arith::MinSIOp::create(builder, loc, last,
                                  index(schedule.getColumns()));
  auto loop = scf::ForOp::create(builder, loc, first, last, index(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  emitColumn(loop.getInductionVar());
}

void ContractionLoops::emitRows(Value group, Value number, Value first,
                                Value last) {
  emitTiles(group, number, [&](const ContractionTile &part) {
    emitRows(part, first, last, index(0));
  });
}

/// Emits tile `number` of the outputs of `group`, with a whole tile of
/// positions. If groups run along the lanes, emitGroups() emits the tiles of
/// outputs later, inside the loop over positions.
void ContractionLoops::emitTiles(Value group, Value number, EmitPart emitPart) {
  ContractionTile tile;
  tile.rows = schedule.tile.rows;
  tile.vectors = schedule.tile.vectors;
  tile.group = group;
  if (areGroups())
    emitPart(tile);
  else
    emitOutputs(tile, number, emitPart);
}

/// Emits tile `number` of the outputs, or of the groups if groups run along the
/// lanes. If the last tile is smaller, it has code of its own.
void ContractionLoops::emitOutputs(ContractionTile tile, Value number,
                                   EmitPart emitPart) {
  Value first = scale(number, schedule.outputs.tile);
  tile.output = areGroups() ? index(0) : first;
  if (areGroups())
    tile.group = first;
  const int64_t width = schedule.tile.width;
  const int64_t lanes = arePositions() ? 0 : schedule.outputs.size % width;
  auto emitSize = [&](int64_t size, Value mask) {
    ContractionTile part = tile;
    if (arePositions())
      part.rows = size;
    else
      part.vectors = llvm::divideCeilSigned(size, width);
    part.mask = mask;
    if (emitWeights && !haveRowsOwnWeights(contraction))
      emitWeights(part);
    emitPart(part);
  };
  auto createLastMask = [&]() -> Value {
    return lanes == 0
               ? Value()
               : LaneEmitter::createConstantMask(builder, loc, width, lanes);
  };
  int64_t rest = schedule.outputs.getRest();
  bool isSameCode = rest == 0 || schedule.outputs.getWhole() == 0 ||
                    (!arePositions() && llvm::divideCeilSigned(rest, width) ==
                                            schedule.tile.vectors);
  if (isSameCode) {
    const int64_t size = std::min(schedule.outputs.tile, schedule.outputs.size);
    if (lanes == 0 || schedule.outputs.getTiles() == 1)
      return emitSize(size, createLastMask());
    const int64_t last = (llvm::divideCeilSigned(size, width) - 1) * width;
    return emitSize(size,
                    createMask(add(first, index(last)), schedule.outputs.size));
  }
  Value isLast =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, number,
                            index(schedule.outputs.getWhole()));
  auto branch = scf::IfOp::create(builder, loc, isLast, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  emitSize(rest, createLastMask());
  builder.setInsertionPointToStart(branch.elseBlock());
  emitSize(schedule.outputs.tile, Value());
}

/// Emits one tile of positions. If groups run along the lanes, emits all groups
/// for this tile of positions before the next: groups are adjacent in memory,
/// so memory is then read in order.
void ContractionLoops::emitGroups(const ContractionTile &tile,
                                  EmitPart emitPart) {
  if (!areGroups())
    return emitPart(tile);
  int64_t tiles = schedule.outputs.getTiles();
  if (tiles == 1)
    return emitOutputs(tile, index(0), emitPart);
  auto loop =
      scf::ForOp::create(builder, loc, index(0), index(tiles), index(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  emitOutputs(tile, loop.getInductionVar(), emitPart);
}

void ContractionLoops::emitRows(const ContractionTile &tile, Value first,
                                Value last, Value firstTile) {
  auto loop = scf::ForOp::create(builder, loc, first, last, index(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  emitRow(tile, loop.getInductionVar(), firstTile);
}

void ContractionLoops::emitRow(ContractionTile tile, Value row,
                               Value firstTile) {
  SmallVector<Value> reversed;
  for (size_t i = contraction.spatial.size() - 1; i-- > 0;)
    reversed.push_back(delinearizeInnermost(row, contraction.spatial[i].size));
  tile.outer.assign(reversed.rbegin(), reversed.rend());
  reversed.clear();
  for (size_t i = contraction.batch.size(); i-- > 0;)
    reversed.push_back(delinearizeInnermost(row, contraction.batch[i].size));
  tile.batch.assign(reversed.rbegin(), reversed.rend());
  if (emitWeights && haveRowsOwnWeights(contraction))
    emitWeights(tile);
  emitPositions(tile, firstTile);
}

/// Emits the tiles of a task in one row: the whole tiles, and then the
/// remainder of the row if the task includes the end of the row.
void ContractionLoops::emitPositions(const ContractionTile &tile,
                                     Value firstTile) {
  int64_t whole = schedule.positions.getWhole();
  Value lastTile = add(firstTile, index(schedule.tilesPerTask));
  if (whole > 0)
    emitWholeTiles(
        tile, firstTile,
        arith::MinSIOp::create(builder, loc, lastTile, index(whole)));
  if (schedule.positions.getRest() == 0)
    return;
  if (schedule.getTileChunks() == 1)
    return emitLastTile(tile);
  Value hasEnd = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt,
                                       lastTile, index(whole));
  auto branch = scf::IfOp::create(builder, loc, hasEnd);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  emitLastTile(tile);
}

void ContractionLoops::emitLastTile(ContractionTile tile) {
  int64_t rest = schedule.positions.getRest(), width = schedule.tile.width;
  int64_t first = schedule.positions.getWhole() * schedule.positions.tile;
  tile.position = index(first);
  tile.knownPosition = first;
  tile.isRare = areRare(1);
  if (arePositions()) {
    tile.vectors = llvm::divideCeilSigned(rest, width);
    if (rest % width != 0)
      tile.mask = createMask(index(first + (tile.vectors - 1) * width),
                             schedule.positions.size);
  } else {
    tile.rows = rest;
  }
  emitGroups(tile, [&](const ContractionTile &part) {
    tileEmitter.prefetchAhead(part);
    tileEmitter.finish(part, tileEmitter.emit(part), emitEpilogue);
  });
}

void ContractionLoops::emitWholeTiles(ContractionTile tile, Value firstTile,
                                      Value lastTile) {
  if (schedule.positions.getTiles() == 1)
    return emitTile(tile, index(0));
  auto loop = scf::ForOp::create(builder, loc, firstTile, lastTile, index(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  emitTile(tile, loop.getInductionVar());
}

void ContractionLoops::emitTile(ContractionTile tile, Value number) {
  SmallVector<int64_t> edges;
  int64_t rows = schedule.positions.tile, whole = schedule.positions.getWhole();
  for (int64_t i = 0; i < whole; ++i)
    if (!tileEmitter.isInterior(i * rows, rows))
      edges.push_back(i);
  tile.position = scale(number, rows);
  if (whole == 1 && (arePositions() || edges.size() == 1))
    tile.knownPosition = 0;
  bool areMasked = arePositions() && edges.size() > kMaxMaskedEdges;
  tile.isInterior = arePositions() && !areMasked && !tile.knownPosition;
  if (tile.knownPosition || areMasked)
    edges.clear();
  tile.guardedRows = getGuardedRows(edges);
  if (!tile.guardedRows.empty())
    edges.clear();
  emitGroups(tile, [&](const ContractionTile &part) {
    tileEmitter.prefetchAhead(part);
    tileEmitter.finish(part, emitSums(part, number, edges, whole),
                       emitEpilogue);
  });
}

/// Returns the rows of a tile for which some tap of a tile in `edges` is
/// padding, if all tiles should read these rows through a selected pointer.
/// Selected pointers pay if there are many tiles and if products outnumber the
/// operations that select pointers.
SmallVector<int64_t>
ContractionLoops::getGuardedRows(ArrayRef<int64_t> edges) const {
  constexpr size_t kStepOps = 10, kRowOps = 6;
  int64_t rows = schedule.positions.tile;
  SmallVector<int64_t> guarded;
  // A guarded row selects a pointer to its data, so the data must not need a
  // conversion.
  if (schedule.tile.vectorizedDim != VectorizedDim::OutputChannel ||
      (contraction.getFormat().isWidened() && !schedule.tile.widensData) ||
      contraction.inputsTogether > 1 ||
      schedule.positions.getWhole() < kMinGuardedTiles || edges.empty())
    return guarded;
  for (int64_t row = 0; row < rows; ++row)
    if (llvm::any_of(edges, [&](int64_t edge) {
          return !tileEmitter.isInterior(edge * rows + row, 1);
        }))
      guarded.push_back(row);
  size_t products = rows * schedule.tile.vectors;
  if (kStepOps + kRowOps * guarded.size() > products)
    guarded.clear();
  return guarded;
}

/// Emits the sums of tile `number` of `tiles` tiles. The tiles in `edges`,
/// which have padding, have code of their own. All tiles share the code of the
/// epilogue.
SmallVector<Value> ContractionLoops::emitSums(const ContractionTile &tile,
                                              Value number,
                                              ArrayRef<int64_t> edges,
                                              int64_t tiles) {
  if (edges.empty())
    return tileEmitter.emit(tile);
  ContractionTile edge = tile;
  edge.isInterior = false;
  edge.isRare = areRare(static_cast<int64_t>(edges.size()));
  edge.knownPosition = edges.front() * schedule.positions.tile;
  edge.position = index(*edge.knownPosition);
  if (tiles == 1)
    return tileEmitter.emit(edge);
  Value isEdge = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       number, index(edges.front()));
  auto type =
      VectorType::get({schedule.tile.width}, contraction.getFormat().compute);
  SmallVector<Type> types(tile.rows * tile.vectors, type);
  auto branch = scf::IfOp::create(builder, loc, types, isEdge,
                                  /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, loc, tileEmitter.emit(edge));
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, loc,
                       emitSums(tile, number, edges.drop_front(), tiles - 1));
  return SmallVector<Value>(branch.getResults().begin(),
                            branch.getResults().end());
}

} // namespace tandem
