//===- TileEmitter.cpp - The loops of a register tile ---------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction/Tile/TileEmitter.h"

#include "Contraction/Cost/ContractionTiles.h"
#include "Contraction/Tile/ChannelTileEmitter.h"
#include "Contraction/Tile/DotTileEmitter.h"
#include "Contraction/Tile/MatrixTileEmitter.h"
#include "Contraction/Tile/PairTileEmitter.h"
#include "Contraction/Tile/PositionTileEmitter.h"
#include "Contraction/Tile/SlidingTileEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <algorithm>

using namespace mlir;

namespace tandem {

/// The rounding error of a sum grows with the number of products that are added
/// one after the other. Loops of more than kMostInSequence steps sum floats in
/// parts of kStepsOfPart steps.
static constexpr int64_t kMostInSequence = 2048, kStepsOfPart = 512;

std::unique_ptr<TileEmitter> createTileEmitter(OpBuilder &builder, Location loc,
                                               const TileProblem &problem,
                                               KernelScratch &scratch) {
  if (problem.strategy.usesMatrixUnit())
    return std::make_unique<MatrixTileEmitter>(builder, loc, problem, scratch);
  VectorizedDim vectorizedDim = problem.strategy.vectorizedDim;
  if (vectorizedDim == VectorizedDim::Spatial)
    return std::make_unique<PositionTileEmitter>(builder, loc, problem);
  if (vectorizedDim == VectorizedDim::InputChannel)
    return std::make_unique<DotTileEmitter>(builder, loc, problem);
  if (slidesOverTaps(problem.contraction, vectorizedDim))
    return std::make_unique<SlidingTileEmitter>(builder, loc, problem);
  if (problem.contraction.inputsTogether > 1)
    return std::make_unique<PairTileEmitter>(builder, loc, problem);
  return std::make_unique<ChannelTileEmitter>(builder, loc, problem);
}

//===----------------------------------------------------------------------===//
// Taps
//===----------------------------------------------------------------------===//

/// The bounds of the level leave out the taps that read padding at the tile's
/// index in this dim.
TileEmitter::Level TileEmitter::getOuterTaps(unsigned number) const {
  const Contraction::SpatialDim &dim = contraction.spatial[number];
  Level level{dim.taps, dim.dilation * dim.dataStride, dim.weightsStride};
  if (!dim.isPadded())
    return level;
  // 0 <= at * stride - pad + tap * dilation < size
  Value first = addScaled(index(-dim.padLow), tile->outer[number], dim.stride);
  Value low = arith::SubIOp::create(builder, loc, index(0), first);
  Value high = arith::SubIOp::create(builder, loc, index(dim.dataSize), first);
  if (dim.dilation != 1) {
    low = arith::CeilDivSIOp::create(builder, loc, low, index(dim.dilation));
    high = arith::CeilDivSIOp::create(builder, loc, high, index(dim.dilation));
  }
  level.lower = arith::MaxSIOp::create(builder, loc, index(0), low);
  level.upper = arith::MinSIOp::create(builder, loc, index(dim.taps), high);
  return level;
}

TileEmitter::Levels TileEmitter::getOuterTaps() const {
  Levels levels;
  for (unsigned i = 0; i < tile->outer.size(); ++i)
    levels.push_back(getOuterTaps(i));
  return levels;
}

TileEmitter::Level TileEmitter::getTaps(const TapRange &range) const {
  const Contraction::SpatialDim &dim = getInner();
  return {range.lastTap - range.firstTap, dim.dilation * dim.dataStride,
          dim.weightsStride};
}

TileEmitter::Level TileEmitter::getInputs(int64_t together) const {
  return {contraction.inputChannels / together,
          together * contraction.inputDataStride,
          contraction.inputWeightsStride};
}

void TileEmitter::appendTaps(Levels &levels, Level taps, Level &inputs) {
  if (inputs.count == 1)
    inputs = taps;
  else if (taps.dataStep == inputs.count * inputs.dataStep &&
           taps.weightsStep == inputs.count * inputs.weightsStep)
    inputs.count *= taps.count;
  else
    levels.push_back(taps);
}

bool TileEmitter::isInterior(int64_t position, int64_t rows) const {
  const Contraction::SpatialDim &dim = getInner();
  return position * dim.stride >= dim.padLow &&
         (position + rows - 1) * dim.stride - dim.padLow +
                 (dim.taps - 1) * dim.dilation <
             dim.dataSize;
}

TileEmitter::TapRange TileEmitter::getAllTaps() const {
  return {0, getInner().taps, 0, tile->rows};
}

bool TileEmitter::isData(int64_t row, int64_t tap) const {
  const Contraction::SpatialDim &dim = getInner();
  int64_t at = (*tile->knownPosition + row) * dim.stride - dim.padLow +
               tap * dim.dilation;
  return at >= 0 && at < dim.dataSize;
}

/// The rows that read data through a tap are contiguous. Successive taps with
/// the same rows share a range.
SmallVector<TileEmitter::TapRange> TileEmitter::getTapRanges() const {
  if (!tile->knownPosition || isInterior(*tile->knownPosition, tile->rows))
    return {getAllTaps()};
  SmallVector<TapRange> ranges;
  for (int64_t tap = 0; tap < getInner().taps; ++tap) {
    int64_t first = 0, last = tile->rows;
    while (first < last && !isData(first, tap))
      ++first;
    while (last > first && !isData(last - 1, tap))
      --last;
    if (!ranges.empty() && ranges.back().lastTap == tap &&
        ranges.back().firstRow == first && ranges.back().lastRow == last)
      ++ranges.back().lastTap;
    else if (first < last)
      ranges.push_back({tap, tap + 1, first, last});
  }
  return ranges;
}

SmallVector<Value> TileEmitter::emitRanges(Accumulators sums,
                                           EmitRange emitRange) {
  Levels outer = getOuterTaps();
  Offsets first = getFirstOffsets(*tile);
  for (const TapRange &range : getTapRanges()) {
    Level taps = getTaps(range);
    Offsets offsets = {add(first.data, range.firstTap * taps.dataStep),
                       add(first.weights, range.firstTap * taps.weightsStep)};
    sums = emitRange(range, outer, offsets, sums);
  }
  return sums;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Emits as few loops as possible, because each loop passes on all
/// accumulators. Levels share one loop, with a single counter, if only the
/// outermost of them has bounds.
SmallVector<Value> TileEmitter::emitLevels(ArrayRef<Level> all, Offsets offsets,
                                           const Accumulators &sums,
                                           EmitStep emitStep) {
  Levels kept;
  llvm::copy_if(all, std::back_inserter(kept), [](const Level &level) {
    return level.lower || level.count != 1;
  });
  ArrayRef<Level> levels = kept;
  if (levels.empty())
    return emitStep(index(0), offsets, sums);
  bool areBounded = llvm::any_of(levels.drop_front(), [](const Level &level) {
    return level.lower != nullptr;
  });
  if (areBounded)
    return emitLoop(levels.take_front(), offsets, sums,
                    [&](Value, Offsets at, const Accumulators &before) {
                      return emitLevels(levels.drop_front(), at, before,
                                        emitStep);
                    });
  if (levels.size() > 1 || levels[0].lower || levels[0].count > mostUnrolled)
    return emitLoop(levels, offsets, sums, emitStep, /*isInnermost=*/true);
  Accumulators result = sums;
  for (int64_t i = 0; i < levels[0].count; ++i)
    result = emitStep(index(i), getOffsets(levels, offsets, index(i)), result);
  return result;
}

/// Returns the offsets that step `number` of all steps of `levels` reads at.
TileEmitter::Offsets TileEmitter::getOffsets(ArrayRef<Level> levels,
                                             Offsets offsets,
                                             Value number) const {
  // Each step advances the offsets by the steps of the innermost level. At the
  // end of a level, the difference to the step of the next outer level is
  // added.
  int64_t unit = 1, dataBefore = 0, weightsBefore = 0;
  for (const Level &level : llvm::reverse(levels)) {
    int64_t dataStep = level.dataStep - dataBefore,
            weightsStep = level.weightsStep - weightsBefore;
    if (dataStep != 0 || weightsStep != 0) {
      Value count =
          unit == 1 ? number
                    : arith::DivUIOp::create(builder, loc, number, index(unit));
      offsets = {addScaled(offsets.data, count, dataStep),
                 addScaled(offsets.weights, count, weightsStep)};
    }
    dataBefore = level.count * level.dataStep;
    weightsBefore = level.count * level.weightsStep;
    unit *= level.count;
  }
  return offsets;
}

/// Returns the number of steps in an iteration of a loop; see
/// kMaxStepsTogether.
int64_t TileEmitter::getStepsTogether(ArrayRef<Level> levels) const {
  constexpr int64_t kMaxProducts = 48;
  const Level &inner = levels.back();
  if (inner.lower || mostUnrolled == 0 || tile->isRare)
    return 1;
  // A product of words has four operations, which need registers of their own.
  int64_t most =
      kMaxProducts / (tile->rows * tile->vectors * (areWords() ? 4 : 1));
  int64_t together = std::clamp<int64_t>(most, 1, kMaxStepsTogether);
  while (inner.count % together != 0)
    --together;
  return together;
}

/// Adds the sums of all parts. `partial` has `count` sums for each part, one
/// part after the other.
SmallVector<Value> TileEmitter::addParts(ArrayRef<Value> partial,
                                         size_t count) {
  Accumulators sums(partial.take_front(count));
  for (size_t i = count; i < partial.size(); ++i) {
    Value &sum = sums[i % count];
    sum = format.compute.isInteger()
              ? arith::AddIOp::create(builder, loc, sum, partial[i]).getResult()
              : arith::AddFOp::create(builder, loc, sum, partial[i]);
  }
  return sums;
}

SmallVector<Value> TileEmitter::emitLoop(ArrayRef<Level> levels,
                                         Offsets offsets,
                                         const Accumulators &sums,
                                         EmitStep emitStep, bool isInnermost) {
  const Level &first = levels.front();
  int64_t together = isInnermost ? getStepsTogether(levels) : 1;
  int64_t unit = 1;
  for (const Level &level : levels.drop_front())
    unit *= level.count;
  Value lower = index(0), upper = index(first.count * unit);
  if (first.lower) {
    lower = addScaled(lower, first.lower, unit);
    upper = addScaled(index(0), first.upper, unit);
  }
  auto emitSteps = [&](Value from, Value to, const Accumulators &before) {
    return emitSequence(levels, offsets, from, to, together, before, emitStep);
  };
  if (first.count * unit <= kMostInSequence || format.compute.isInteger())
    return emitSteps(lower, upper, sums);
  int64_t part = llvm::alignTo(kStepsOfPart, together);
  auto loop = scf::ForOp::create(builder, loc, lower, upper, index(part), sums);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value from = loop.getInductionVar();
  Value to = arith::MinSIOp::create(builder, loc, add(from, part), upper);
  Accumulators zeros(sums.size(),
                     createZero(cast<VectorType>(sums.front().getType())));
  Accumulators all(loop.getRegionIterArgs());
  llvm::append_range(all, emitSteps(from, to, zeros));
  scf::YieldOp::create(builder, loc, addParts(all, sums.size()));
  return Accumulators(loop.getResults());
}

/// Emits a loop over steps [from, to), with `together` steps in an iteration.
SmallVector<Value> TileEmitter::emitSequence(ArrayRef<Level> levels,
                                             Offsets offsets, Value from,
                                             Value to, int64_t together,
                                             const Accumulators &sums,
                                             EmitStep emitStep) {
  const Level &inner = levels.back();
  int64_t parts = std::min(
      together, getPartialSums(int64_t(sums.size()),
                               areWords() ? kWordsInFlight : kFmasInFlight));
  Accumulators partial(sums);
  for (size_t i = 0, rest = (parts - 1) * sums.size(); i < rest; ++i)
    partial.push_back(createZero(cast<VectorType>(sums.front().getType())));
  auto loop =
      scf::ForOp::create(builder, loc, from, to, index(together), partial);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value number = loop.getInductionVar();
    Offsets at = getOffsets(levels, offsets, number);
    llvm::copy(loop.getRegionIterArgs(), partial.begin());
    for (int64_t i = 0; i < together; ++i) {
      if (i > 0)
        separateLoads();
      auto part = partial.begin() + i % parts * sums.size();
      llvm::copy(emitStep(add(number, i),
                          {add(at.data, i * inner.dataStep),
                           add(at.weights, i * inner.weightsStep)},
                          Accumulators(part, part + sums.size())),
                 part);
    }
    scf::YieldOp::create(builder, loc, partial);
  }
  return addParts(SmallVector<Value>(loop.getResults()), sums.size());
}

} // namespace tandem
