//===- ReductionSchedule.cpp - How a kernel of reductions runs ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reduction/ReductionSchedule.h"

#include "Loop/Schedule.h"

#include "tandem/Conversion/TandemToLinalg/ReductionStage.h"

#include <algorithm>

using namespace mlir;

namespace tandem {

/// Vectors that are accumulated at once: enough to hide an addition's latency.
static constexpr int64_t kRowVectors = 4, kRowVectorsOfFunctions = 2;
/// By columns every reduction of a stage has its accumulators.
static constexpr int64_t kMaxColumnVectors = 8, kMaxColumns = 128;

int64_t ReductionSchedule::getRowLanes(linalg::GenericOp stage) const {
  int64_t result =
      width * (hasFunctions(stage) ? kRowVectorsOfFunctions : kRowVectors);
  while (result > width && result > sizes[laneLoop])
    result /= 2;
  return result;
}

static int64_t getColumnLanes(ArrayRef<linalg::GenericOp> stages,
                              const ReductionSchedule &schedule,
                              unsigned vectorBits) {
  // AVX-512 has twice the registers of what came before it; half of them are
  // for accumulators.
  int64_t vectors = vectorBits >= 512 ? 16 : 8;
  int64_t mostReductions = 1;
  for (linalg::GenericOp stage : stages) {
    if (hasFunctions(stage))
      vectors = kRowVectorsOfFunctions;
    if (stage.getNumReductionLoops() > 0)
      mostReductions = std::max<int64_t>(
          mostReductions, llvm::count_if(stage.getDpsInitsMutable(), combines));
  }
  vectors = std::min(vectors / mostReductions, kMaxColumnVectors);
  int64_t lanes = schedule.width;
  while (lanes * 2 <= schedule.width * vectors && lanes * 2 <= kMaxColumns &&
         lanes * 2 <= schedule.sizes[schedule.laneLoop])
    lanes *= 2;
  return lanes;
}

ReductionSchedule computeReductionSchedule(ArrayRef<linalg::GenericOp> stages,
                                           unsigned vectorBits) {
  ReductionSchedule schedule;
  linalg::GenericOp first = stages.front();
  schedule.sizes = first.getStaticLoopRanges();
  schedule.numKept = first.getNumParallelLoops();
  schedule.laneLoop =
      chooseContiguousLoop(stages, schedule.sizes.size(), schedule.numKept);
  int64_t widest = 1;
  double ns = 0;
  for (linalg::GenericOp stage : stages) {
    widest = std::max(widest, getWidestElement(stage));
    double elements = 1;
    for (int64_t size : stage.getStaticLoopRanges())
      elements *= static_cast<double>(size);
    ns += estimateNs(stage) * elements;
  }
  // The width is at least two lanes, so that there are vectors.
  schedule.width = std::max<int64_t>(vectorBits / 8 / widest, 2);
  for (int64_t size : ArrayRef(schedule.sizes).take_front(schedule.numKept))
    schedule.extent *= size;
  if (schedule.isByColumns()) {
    int64_t columns = schedule.sizes[schedule.laneLoop];
    schedule.lanes = getColumnLanes(stages, schedule, vectorBits);
    double nsOfLanes = ns / static_cast<double>(schedule.extent) *
                       static_cast<double>(schedule.lanes);
    auto times = static_cast<int64_t>(kNsPerIteration / nsOfLanes) + 1;
    schedule.block =
        schedule.lanes * std::min(times, (columns - 1) / schedule.lanes + 1);
    schedule.extent = schedule.extent / columns * schedule.getBlocks();
  }
  schedule.grain =
      computeGrain(ns / static_cast<double>(schedule.extent), schedule.extent);
  return schedule;
}

} // namespace tandem
