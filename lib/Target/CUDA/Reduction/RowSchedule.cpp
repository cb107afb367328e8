//===- RowSchedule.cpp - How threads share rows ---------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reduction/RowSchedule.h"

#include "Conversion/KernelToEmitC/CTypes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tandem::codegen;
using namespace tandem::conversion;

/// Threads of a block that has several rows.
static constexpr int64_t kRowsThreads = 256;
/// The widest access of a thread, in bytes.
static constexpr int64_t kVectorBytes = 16;
/// Registers of a thread for its part of a row. With 64 in all an SM runs half
/// of its threads, and each thread has several loads in flight.
static constexpr int64_t kRowRegisters = 32;
/// Vectors of a row that a lane takes before the row is worth several warps.
static constexpr int64_t kMaxWarpSteps = 8;
/// Vectors of a row that a thread of several warps takes, where there are rows
/// enough.
static constexpr int64_t kBlockSteps = 4;
/// The number of threads that keeps a large GPU busy.
static constexpr int64_t kBusyThreads = int64_t(1) << 16;

namespace {

class RowScheduler {
public:
  RowScheduler(ArrayRef<PointEmitter *> stages, unsigned numKept,
               unsigned contiguous)
      : stages(stages), sizes(stages.front()->getSizes()) {
    for (auto [loop, size] : llvm::enumerate(sizes)) {
      (loop < numKept ? schedule.rows : schedule.length) *= size;
      if (loop >= numKept && loop != contiguous)
        schedule.reduced.push_back(loop);
    }
    schedule.reduced.push_back(contiguous);
  }

  RowSchedule compute(bool vectorize);

private:
  int64_t chooseWidth();
  int64_t chooseThreads();
  int64_t chooseRowsPerBlock();
  int64_t registersOfRun();

  ArrayRef<PointEmitter *> stages;
  ArrayRef<int64_t> sizes;
  RowSchedule schedule;
};

} // namespace

/// The narrowest type that is read or written along rows decides.
int64_t RowScheduler::chooseWidth() {
  unsigned contiguous = schedule.reduced.back();
  int64_t narrowest = kVectorBytes;
  for (PointEmitter *points : stages)
    for (OpOperand &operand : points->getOp()->getOpOperands()) {
      auto [buffer, position] = points->accessOf(operand);
      if (buffer && position.isFunctionOfDim(contiguous))
        narrowest = std::min(
            narrowest, byteSize(getElementTypeOrSelf(operand.get().getType())));
    }
  int64_t width = kVectorBytes / narrowest;
  while (sizes[contiguous] % width != 0)
    width /= 2;
  return width;
}

/// Registers that the inputs of a run take that several stages read, or the
/// results that are kept, if those are more.
int64_t RowScheduler::registersOfRun() {
  int64_t inputs = 0, results = 0;
  llvm::SmallDenseSet<PointEmitter::Access> seen;
  for (PointEmitter *points : stages) {
    linalg::GenericOp stage = points->getOp();
    if (stage.getNumLoops() < sizes.size())
      continue;
    for (OpOperand *operand : stage.getDpsInputOperands()) {
      PointEmitter::Access access = points->accessOf(*operand);
      if (access.first && seen.insert(access).second)
        inputs += byteSize(getElementTypeOrSelf(operand->get().getType()));
    }
    if (stage.getNumReductionLoops() > 0)
      for (OpResult result : stage->getResults())
        if (cast<RankedTensorType>(result.getType()).getRank() ==
            int64_t(sizes.size()))
          results += byteSize(getElementTypeOrSelf(result.getType()));
  }
  return llvm::divideCeil(std::max(inputs, results) * schedule.width, 4);
}

int64_t RowScheduler::chooseThreads() {
  int64_t runs = schedule.runs(), rows = schedule.rows;
  int64_t threads = std::min<int64_t>(llvm::PowerOf2Ceil(runs), kWarp);
  if (runs > kWarp * kMaxWarpSteps)
    threads = std::clamp<int64_t>(
        llvm::PowerOf2Ceil(llvm::divideCeil(runs, kBlockSteps)), 2 * kWarp,
        kMaxThreads);
  while (threads >= kWarp && threads < kMaxThreads && threads * 2 <= runs &&
         threads * rows < kBusyThreads)
    threads *= 2;
  // A shuffle needs all lanes of a warp, so either all rows of a warp exist or
  // none does.
  if (threads > 1 && threads < kWarp && rows % (kWarp / threads) != 0)
    return kWarp;
  return threads;
}

int64_t RowScheduler::chooseRowsPerBlock() {
  if (schedule.threads > kWarp)
    return 1;
  int64_t rows = kRowsThreads / schedule.threads;
  while (rows * schedule.threads > 2 * kWarp &&
         schedule.rows * schedule.threads < kBusyThreads)
    rows /= 2;
  return rows;
}

RowSchedule RowScheduler::compute(bool vectorize) {
  schedule.width = vectorize ? chooseWidth() : 1;
  schedule.threads = chooseThreads();
  schedule.rowsPerBlock = chooseRowsPerBlock();
  schedule.steps = llvm::divideCeil(schedule.runs(), schedule.threads);
  schedule.isHeld = schedule.steps * registersOfRun() <= kRowRegisters;
  return schedule;
}

RowSchedule tandem::codegen::computeRowSchedule(ArrayRef<PointEmitter *> stages,
                                                unsigned numKept,
                                                unsigned contiguousLoop,
                                                bool vectorize) {
  return RowScheduler(stages, numKept, contiguousLoop).compute(vectorize);
}
