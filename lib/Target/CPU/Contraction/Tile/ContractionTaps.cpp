//===- ContractionTaps.cpp - The loops of a register tile -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction/Tile/ContractionTile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tandem {

/// Loops of fewer products are unrolled.
static constexpr int64_t kMaxUnrolled = 4;

/// Taps of a dim around the innermost: those that are padding for the tile's
/// row are not visited.
ContractionTileEmitter::Level
ContractionTileEmitter::getOuterTaps(unsigned number) const {
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

bool ContractionTileEmitter::isInterior(int64_t position, int64_t rows) const {
  const Contraction::SpatialDim &dim = getInner();
  return position * dim.stride >= dim.padLow &&
         (position + rows - 1) * dim.stride - dim.padLow +
                 (dim.taps - 1) * dim.dilation <
             dim.dataSize;
}

/// The rows for which a tap is no padding are neighbours; taps with the same
/// rows share a loop.
SmallVector<ContractionTileEmitter::TapRange>
ContractionTileEmitter::getTapRanges() const {
  const Contraction::SpatialDim &dim = getInner();
  if (lanes == ContractionLanes::Positions || !tile->knownPosition ||
      isInterior(*tile->knownPosition, tile->rows))
    return {{0, dim.taps, 0, tile->rows}};
  SmallVector<TapRange> ranges;
  for (int64_t tap = 0; tap < dim.taps; ++tap) {
    auto isData = [&](int64_t row) {
      int64_t at = (*tile->knownPosition + row) * dim.stride - dim.padLow +
                   tap * dim.dilation;
      return at >= 0 && at < dim.dataSize;
    };
    int64_t first = 0, last = tile->rows;
    while (first < last && !isData(first))
      ++first;
    while (last > first && !isData(last - 1))
      --last;
    if (!ranges.empty() && ranges.back().lastTap == tap &&
        ranges.back().firstRow == first && ranges.back().lastRow == last)
      ++ranges.back().lastTap;
    else if (first < last)
      ranges.push_back({tap, tap + 1, first, last});
  }
  return ranges;
}

SmallVector<Value> ContractionTileEmitter::emitSums(Accumulators sums) {
  SmallVector<Level> outer;
  for (unsigned i = 0; i < tile->outer.size(); ++i)
    if (contraction.spatial[i].taps > 1 || contraction.spatial[i].isPadded())
      outer.push_back(getOuterTaps(i));
  Offsets first = getFirstOffsets();
  if (slidesOverTaps(contraction, lanes))
    return emitLevels(outer, first, sums,
                      [&](Value, Offsets at, const Accumulators &before) {
                        return emitSlidingTaps(at, before);
                      });
  for (const TapRange &range : getTapRanges())
    sums = emitTaps(range, outer, first, sums);
  return sums;
}

SmallVector<Value> ContractionTileEmitter::emitTaps(const TapRange &range,
                                                    ArrayRef<Level> outer,
                                                    Offsets offsets,
                                                    const Accumulators &sums) {
  const Contraction::SpatialDim &dim = getInner();
  SmallVector<Level> levels(outer);
  Level taps{range.lastTap - range.firstTap, dim.dilation * dim.dataStride,
             dim.weightsStride};
  int64_t together = contraction.hasInputPairs ? 2 : 1;
  Level inputs{contraction.inputChannels / together,
               together * contraction.inputDataStride,
               contraction.inputWeightsStride};
  offsets = {add(offsets.data, range.firstTap * taps.dataStep),
             add(offsets.weights, range.firstTap * taps.weightsStep)};
  if (contraction.inputChannels % together != 0) {
    if (taps.count > 1)
      levels.push_back(taps);
    return emitOddInputs(levels, range, offsets, sums);
  }
  // Taps and inputs are often one run in memory.
  bool isMasked = arePositionsMasked();
  if (!isMasked && taps.dataStep == inputs.count * inputs.dataStep &&
      taps.weightsStep == inputs.count * inputs.weightsStep)
    inputs.count *= taps.count;
  else if (!isMasked && taps.count > 1)
    levels.push_back(taps);
  if (areDots())
    return emitLevels(levels, offsets, sums,
                      [&](Value, Offsets at, const Accumulators &before) {
                        return emitDots(inputs.count, range, at, before);
                      });
  if (inputs.count > 1)
    levels.push_back(inputs);
  auto emitStep = [&](Value number, Offsets at, const Accumulators &before) {
    return contraction.hasInputPairs
               ? emitPairProducts(range, at, /*isHalf=*/false, before)
               : emitProducts(range, number, at, before);
  };
  if (!isMasked)
    return emitLevels(levels, offsets, sums, emitStep);
  // Masks are worth computing once for each tap.
  auto emitMaskedTap = [&](Value tap, Offsets at, const Accumulators &before) {
    computeLaneMasks(tap);
    return emitLevels(levels, at, before, emitStep);
  };
  return taps.count == 1 ? emitMaskedTap(index(0), offsets, sums)
                         : emitLoop(taps, offsets, sums, emitMaskedTap);
}

/// As few loops as there can be, for each passes all accumulators on: levels of
/// which only the outermost has bounds are walked through by one number.
SmallVector<Value> ContractionTileEmitter::emitLevels(ArrayRef<Level> levels,
                                                      Offsets offsets,
                                                      const Accumulators &sums,
                                                      EmitStep emitStep) {
  if (levels.empty())
    return emitStep(index(0), offsets, sums);
  int64_t unit = 1;
  for (const Level &level : levels.drop_front())
    unit *= level.lower ? 0 : level.count;
  if (unit == 0)
    return emitLoop(levels.take_front(), offsets, sums,
                    [&](Value, Offsets at, const Accumulators &before) {
                      return emitLevels(levels.drop_front(), at, before,
                                        emitStep);
                    });
  if (levels.size() > 1 || levels[0].lower || levels[0].count > kMaxUnrolled ||
      slidesOverTaps(contraction, lanes))
    return emitLoop(levels, offsets, sums, emitStep);
  Accumulators result = sums;
  for (int64_t i = 0; i < levels[0].count; ++i)
    result = emitStep(index(i), getOffsets(levels, offsets, index(i)), result);
  return result;
}

/// Where step `number` of all steps of `levels` reads.
ContractionTileEmitter::Offsets
ContractionTileEmitter::getOffsets(ArrayRef<Level> levels, Offsets offsets,
                                   Value number) const {
  // Each step moves on as in the innermost level; the end of a level corrects.
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

SmallVector<Value> ContractionTileEmitter::emitLoop(ArrayRef<Level> levels,
                                                    Offsets offsets,
                                                    const Accumulators &sums,
                                                    EmitStep emitStep) {
  const Level &first = levels.front();
  int64_t unit = 1;
  for (const Level &level : levels.drop_front())
    unit *= level.count;
  Value lower = index(0), upper = index(first.count * unit);
  if (first.lower) {
    lower = addScaled(lower, first.lower, unit);
    upper = addScaled(index(0), first.upper, unit);
  }
  auto loop = scf::ForOp::create(builder, loc, lower, upper, index(1), sums);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value number = loop.getInductionVar();
  Accumulators next = emitStep(number, getOffsets(levels, offsets, number),
                               Accumulators(loop.getRegionIterArgs().begin(),
                                            loop.getRegionIterArgs().end()));
  scf::YieldOp::create(builder, loc, next);
  return Accumulators(loop.getResults().begin(), loop.getResults().end());
}

bool ContractionTileEmitter::arePositionsMasked() const {
  return lanes == ContractionLanes::Positions &&
         (getInner().isPadded() || tile->mask);
}

/// Lane l of the part at offset o reads position first + o + l of the data,
/// which as a number without sign is below its size where it is there. Masks
/// are few registers: those that would be full are null.
void ContractionTileEmitter::computeLaneMasks(Value tap) {
  const Contraction::SpatialDim &dim = getInner();
  Type i32 = builder.getI32Type();
  auto type = VectorType::get({width}, i32);
  auto splatIndex = [&](Value value) {
    return splat(type, arith::IndexCastOp::create(builder, loc, i32, value));
  };
  Value first = addScaled(index(-dim.padLow), tile->position, dim.stride);
  first = splatIndex(addScaled(first, tap, dim.dilation));
  Value size = splatIndex(index(dim.dataSize));
  laneMasks.clear();
  for (int64_t v = 0; v < tile->vectors; ++v)
    for (int64_t offset : getPartOffsets(v)) {
      if (isPartInside(offset)) {
        laneMasks.push_back({});
        continue;
      }
      auto lanes = llvm::to_vector(llvm::seq<int32_t>(offset, offset + width));
      Value at = arith::AddIOp::create(
          builder, loc, first,
          arith::ConstantOp::create(
              builder, loc,
              DenseElementsAttr::get(type, ArrayRef<int32_t>(lanes))));
      laneMasks.push_back(arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::ult, at, size));
    }
}

/// Whether all taps read nothing but data there.
bool ContractionTileEmitter::isPartInside(int64_t offset) const {
  const Contraction::SpatialDim &dim = getInner();
  if (!tile->knownPosition)
    return false;
  int64_t first = *tile->knownPosition * dim.stride - dim.padLow + offset;
  return first >= 0 &&
         first + width - 1 + (dim.taps - 1) * dim.dilation < dim.dataSize;
}

/// As many as the stride; the last ends with the last lane's element, beyond
/// which there may be nothing.
SmallVector<int64_t> ContractionTileEmitter::getPartOffsets(int64_t v) const {
  int64_t stride = getInner().stride, first = v * width * stride;
  SmallVector<int64_t> offsets;
  for (int64_t part = 0; part + 1 < stride; ++part)
    offsets.push_back(first + part * width);
  offsets.push_back(first + (stride - 1) * (width - 1));
  return offsets;
}

/// The lanes of vector `v`, picked from the parts one after the other.
Value ContractionTileEmitter::loadPositions(int64_t v, Value offset) {
  int64_t stride = getInner().stride;
  SmallVector<int64_t> parts = getPartOffsets(v);
  Value result;
  for (auto [part, at] : llvm::enumerate(parts)) {
    Value loaded = loadVector(
        data, offset, at,
        arePositionsMasked() ? laneMasks[v * stride + part] : Value());
    SmallVector<int32_t> picked;
    for (int64_t lane = 0; lane < width; ++lane) {
      int64_t element = (v * width + lane) * stride - at;
      bool isHere = element >= 0 && element < width;
      picked.push_back(isHere ? (result ? width : 0) + element : lane);
    }
    if (stride == 1)
      return loaded;
    result = LLVM::ShuffleVectorOp::create(
        builder, loc, result ? result : loaded, loaded, picked);
  }
  return result;
}

} // namespace tandem
