//===- GaxpyEmitter.cpp - Rows of weights added to sums -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction/Tile/GaxpyEmitter.h"

#include "Loop/LaneEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tandem {

/// The largest size of the sums of a part, in bytes: half of a first-level
/// cache, because the weights pass through the same cache.
static constexpr int64_t kSumBytes = 16 << 10;

GaxpyEmitter::GaxpyEmitter(OpBuilder &builder, Location loc,
                           const TileProblem &problem, KernelScratch &scratch,
                           EmitEpilogue emitEpilogue)
    : TileMemory(builder, loc, problem), emitEpilogue(emitEpilogue) {
  int64_t bytes = strategy.rows * strategy.width * int64_t(sizeof(float));
  vectorsOfPart = getEvenShare(
      llvm::divideCeilSigned(contraction.outputChannels, strategy.width),
      kSumBytes / bytes);
  memory = scratch.allocate(builder.getF32Type(),
                            vectorsOfPart * strategy.rows * strategy.width);
}

void GaxpyEmitter::emit(Value begin, Value end) {
  Value step = index(vectorsOfPart);
  auto loop = scf::ForOp::create(builder, loc, begin, end, step);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  first = loop.getInductionVar();
  last = arith::MinSIOp::create(
      builder, loc, end,
      arith::AddIOp::create(builder, loc, first, step,
                            arith::IntegerOverflowFlags::nsw));
  emitPart();
}

/// If the inputs cannot be divided into whole passes, the first pass takes the
/// remainder, so that all other passes share the same code.
void GaxpyEmitter::emitPart() {
  int64_t inputs = contraction.inputChannels, step = strategy.passInputs;
  int64_t before = inputs % step ? inputs % step : std::min(inputs, step);
  emitPass(index(0), before, /*isFirst=*/true);
  if (before < inputs) {
    auto loop = scf::ForOp::create(builder, loc, index(before), index(inputs),
                                   index(step));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    emitPass(loop.getInductionVar(), step, /*isFirst=*/false);
  }
  forEachVector([&](Value vector, Value mask) {
    ContractionTile tile = getTile(vector, mask);
    emitEpilogue(tile, addBias(tile, loadSums(vector)));
  });
}

void GaxpyEmitter::emitPass(Value input, int64_t count, bool isFirst) {
  SmallVector<Value> inputs = loadInputs(getTile(index(0), {}), input, count);
  forEachVector([&](Value vector, Value mask) {
    ContractionTile tile = getTile(vector, mask);
    SmallVector<Value> sums = isFirst ? createZeros(tile) : loadSums(vector);
    addInputs(tile, input, inputs, sums);
    for (auto [row, sum] : llvm::enumerate(sums))
      LLVM::StoreOp::create(builder, loc, sum,
                            getSum(vector, static_cast<int64_t>(row)),
                            sizeof(float));
  });
}

SmallVector<Value> GaxpyEmitter::loadInputs(const ContractionTile &tile,
                                            Value first, int64_t count) {
  const Contraction::SpatialDim &dim = getInner();
  Value offset = getFirstOffsets(tile).data;
  SmallVector<Value> inputs;
  for (int64_t i = 0; i < count; ++i) {
    Value at = addScaled(offset, add(first, i), contraction.inputDataStride);
    for (int64_t row = 0; row < tile.rows; ++row)
      inputs.push_back(loadSplat(data, at, row * dim.stride * dim.dataStride));
  }
  return inputs;
}

void GaxpyEmitter::addInputs(const ContractionTile &tile, Value first,
                             ArrayRef<Value> inputs,
                             MutableArrayRef<Value> sums) {
  Value offset = getFirstOffsets(tile).weights;
  for (int64_t i = 0; i * tile.rows < int64_t(inputs.size()); ++i) {
    Value at = addScaled(offset, add(first, i), contraction.inputWeightsStride);
    Value row = loadVector(weights, at, /*distance=*/0, tile.mask);
    for (auto [sum, input] :
         llvm::zip_equal(sums, inputs.slice(i * tile.rows, tile.rows)))
      sum = multiplyAdd(input, row, sum);
  }
}

/// If the last vector of outputs is not whole, it has code of its own.
void GaxpyEmitter::forEachVector(EmitVector emitVector) {
  int64_t whole = contraction.outputChannels / strategy.width;
  bool isCut = contraction.outputChannels % strategy.width != 0;
  Value end =
      isCut ? arith::MinSIOp::create(builder, loc, last, index(whole)) : last;
  OpBuilder::InsertionGuard guard(builder);
  auto loop = scf::ForOp::create(builder, loc, first, end, index(1));
  builder.setInsertionPointToStart(loop.getBody());
  emitVector(loop.getInductionVar(), {});
  if (!isCut)
    return;
  builder.setInsertionPointAfter(loop);
  Value hasLast = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt,
                                        last, index(whole));
  auto branch = scf::IfOp::create(builder, loc, hasLast);
  builder.setInsertionPointToStart(branch.thenBlock());
  emitVector(index(whole), LaneEmitter::createConstantMask(
                               builder, loc, strategy.width,
                               contraction.outputChannels % strategy.width));
}

/// Returns the tile of one vector of outputs and all rows.
ContractionTile GaxpyEmitter::getTile(Value vector, Value mask) {
  ContractionTile tile;
  tile.position = tile.group = index(0);
  tile.knownPosition = 0;
  tile.output =
      arith::MulIOp::create(builder, loc, vector, index(strategy.width),
                            arith::IntegerOverflowFlags::nsw);
  tile.rows = strategy.rows;
  tile.mask = mask;
  return tile;
}

SmallVector<Value> GaxpyEmitter::loadSums(Value vector) {
  SmallVector<Value> sums;
  for (int64_t row = 0; row < strategy.rows; ++row)
    sums.push_back(LLVM::LoadOp::create(builder, loc, vectorType,
                                        getSum(vector, row), sizeof(float)));
  return sums;
}

/// Returns the address of the sum of a row. The layout of sums is [vectors of
/// the part][rows][lanes].
Value GaxpyEmitter::getSum(Value vector, int64_t row) {
  Value number = scale(subtract(vector, first), strategy.rows);
  number = add(number, index(row));
  Value offset =
      arith::IndexCastOp::create(builder, loc, builder.getI64Type(), number);
  return LLVM::GEPOp::create(builder, loc, memory.getType(), vectorType, memory,
                             ValueRange(offset));
}

} // namespace tandem
