//===- ContractionSchedule.h - The order of a contraction's tiles -*- C++ -*-=//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_CONTRACTION_COST_CONTRACTIONSCHEDULE_H
#define TANDEM_LIB_TARGET_CPU_CONTRACTION_COST_CONTRACTIONSCHEDULE_H

#include "tandem/Target/CPU/ContractionStrategy.h"

#include "llvm/Support/MathExtras.h"

namespace tandem {

/// A dim cut into tiles, the last of which may be smaller.
struct TiledDim {
  int64_t size = 1, tile = 1;
  int64_t getWhole() const { return size / tile; }
  int64_t getRest() const { return size % tile; }
  int64_t getTiles() const { return getWhole() + (getRest() ? 1 : 0); }
};

/// Tasks in the order of [groups][chunks of rows][chunks of
/// positions][outputs]: the data of a chunk stays in the second-level cache
/// while the weights of one tile of outputs after the other pass over it. Where
/// groups run along the lanes, each tile of positions has all of them in turn.
///
/// Where data is staged (ContractionStaging.h), in the order of [chunks of
/// rows][chunks of positions][groups x outputs], the last in chunks as well: a
/// task copies the data of its positions, and passes over it with some tiles of
/// outputs, if there are enough tasks with all.
struct ContractionSchedule {
  ContractionStrategy tile;
  /// Positions of the innermost spatial dim; outputs, or groups where these run
  /// along the lanes.
  TiledDim positions, outputs;
  int64_t groups = 1;
  /// All positions of the batch and the other spatial dims, and how many a task
  /// has.
  int64_t rows = 1, rowsPerTask = 1;
  /// Tiles of positions of a task: all, where it has more than one row.
  int64_t tilesPerTask = 1;
  /// Where data is staged: tiles of outputs, of all groups, that a task has,
  /// and positions of the data that a task copies at most. Else 0.
  int64_t columnsPerTask = 0, stagedPositions = 0;
  /// Tasks, of a gaxpy vectors of outputs, and how many are worth running at a
  /// time.
  int64_t extent = 1, grain = 1;

  int64_t getRowChunks() const {
    return llvm::divideCeilSigned(rows, rowsPerTask);
  }
  int64_t getTileChunks() const {
    return llvm::divideCeilSigned(positions.getTiles(), tilesPerTask);
  }
  bool isStaged() const { return columnsPerTask > 0; }
  /// Tiles of outputs of all groups; one where groups run along the lanes.
  int64_t getColumns() const {
    return tile.lanes == ContractionLanes::Groups ? 1
                                                  : groups * outputs.getTiles();
  }
  int64_t getColumnChunks() const {
    return isStaged() ? llvm::divideCeilSigned(getColumns(), columnsPerTask)
                      : getColumns();
  }
};

/// `isStaged`: its data can be (whyNotStaged), and is; it may be anyway where
/// that widens it, `mayWiden`.
ContractionSchedule scheduleContraction(const Contraction &contraction,
                                        ContractionMachine machine,
                                        bool isStaged = false,
                                        bool mayWiden = true);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CONTRACTION_COST_CONTRACTIONSCHEDULE_H
