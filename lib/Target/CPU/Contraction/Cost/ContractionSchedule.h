//===- ContractionSchedule.h - The tasks of a contraction -------*- C++ -*-===//
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

/// A dim that is divided into tiles, the last of which may be smaller.
struct TiledDim {
  int64_t size = 1, tile = 1;
  int64_t getWhole() const { return size / tile; }
  int64_t getRest() const { return size % tile; }
  int64_t getTiles() const { return getWhole() + (getRest() ? 1 : 0); }
};

/// How a contraction is divided into tasks. Tasks are in the order
/// [groups][chunks of rows][chunks of positions][outputs]: the data of a chunk
/// stays in the second-level cache while the tiles of outputs, one after the
/// other, use it. Where groups run along the lanes, each tile of positions
/// computes all groups in turn.
///
/// Where data is staged (PrologueBuffer.h), the order is [chunks of
/// rows][chunks of positions][chunks of groups x outputs]: a task stages the
/// data of its positions, and then computes some or, if there are enough tasks,
/// all tiles of outputs from it.
struct ContractionSchedule {
  ContractionStrategy tile;
  /// The positions of the innermost spatial dim, and the outputs. If groups run
  /// along the lanes, `outputs` are the groups.
  TiledDim positions, outputs;
  int64_t groups = 1;
  /// The number of rows, that is, positions of the batch and of all other
  /// spatial dims, and the number of rows of a task.
  int64_t rows = 1, rowsPerTask = 1;
  /// The number of tiles of positions of a task; all tiles of a row if it has
  /// more than one row.
  int64_t tilesPerTask = 1;
  /// The number of tiles of outputs (of all groups) of a task, and the largest
  /// number of positions of the data that a task stages. Both are 0 if data is
  /// not staged.
  int64_t columnsPerTask = 0, stagedPositions = 0;
  /// The number of tasks (for a gaxpy, of vectors of outputs), and how many are
  /// worth handing to a thread together.
  int64_t extent = 1, grain = 1;

  int64_t getRowChunks() const {
    return llvm::divideCeilSigned(rows, rowsPerTask);
  }
  int64_t getTileChunks() const {
    return llvm::divideCeilSigned(positions.getTiles(), tilesPerTask);
  }
  bool isStaged() const { return columnsPerTask > 0; }
  /// The number of tiles of outputs of all groups, or 1 if groups run along the
  /// lanes.
  int64_t getColumns() const {
    return tile.vectorizedDim == VectorizedDim::Group
               ? 1
               : groups * outputs.getTiles();
  }
  int64_t getColumnChunks() const {
    return isStaged() ? llvm::divideCeilSigned(getColumns(), columnsPerTask)
                      : getColumns();
  }
};

/// Makes the schedule of `contraction`. `isStaged` says that its data must be
/// staged, which must be possible (checkStaged). If `mayCopy` is set, the
/// data may also be staged just to convert it, and weights be copied.
/// `epilogueNs` is the time that the ops take which are fused with the
/// contraction, on one core and in nanoseconds.
ContractionSchedule scheduleContraction(const Contraction &contraction,
                                        CoreModel core, bool isStaged = false,
                                        bool mayCopy = true,
                                        double epilogueNs = 0);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CONTRACTION_COST_CONTRACTIONSCHEDULE_H
