//===- ContractionLoops.h - The loops of a contraction's task ---*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_CONTRACTION_CONTRACTIONLOOPS_H
#define TANDEM_LIB_TARGET_CPU_CONTRACTION_CONTRACTIONLOOPS_H

#include "Contraction/Cost/ContractionSchedule.h"
#include "Contraction/Tile/TileEmitter.h"
#include "IndexBuilder.h"

namespace tandem {

/// Emits the loops of a task over rows of positions and the tiles of each row.
class ContractionLoops : IndexBuilder {
public:
  using EmitEpilogue = TileEmitter::EmitEpilogue;

  /// Emits the staging of a task's data, at the beginning of the task.
  using EmitStaging =
      llvm::function_ref<void(mlir::Value firstRow, mlir::Value firstTile)>;

  /// Emits the code that copies the weights of a tile of outputs. The copy is
  /// made once, before all rows of the tile, or before each row if rows have
  /// weights of their own.
  using EmitWeights = llvm::function_ref<void(const ContractionTile &)>;

  ContractionLoops(mlir::OpBuilder &builder, mlir::Location loc,
                   const Contraction &contraction,
                   const ContractionSchedule &schedule,
                   TileEmitter &tileEmitter, EmitEpilogue emitEpilogue,
                   EmitStaging emitStaging = {}, EmitWeights emitWeights = {})
      : IndexBuilder(builder, loc), contraction(contraction),
        schedule(schedule), tileEmitter(tileEmitter),
        emitEpilogue(emitEpilogue), emitStaging(emitStaging),
        emitWeights(emitWeights) {}

  /// Emits the code of a task. `task` is a number below the schedule's extent.
  void emitTask(mlir::Value task);
  /// Emits all positions of the rows from `first` to before `last`, for tile
  /// `number` of the outputs of `group`. If groups run along the lanes, emits
  /// all groups and ignores `group` and `number`.
  void emitRows(mlir::Value group, mlir::Value number, mlir::Value first,
                mlir::Value last);

private:
  /// If a row has at least this many whole tiles for each tile with padding,
  /// tiles with padding have short code. If a row has at least this many whole
  /// tiles, tiles with padding may share the code of the other tiles (guarded
  /// rows).
  static constexpr int64_t kMinGuardedTiles = 4;

  using EmitPart = llvm::function_ref<void(const ContractionTile &)>;
  void emitOutputs(ContractionTile tile, mlir::Value number, EmitPart emitPart);
  void emitColumns(mlir::Value chunk, EmitPart emitPart);
  void emitGroups(const ContractionTile &tile, EmitPart emitPart);
  void emitTiles(mlir::Value group, mlir::Value number, EmitPart emitPart);
  void emitRows(const ContractionTile &tile, mlir::Value first,
                mlir::Value last, mlir::Value firstTile);
  void emitRow(ContractionTile tile, mlir::Value row, mlir::Value firstTile);
  void emitPositions(const ContractionTile &tile, mlir::Value firstTile);
  void emitWholeTiles(ContractionTile tile, mlir::Value firstTile,
                      mlir::Value lastTile);
  void emitTile(ContractionTile tile, mlir::Value number);
  llvm::SmallVector<int64_t>
  getGuardedRows(llvm::ArrayRef<int64_t> edges) const;
  llvm::SmallVector<mlir::Value> emitSums(const ContractionTile &tile,
                                          mlir::Value number,
                                          llvm::ArrayRef<int64_t> edges,
                                          int64_t tiles);
  void emitLastTile(ContractionTile tile);
  mlir::Value createMask(mlir::Value first, int64_t size);
  /// Whether `tiles` tiles are few compared to the whole tiles of a row.
  bool areRare(int64_t tiles) const {
    return kMinGuardedTiles * tiles <= schedule.positions.getWhole();
  }
  bool arePositions() const {
    return schedule.tile.vectorizedDim == VectorizedDim::Spatial;
  }

  bool areGroups() const {
    return schedule.tile.vectorizedDim == VectorizedDim::Group;
  }

  const Contraction &contraction;
  const ContractionSchedule &schedule;
  TileEmitter &tileEmitter;
  EmitEpilogue emitEpilogue;
  EmitStaging emitStaging;
  EmitWeights emitWeights;
};

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CONTRACTION_CONTRACTIONLOOPS_H
