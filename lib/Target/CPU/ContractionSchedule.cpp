//===- ContractionSchedule.cpp - The order of a contraction's tiles -------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionSchedule.h"

#include "tandem/Runtime/Grain.h"

#include <algorithm>

using namespace mlir;

namespace tandem {

/// Weights that come from far are to be used for so many positions.
static constexpr int64_t kPositionsPerTask = 112, kMinPositionsPerTask = 56;
/// Enough tasks to share out evenly, where each is worth its while.
static constexpr int64_t kWantedTasks = 16;
/// Cycles of a strategy are those of a core with two multiply-adds a cycle; one
/// with half as many, and as fast a clock, takes twice the time.
static constexpr double kCyclesPerNs = 3.5,
                        kGrainCycles = kCyclesPerNs * kGrainNs / 2;

/// Fewer positions are worth a task where the weights of all are near anyway.
static int64_t getMinPositions(const Contraction &contraction,
                               const ContractionSchedule &schedule,
                               int64_t l2Bytes) {
  int64_t weights = contraction.getReduction() * contraction.outputs *
                    contraction.groups * int64_t(sizeof(float));
  bool areNear =
      schedule.tile.lanes == ContractionLanes::Groups || weights <= l2Bytes / 4;
  return areNear ? 1 : kMinPositionsPerTask;
}

/// Positions whose data fits half of the cache beside a tile's weights.
static int64_t getPositionsInCache(const Contraction &contraction,
                                   const ContractionSchedule &schedule,
                                   int64_t l2Bytes) {
  int64_t elementBytes = contraction.getElementBytes();
  bool isPositions = schedule.tile.lanes == ContractionLanes::Positions;
  int64_t outputs = isPositions ? schedule.tile.rows : schedule.tile.getLanes();
  int64_t weights = contraction.getReduction() * outputs * elementBytes;
  int64_t bytes = contraction.inputs * elementBytes;
  for (const Contraction::SpatialDim &dim : contraction.spatial)
    bytes *= dim.stride;
  return std::max(l2Bytes / 2 - weights, l2Bytes / 8) / bytes;
}

ContractionSchedule scheduleContraction(const Contraction &contraction,
                                        ContractionMachine machine) {
  ContractionSchedule schedule;
  schedule.tile = chooseContractionStrategy(contraction, machine);
  const ContractionStrategy &tile = schedule.tile;
  bool isPositions = tile.lanes == ContractionLanes::Positions;
  bool isGroups = tile.lanes == ContractionLanes::Groups;
  int64_t positions = contraction.spatial.back().size;
  schedule.positions = {positions, isPositions ? tile.getLanes() : tile.rows};
  schedule.outputs = {isGroups ? contraction.groups : contraction.outputs,
                      isPositions ? tile.rows : tile.getLanes()};
  schedule.groups = isGroups ? 1 : contraction.groups;
  schedule.rows = contraction.getPositions() / positions;

  int64_t columns =
      isGroups ? 1 : schedule.groups * schedule.outputs.getTiles();
  double wanted =
      std::clamp<double>(tile.cycles / kGrainCycles, 1, kWantedTasks);
  double perTask =
      double(contraction.getPositions()) * double(columns) / wanted;
  int64_t most =
      std::max(kPositionsPerTask,
               getPositionsInCache(contraction, schedule, machine.l2Bytes));
  int64_t target = std::max<int64_t>(
      std::llround(perTask),
      getMinPositions(contraction, schedule, machine.l2Bytes));
  if (!isGroups)
    target = std::min(target, most);
  int64_t tiles = schedule.positions.getTiles();
  schedule.tilesPerTask = tiles;
  if (target >= positions)
    schedule.rowsPerTask = std::min(schedule.rows, target / positions);
  else
    schedule.tilesPerTask =
        std::max<int64_t>(1, target / schedule.positions.tile);
  // Even shares.
  schedule.rowsPerTask = getEvenShare(schedule.rows, schedule.rowsPerTask);
  schedule.tilesPerTask = getEvenShare(tiles, schedule.tilesPerTask);
  schedule.extent =
      columns * schedule.getRowChunks() * schedule.getTileChunks();
  schedule.grain = std::clamp<int64_t>(
      std::llround(kGrainCycles * double(schedule.extent) / tile.cycles), 1,
      schedule.extent);
  return schedule;
}

} // namespace tandem
