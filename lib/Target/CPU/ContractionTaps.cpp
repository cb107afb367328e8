//===- ContractionTaps.cpp - The loops of a register tile -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionTile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tandem {

/// Shorter loops over inputs are unrolled.
static constexpr int64_t kMaxUnrolledInputs = 4;

SmallVector<Value> ContractionTileEmitter::emitLoop(
    Value lower, Value upper, int64_t dataStep, int64_t weightsStep,
    Offsets offsets, const Accumulators &sums,
    function_ref<Accumulators(Value, Offsets, const Accumulators &)> emitBody) {
  auto loop = scf::ForOp::create(builder, loc, lower, upper, index(1), sums);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value iteration = loop.getInductionVar();
  Offsets at{addScaled(offsets.data, iteration, dataStep),
             addScaled(offsets.weights, iteration, weightsStep)};
  Accumulators next = emitBody(iteration, at,
                               Accumulators(loop.getRegionIterArgs().begin(),
                                            loop.getRegionIterArgs().end()));
  scf::YieldOp::create(builder, loc, next);
  return Accumulators(loop.getResults().begin(), loop.getResults().end());
}

/// Taps of a dim around the innermost: those that are padding for the tile's
/// row are not visited.
SmallVector<Value>
ContractionTileEmitter::emitOuterTaps(unsigned number, Offsets offsets,
                                      const Accumulators &sums) {
  if (number == tile->outer.size())
    return emitInnerTaps(offsets, sums);
  const Contraction::SpatialDim &dim = contraction.spatial[number];
  auto emitNext = [&](Value, Offsets at, const Accumulators &sumsBefore) {
    return emitOuterTaps(number + 1, at, sumsBefore);
  };
  if (dim.taps == 1 && !dim.isPadded())
    return emitNext({}, offsets, sums);
  Value lower = index(0), upper = index(dim.taps);
  if (dim.isPadded()) {
    // 0 <= at * stride - pad + tap * dilation < size
    Value first =
        addScaled(index(-dim.padLow), tile->outer[number], dim.stride);
    Value low = arith::SubIOp::create(builder, loc, index(0), first);
    Value high =
        arith::SubIOp::create(builder, loc, index(dim.dataSize), first);
    if (dim.dilation != 1) {
      low = arith::CeilDivSIOp::create(builder, loc, low, index(dim.dilation));
      high =
          arith::CeilDivSIOp::create(builder, loc, high, index(dim.dilation));
    }
    lower = arith::MaxSIOp::create(builder, loc, lower, low);
    upper = arith::MinSIOp::create(builder, loc, upper, high);
  }
  return emitLoop(lower, upper, dim.dilation * dim.dataStride,
                  dim.weightsStride, offsets, sums, emitNext);
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

SmallVector<Value>
ContractionTileEmitter::emitInnerTaps(Offsets offsets,
                                      const Accumulators &sums) {
  if (slidesOverTaps(contraction, lanes))
    return emitSlidingTaps(offsets, sums);
  Accumulators result = sums;
  for (const TapRange &range : getTapRanges())
    result = emitTaps(range, offsets, result);
  return result;
}

SmallVector<Value> ContractionTileEmitter::emitTaps(const TapRange &range,
                                                    Offsets offsets,
                                                    const Accumulators &sums) {
  const Contraction::SpatialDim &dim = getInner();
  int64_t dataStep = dim.dilation * dim.dataStride,
          taps = range.lastTap - range.firstTap;
  Offsets first{add(offsets.data, range.firstTap * dataStep),
                add(offsets.weights, range.firstTap * dim.weightsStride)};
  bool isMasked = arePositionsMasked();
  // Taps and inputs are often one run in memory.
  if (!isMasked &&
      dataStep == contraction.inputs * contraction.inputDataStride &&
      dim.weightsStride == contraction.inputs * contraction.inputWeightsStride)
    return emitInputs(taps * contraction.inputs, range, first, sums);
  auto emitTap = [&](Value tap, Offsets at, const Accumulators &before) {
    if (isMasked)
      computeLaneMasks(tap);
    return emitInputs(contraction.inputs, range, at, before);
  };
  if (taps == 1)
    return emitTap(index(range.firstTap), first, sums);
  return emitLoop(index(0), index(taps), dataStep, dim.weightsStride, first,
                  sums, emitTap);
}

bool ContractionTileEmitter::arePositionsMasked() const {
  return lanes == ContractionLanes::Positions &&
         (getInner().isPadded() || tile->mask);
}

/// Lane l of vector v reads position first + v * width + l of the data.
void ContractionTileEmitter::computeLaneMasks(Value tap) {
  const Contraction::SpatialDim &dim = getInner();
  Type i32 = builder.getI32Type();
  auto type = VectorType::get({width}, i32);
  auto numbers = llvm::to_vector(llvm::seq<int32_t>(0, width));
  Value iota = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(type, ArrayRef<int32_t>(numbers)));
  Value first = addScaled(add(tile->position, -dim.padLow), tap, dim.dilation);
  auto compare = [&](arith::CmpIPredicate predicate, Value bound) -> Value {
    Value scalar = arith::IndexCastOp::create(builder, loc, i32, bound);
    return arith::CmpIOp::create(builder, loc, predicate, iota,
                                 splat(type, scalar));
  };
  laneMasks.clear();
  for (int64_t v = 0; v < tile->vectors; ++v) {
    Value at = add(first, v * width);
    Value low = compare(arith::CmpIPredicate::sge,
                        arith::SubIOp::create(builder, loc, index(0), at));
    Value high =
        compare(arith::CmpIPredicate::slt,
                arith::SubIOp::create(builder, loc, index(dim.dataSize), at));
    laneMasks.push_back(arith::AndIOp::create(builder, loc, low, high));
  }
}

SmallVector<Value>
ContractionTileEmitter::emitInputs(int64_t count, const TapRange &range,
                                   Offsets offsets, const Accumulators &sums) {
  if (areDots())
    return emitDots(count, range, offsets, sums);
  int64_t dataStep = contraction.inputDataStride;
  int64_t weightsStep = contraction.inputWeightsStride;
  if (count > kMaxUnrolledInputs)
    return emitLoop(index(0), index(count), dataStep, weightsStep, offsets,
                    sums, [&](Value, Offsets at, const Accumulators &before) {
                      return emitProducts(range, at, before);
                    });
  Accumulators result = sums;
  for (int64_t i = 0; i < count; ++i)
    result = emitProducts(range,
                          {add(offsets.data, i * dataStep),
                           add(offsets.weights, i * weightsStep)},
                          result);
  return result;
}
} // namespace tandem
