//===- ContractionWindows.cpp - Contractions that pool --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction/ContractionWindows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <algorithm>
#include <numeric>

using namespace mlir;

namespace tandem {

/// Returns the dim of the result that chunks divide, or nothing if there is
/// only one spatial dim.
static std::optional<int64_t> getChunkDim(const Contraction &contraction) {
  if (contraction.spatial.size() == 1)
    return std::nullopt;
  return contraction.spatial.front().resultDim;
}

WindowSchedule scheduleWindows(const Contraction &contraction,
                               const ContractionWindow &window,
                               const ContractionSchedule &tiles,
                               int64_t elementBytes) {
  WindowSchedule schedule;
  bool areGroups = tiles.tile.vectorizedDim == VectorizedDim::Group;
  schedule.groups = tiles.groups;
  schedule.outputTiles = areGroups ? 1 : tiles.outputs.getTiles();
  for (const Contraction::BatchDim &dim : contraction.batch)
    schedule.images *= dim.size;
  WindowTasks tasks;
  tasks.outputs = areGroups ? contraction.groups : tiles.outputs.tile;
  tasks.columns = schedule.groups * schedule.outputTiles;
  tasks.elementBytes = elementBytes;
  tasks.wanted =
      std::clamp<int64_t>(tiles.extent / tiles.grain, 1, kMaxWantedTasks);
  schedule.chunks = chunkWindows(contraction, window, tasks);
  schedule.extent = schedule.chunks.tasks;
  schedule.grain = std::clamp<int64_t>(
      tiles.grain * schedule.extent / tiles.extent, 1, schedule.extent);
  return schedule;
}

/// Returns the windows of a chunk along the outermost spatial dim.
ContractionWindows::Range ContractionWindows::getWindows(Value chunk) {
  const WindowChunks &chunks = schedule.chunks;
  Value lower = scale(chunk, chunks.perTask);
  Value upper = add(lower, index(chunks.perTask));
  if (chunks.windows % chunks.perTask != 0)
    upper = arith::MinSIOp::create(builder, loc, upper, index(chunks.windows));
  return {lower, upper};
}

/// Returns the range of the contraction's result, along the outermost spatial
/// dim, that `windows` read.
ContractionWindows::Range ContractionWindows::getPart(Range windows) {
  int64_t dim = contraction.spatial.front().resultDim;
  const ContractionWindow::Dim &along = pooling.getWindow().dims[dim];
  Value lower = add(scale(windows.lower, along.stride), index(-along.padLow));
  Value upper = add(scale(windows.upper, along.stride),
                    index(along.extent - along.stride - along.padLow));
  return {arith::MaxSIOp::create(builder, loc, lower, index(0)),
          arith::MinSIOp::create(builder, loc, upper,
                                 index(contraction.spatial.front().size))};
}

/// Returns the channels of the result in tile `number` of `group`, or all
/// channels if groups run along the lanes.
ContractionWindows::Range ContractionWindows::getOutputs(Value group,
                                                         Value number) {
  if (areGroups())
    return {index(0), index(contraction.groups), contraction.groups};
  Value first = scale(group, contraction.outputChannels);
  Value lower = scale(number, tiles.outputs.tile);
  Value upper = add(lower, index(tiles.outputs.tile));
  if (tiles.outputs.getRest() != 0)
    upper =
        arith::MinSIOp::create(builder, loc, upper, index(tiles.outputs.size));
  // The length is either the size of a tile or the size of the smaller last
  // tile, so it is a multiple of the greatest common divisor of both.
  return {add(first, lower), add(first, upper),
          std::gcd(tiles.outputs.getRest(),
                   tiles.outputs.getWhole() > 0 ? tiles.outputs.tile : 0)};
}

void ContractionWindows::emitTask(Value task) {
  const WindowChunks &chunks = schedule.chunks;
  Value number = delinearizeInnermost(task, schedule.outputTiles);
  Value chunk = delinearizeInnermost(task, chunks.getChunks());
  Value batch = delinearizeInnermost(task, schedule.images);
  Value group =
      areGroups() ? Value() : delinearizeInnermost(task, schedule.groups);
  auto emitRows = [&](Range rows) {
    loops.emitRows(group, number, rows.lower, rows.upper);
  };
  Image image{batch, getOutputs(group, number), emitRows};
  Range windows = getWindows(chunk);
  if (chunks.perStep == chunks.perTask)
    return emitStep(image, windows, /*firstOfTask=*/{});
  auto loop = scf::ForOp::create(builder, loc, windows.lower, windows.upper,
                                 index(chunks.perStep));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value lower = loop.getInductionVar();
  Value upper = arith::MinSIOp::create(
      builder, loc, add(lower, index(chunks.perStep)), windows.upper);
  emitStep(image, {lower, upper}, windows.lower);
}

/// Computes a part of the contraction's result, and then the windows over this
/// part. If the task has several steps, `firstOfTask` is the first window of
/// the task; otherwise it is null.
void ContractionWindows::emitStep(const Image &image, Range windows,
                                  Value firstOfTask) {
  ArrayRef<int64_t> shape = contraction.result.getShape();
  SmallVector<Value> first(shape.size(), index(0));
  SmallVector<Range> ranges;
  for (const ContractionWindow::Dim &dim : pooling.getWindow().dims)
    ranges.push_back({index(0), index(dim.size), dim.size});
  Range rows{image.number, add(image.number, index(1))};
  Value number = image.number;
  for (const Contraction::BatchDim &dim : llvm::reverse(contraction.batch)) {
    Value at = delinearizeInnermost(number, dim.size);
    first[dim.resultDim] = at;
    ranges[dim.resultDim] = {at, add(at, index(1))};
  }
  first[contraction.outputDim] = image.outputs.lower;
  ranges[contraction.outputDim] = image.outputs;
  if (std::optional<int64_t> dim = getChunkDim(contraction)) {
    Range part = getPart(windows);
    first[*dim] = part.lower;
    ranges[*dim] = windows;
    Value before = scale(rows.lower, shape[*dim]);
    rows = {add(before, firstOfTask
                            ? emitSlide(part, windows.lower, firstOfTask)
                            : part.lower),
            add(before, part.upper)};
    for (const Contraction::SpatialDim &middle :
         ArrayRef(contraction.spatial).drop_front().drop_back())
      rows = {scale(rows.lower, middle.size), scale(rows.upper, middle.size)};
  }
  pooling.moveTo(first);
  image.emitRows(rows);
  pooling.emitWindows(ranges, getBuffer);
}

/// Moves the rows of `part` that the previous step has computed to the front.
/// `part` is the part of the windows from `window` on. Returns the first row
/// that is still to be computed.
Value ContractionWindows::emitSlide(Range part, Value window,
                                    Value firstOfTask) {
  Range before =
      getPart({add(window, index(-schedule.chunks.perStep)), window});
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        window, firstOfTask);
  Value kept = subtract(before.upper, part.lower);
  kept = arith::SelectOp::create(
      builder, loc, isFirst, index(0),
      arith::MaxSIOp::create(builder, loc, kept, index(0)));
  Value from = subtract(part.lower, before.lower);
  pooling.moveToFront(*getChunkDim(contraction), from, kept);
  return add(part.lower, kept);
}

} // namespace tandem
