//===- ContractionSchedule.cpp - The order of a contraction's tiles -------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction/Cost/ContractionSchedule.h"

#include "Contraction/Cost/ByteProducts.h"
#include "Contraction/Cost/StagedData.h"
#include "Contraction/PrologueBuffer.h"

#include "tandem/Runtime/Kernels/Grain.h"

#include <algorithm>

using namespace mlir;

namespace tandem {

/// The least number of positions of a task: 1 if the weights of all outputs
/// stay in the second-level cache, so that reading them again costs little.
static int64_t getMinPositions(const Contraction &contraction,
                               const ContractionSchedule &schedule,
                               int64_t l2Bytes) {
  int64_t weights = contraction.getReduction() * contraction.outputChannels *
                    contraction.groups * int64_t(sizeof(float));
  bool areNear = schedule.tile.vectorizedDim == VectorizedDim::Group ||
                 weights <= l2Bytes / 4;
  return areNear ? 1 : kMinPositionsPerTask;
}

/// The number of positions whose data fits in half of the cache beside the
/// weights of a tile. Copied weights should be used for as many positions as
/// possible, so data and weights may then fill almost all of the cache.
static int64_t getPositionsInCache(const Contraction &contraction,
                                   const ContractionSchedule &schedule,
                                   int64_t l2Bytes) {
  int64_t elementBytes = contraction.getFormat().bytes;
  bool isPositions = schedule.tile.vectorizedDim == VectorizedDim::Spatial;
  int64_t outputs = isPositions ? schedule.tile.rows : schedule.tile.getLanes();
  int64_t weights = contraction.getReduction() * outputs * elementBytes;
  int64_t bytes = contraction.inputChannels * elementBytes;
  for (const Contraction::SpatialDim &dim : contraction.spatial)
    bytes *= dim.stride;
  int64_t room = schedule.tile.copiesWeights ? l2Bytes * 7 / 8 : l2Bytes / 2;
  return std::max(room - weights, l2Bytes / 8) / bytes;
}

/// The largest number of positions of the data that a task reads.
static int64_t getStagedPositions(const Contraction &contraction,
                                  const ContractionSchedule &schedule) {
  int64_t most = 0;
  int64_t step = schedule.tilesPerTask * schedule.positions.tile;
  for (int64_t row = 0; row < schedule.rows; row += schedule.rowsPerTask)
    for (int64_t at = 0; at < schedule.positions.size; at += step) {
      StagedRange range = getStagedRange(
          contraction, row,
          std::min(row + schedule.rowsPerTask, schedule.rows) - 1, at,
          std::min(at + step, schedule.positions.size) - 1);
      most = std::max(most, range.last - range.first);
    }
  return most;
}

/// Divides staged work into tasks: chunks whose data fits in the staging
/// buffer, and enough parts of the outputs for `wanted` tasks.
static void stage(const Contraction &contraction, int64_t wanted,
                  ContractionSchedule &schedule) {
  int64_t steps = getLeastSteps(contraction);
  // Rows are padded as a whole.
  const bool areRowsWhole = schedule.tile.padsData;
  if (contraction.spatial.size() == 1) {
    schedule.tilesPerTask =
        areRowsWhole
            ? schedule.positions.getTiles()
            : std::max(schedule.tilesPerTask,
                       llvm::divideCeilSigned(steps, schedule.positions.tile));
  } else {
    // A chunk that is a part of a row would read almost as much data as a whole
    // row.
    schedule.tilesPerTask = schedule.positions.getTiles();
    for (const Contraction::SpatialDim &dim :
         ArrayRef(contraction.spatial).drop_front().drop_back())
      steps *= dim.size;
    schedule.rowsPerTask =
        getEvenShare(schedule.rows, std::max(schedule.rowsPerTask, steps));
  }
  ElementFormat format = contraction.getFormat();
  if (schedule.tile.widensData)
    format = ElementFormat(getCopyType(format));
  double bytes = double(getStagedInputs(contraction) * format.bytes);
  if (schedule.tile.padsData)
    bytes *= double(withPaddedRows(contraction).spatial.back().dataSize) /
             double(contraction.spatial.back().dataSize);
  while (true) {
    schedule.stagedPositions = getStagedPositions(contraction, schedule);
    const bool hasRows = schedule.rowsPerTask > 1;
    int64_t &share = hasRows ? schedule.rowsPerTask : schedule.tilesPerTask;
    if (double(schedule.stagedPositions) * bytes <= kMaxStagedBytes ||
        share == 1 || (areRowsWhole && !hasRows))
      break;
    share = llvm::divideCeilSigned(share, 2);
  }
  int64_t chunks = schedule.getRowChunks() * schedule.getTileChunks();
  int64_t parts =
      std::clamp<int64_t>(wanted / chunks, 1, schedule.getColumns());
  schedule.columnsPerTask =
      getEvenShare(schedule.getColumns(),
                   llvm::divideCeilSigned(schedule.getColumns(), parts));
}

ContractionSchedule scheduleContraction(const Contraction &contraction,
                                        CoreModel core, bool isStaged,
                                        bool mayCopy, double epilogueNs) {
  ContractionSchedule schedule;
  schedule.tile = chooseContractionStrategy(contraction, core, mayCopy);
  const ContractionStrategy &tile = schedule.tile;
  isStaged |= tile.stagesData();
  bool isPositions = tile.vectorizedDim == VectorizedDim::Spatial;
  bool isGroups = tile.vectorizedDim == VectorizedDim::Group;
  int64_t positions = contraction.spatial.back().size;
  schedule.positions = {positions, isPositions ? tile.getLanes() : tile.rows};
  schedule.outputs = {isGroups ? contraction.groups
                               : contraction.outputChannels,
                      isPositions ? tile.rows : tile.getLanes()};
  schedule.groups = isGroups ? 1 : contraction.groups;
  schedule.rows = contraction.getPositions() / positions;

  int64_t columns = isStaged ? 1 : schedule.getColumns();
  const double grains =
      (tile.cycles / core.cyclesPerNs + epilogueNs) / kGrainNs;
  const double wanted = std::clamp<double>(grains, 1, kWantedTasks);
  double perTask =
      double(contraction.getPositions()) * double(columns) / wanted;
  int64_t most =
      std::max(kPositionsPerTask,
               getPositionsInCache(contraction, schedule, core.l2Bytes));
  int64_t target =
      std::max<int64_t>(std::llround(perTask),
                        getMinPositions(contraction, schedule, core.l2Bytes));
  if (tile.copiesWeights)
    target = std::max(target, columns < kWantedTasks ? kPositionsPerTask
                                                     : 2 * kPositionsPerTask);
  if (!isGroups)
    target = std::min(target, most);
  int64_t tiles = schedule.positions.getTiles();
  schedule.tilesPerTask = tiles;
  if (target >= positions)
    schedule.rowsPerTask = std::min(schedule.rows, target / positions);
  else
    schedule.tilesPerTask =
        std::max<int64_t>(1, target / schedule.positions.tile);
  // Make all tasks about equally large.
  schedule.rowsPerTask = getEvenShare(schedule.rows, schedule.rowsPerTask);
  schedule.tilesPerTask = getEvenShare(tiles, schedule.tilesPerTask);
  if (isStaged)
    stage(contraction, std::llround(wanted), schedule);
  schedule.extent =
      tile.isGaxpy()
          ? llvm::divideCeilSigned(contraction.outputChannels, tile.width)
          : schedule.getColumnChunks() * schedule.getRowChunks() *
                schedule.getTileChunks();
  schedule.grain = std::clamp<int64_t>(
      std::llround(double(schedule.extent) / grains),
      tile.isGaxpy() ? std::min(tile.vectors, schedule.extent) : 1,
      schedule.extent);
  return schedule;
}

} // namespace tandem
