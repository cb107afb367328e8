//===- WinogradEmitter.cpp - Convolutions of fewer products ---------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction/Winograd/WinogradEmitter.h"

#include "Loop/LaneEmitter.h"

#include "tandem/Target/CPU/WinogradKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tandem {

using namespace winograd;

WinogradEmitter::WinogradEmitter(
    OpBuilder &builder, Location loc, const TransformedConv &conv,
    const Contraction &plain, const WinogradPlan &plan, KernelScratch &scratch,
    Value data, Value weights, Value plainWeights, Value bias,
    EmitEpilogue emitEpilogue, EmitData emitData, FusedPooling *pooling,
    function_ref<Buffer(Value)> getBuffer)
    : IndexBuilder(builder, loc), conv(conv.conv),
      largestData(conv.largestData), plan(plan), data(data), weights(weights),
      bias(bias), emitEpilogue(emitEpilogue), emitData(emitData),
      pooling(pooling), getBuffer(getBuffer),
      type(VectorType::get({plan.tile.width}, builder.getF32Type())),
      transformed(
          scratch.allocate(builder.getF32Type(), plan.getDataElements())),
      products(
          scratch.allocate(builder.getF32Type(), plan.getProductElements())),
      lines(
          scratch.allocate(builder.getF32Type(), kPositions * plan.tile.width)),
      results(scratch.allocate(builder.getF32Type(), kTile * plan.tile.width)),
      zeros(scratch.allocate(builder.getF32Type(), plan.tile.width)),
      magnitudes(
          scratch.allocate(builder.getF32Type(), getMagnitudeElements(plan))),
      marks(scratch.allocate(builder.getI8Type(), plan.slots)),
      directData(
          scratch.allocate(builder.getF32Type(), kPositions * plan.rowStride)),
      directResults(
          scratch.allocate(builder.getF32Type(), kTile * kTile * plan.block)),
      tileEmitter(builder, loc,
                  {plan.products, plan.tile, transformed, weights}),
      directTile(describeDirectTile(plain, plan)),
      directStrategy(getDirectStrategy(plan)),
      directEmitter(builder, loc,
                    {directTile, directStrategy, directData, plainWeights}) {
  store(constant(0), zeros, index(0));
}

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

void WinogradEmitter::emitTask(Value task) {
  Value first = scale(task, plan.tilesPerTask);
  Value count = index(plan.tilesPerTask);
  if (plan.tiles % plan.tilesPerTask != 0) {
    Value left = subtract(index(plan.tiles), first);
    count = atMost(left, plan.tilesPerTask);
  }
  forEach(count, [&](Value slot) { transformData(add(first, slot), slot); });
  forEach(index(plan.products.outputChannels / plan.block), [&](Value block) {
    multiply(block, count);
    forEach(count, [&](Value slot) {
      transformResults(block, add(first, slot), slot);
    });
  });
}

WinogradEmitter::Corner WinogradEmitter::getCorner(Value tile) {
  Corner corner;
  corner.column = scale(delinearizeInnermost(tile, plan.tileColumns), kTile);
  corner.row = scale(delinearizeInnermost(tile, plan.tileRows), kTile);
  corner.batch = tile;
  return corner;
}

//===----------------------------------------------------------------------===//
// Data
//===----------------------------------------------------------------------===//

void WinogradEmitter::transformData(Value tile, Value slot) {
  Corner corner = getCorner(tile);
  int64_t vectors = llvm::divideCeilSigned(conv.inputChannels, plan.tile.width);
  resetMagnitudes();
  forEach(index(vectors),
          [&](Value vector) { transformDataVector(corner, slot, vector); });
  markTile(corner, slot);
}

/// Transforms columns, then rows. Lanes beyond the last input are zeros.
void WinogradEmitter::transformDataVector(const Corner &corner, Value slot,
                                          Value vector) {
  int64_t width = plan.tile.width;
  Value channel = scale(vector, width);
  forEach(index(kSize), [&](Value column) {
    Vectors loaded = loadDataColumn(corner, column, channel);
    recordMagnitudes(column, loaded);
    for (auto [row, value] : llvm::enumerate(applyB(loaded)))
      store(value, lines,
            scale(add(column, static_cast<int64_t>(row) * kSize), width));
  });
  forEach(index(kSize), [&](Value row) {
    Vectors line;
    for (int64_t column = 0; column < kSize; ++column)
      line.push_back(load(
          getPointer(lines, scale(add(scale(row, kSize), column), width))));
    Value at = add(scale(slot, plan.rowStride), channel);
    for (auto [column, value] : llvm::enumerate(applyB(line))) {
      Value position = add(scale(row, kSize), static_cast<int64_t>(column));
      store(value, transformed,
            add(at, scale(position, plan.slots * plan.rowStride)));
    }
  });
}

WinogradEmitter::Vectors WinogradEmitter::loadDataColumn(const Corner &corner,
                                                         Value column,
                                                         Value channel) {
  Value mask = createMask(channel, conv.inputChannels);
  Vectors loaded;
  for (int64_t row = 0; row < kSize; ++row)
    loaded.push_back(loadPosition(corner, index(row), column, channel, mask));
  return loaded;
}

Value WinogradEmitter::loadPosition(const Corner &corner, Value row,
                                    Value column, Value channel, Value mask) {
  const Contraction::SpatialDim &outer = conv.spatial[0];
  const Contraction::SpatialDim &inner = conv.spatial[1];
  Value x = add(add(corner.column, column), -inner.padLow);
  Value y = add(add(corner.row, row), -outer.padLow);
  Value isData = arith::AndIOp::create(
      builder, loc, isWithin(x, inner.dataSize), isWithin(y, outer.dataSize));
  return emitData ? computeData({corner.batch, y, x}, isData, channel, mask)
                  : loadData({corner.batch, y, x}, isData, channel, mask);
}

/// Loads a vector of the data at `at`, or zeros if this is padding.
Value WinogradEmitter::loadData(const Corner &at, Value isData, Value channel,
                                Value mask) {
  Value offset =
      add(scale(at.batch, conv.batch[0].dataStride),
          add(scale(at.row, conv.spatial[0].dataStride),
              add(scale(at.column, conv.spatial[1].dataStride), channel)));
  Value pointer = arith::SelectOp::create(builder, loc, isData,
                                          getPointer(data, offset), zeros);
  return load(pointer, mask);
}

/// Like loadData, but for data of a prologue, which computes no padding.
Value WinogradEmitter::computeData(const Corner &at, Value isData,
                                   Value channel, Value mask) {
  Value row = add(scale(at.batch, conv.spatial[0].dataSize), at.row);
  Value position = add(scale(row, conv.spatial[1].dataSize), at.column);
  Value safe =
      arith::SelectOp::create(builder, loc, isData, position, index(0));
  Value data = emitData(safe, channel, mask);
  // In lanes beyond the last input, the prologue has computed some function of
  // zeros. Set these lanes to zero.
  if (mask)
    data = arith::SelectOp::create(builder, loc, mask, data, constant(0));
  return arith::SelectOp::create(builder, loc, isData, data, constant(0));
}

/// Polynomials at ±a and ±b share even and odd parts: 12 multiply-adds.
WinogradEmitter::Vectors WinogradEmitter::applyB(const Vectors &d) {
  constexpr double kNear2 = kNear * kNear, kFar2 = kFar * kFar;
  auto evaluateAtEnds = [&](Value low, Value middle, Value high) {
    return multiplyAdd(low, kNear2 * kFar2,
                       multiplyAdd(middle, -(kNear2 + kFar2), high));
  };
  Value evenNear = multiplyAdd(d[2], -kFar2, d[4]);
  Value oddNear = multiplyAdd(d[1], -kFar2, d[3]);
  Value evenFar = multiplyAdd(d[2], -kNear2, d[4]);
  Value oddFar = multiplyAdd(d[1], -kNear2, d[3]);
  return {evaluateAtEnds(d[0], d[2], d[4]),
          multiplyAdd(oddNear, kNear, evenNear),
          multiplyAdd(oddNear, -kNear, evenNear),
          multiplyAdd(oddFar, kFar, evenFar),
          multiplyAdd(oddFar, -kFar, evenFar),
          evaluateAtEnds(d[1], d[3], d[5])};
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// The last rows of the last register tile may belong to no Winograd tile.
/// Their products are not read.
void WinogradEmitter::multiply(Value block, Value count) {
  Value tiles =
      arith::CeilDivUIOp::create(builder, loc, count, index(plan.tile.rows));
  forEach(index(kPositions), [&](Value position) {
    forEach(tiles, [&](Value number) {
      ContractionTile tile;
      tile.batch = {position};
      tile.position = scale(number, plan.tile.rows);
      tile.group = index(0);
      tile.output = scale(block, plan.block);
      tile.rows = plan.tile.rows;
      tile.vectors = plan.tile.vectors;
      storeProducts(position, tile.position, tileEmitter.emit(tile));
    });
  });
}

void WinogradEmitter::storeProducts(Value position, Value firstSlot,
                                    ArrayRef<Value> sums) {
  Value at = scale(add(scale(position, plan.slots), firstSlot), plan.block);
  for (int64_t row = 0; row < plan.tile.rows; ++row)
    for (int64_t v = 0; v < plan.tile.vectors; ++v)
      store(sums[row * plan.tile.vectors + v], products,
            add(at, row * plan.block + v * plan.tile.width));
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

void WinogradEmitter::transformResults(Value block, Value tile, Value slot) {
  Corner corner = getCorner(tile);
  Value vectors = index(plan.tile.vectors);
  if (conv.outputChannels % plan.block != 0) {
    Value left = subtract(index(conv.outputChannels), scale(block, plan.block));
    left =
        arith::CeilDivUIOp::create(builder, loc, left, index(plan.tile.width));
    vectors = atMost(left, plan.tile.vectors);
  }
  Value isDirect = isMarked(slot);
  emitIf(isDirect, [&] { emitDirectTile(block, corner); });
  forEach(vectors, [&](Value vector) {
    transformResultVector(block, corner, slot, vector, isDirect);
  });
}

void WinogradEmitter::transformResultVector(Value block, const Corner &corner,
                                            Value slot, Value vector,
                                            Value isDirect) {
  Value lane = scale(vector, plan.tile.width);
  Value output = add(scale(block, plan.block), lane);
  Value isTransformed = arith::XOrIOp::create(
      builder, loc, isDirect,
      arith::ConstantIntOp::create(builder, loc, 1, /*width=*/1));
  emitIf(isTransformed, [&] { transformProductColumns(slot, lane); });
  Value initial;
  if (bias)
    initial =
        load(getPointer(bias, output), createMask(output, conv.outputChannels));
  if (pooling)
    moveStage(corner, output);
  storeResults(corner, output, lane, initial, isDirect);
  if (pooling)
    emitWindows(corner, output);
}

/// Transforms the columns of a tile's products.
void WinogradEmitter::transformProductColumns(Value slot, Value lane) {
  forEach(index(kSize), [&](Value column) {
    Vectors sums;
    for (int64_t row = 0; row < kSize; ++row) {
      Value position = add(column, row * kSize);
      Value at = add(scale(position, plan.slots), slot);
      sums.push_back(
          load(getPointer(products, add(scale(at, plan.block), lane))));
    }
    for (auto [row, value] : llvm::enumerate(applyA(sums)))
      store(value, lines,
            scale(add(column, static_cast<int64_t>(row) * kSize),
                  plan.tile.width));
  });
}

/// Writes the results of one row of a tile, without bias, to `results`.
void WinogradEmitter::emitResultRow(Value row, Value lane, Value isDirect) {
  int64_t width = plan.tile.width;
  auto emitTransformed = [&] {
    Vectors line;
    for (int64_t column = 0; column < kSize; ++column)
      line.push_back(load(
          getPointer(lines, scale(add(scale(row, kSize), column), width))));
    for (auto [column, value] : llvm::enumerate(applyA(line)))
      store(value, results, index(static_cast<int64_t>(column) * width));
  };
  auto emitDirect = [&] {
    forEach(index(kTile), [&](Value column) {
      Value at = scale(add(scale(row, kTile), column), plan.block);
      store(load(getPointer(directResults, add(at, lane))), results,
            scale(column, width));
    });
  };
  emitIf(isDirect, emitDirect, emitTransformed);
}

/// Adds the bias and emits the epilogue, for rows and columns that exist.
void WinogradEmitter::storeResults(const Corner &corner, Value output,
                                   Value lane, Value initial, Value isDirect) {
  ContractionTile tile;
  tile.batch = {corner.batch};
  tile.group = index(0);
  tile.output = output;
  tile.mask = createMask(output, conv.outputChannels);
  forEach(countResults(corner.row, conv.spatial[0].size), [&](Value row) {
    emitResultRow(row, lane, isDirect);
    tile.outer = {add(corner.row, row)};
    forEach(
        countResults(corner.column, conv.spatial[1].size), [&](Value column) {
          tile.position = add(corner.column, column);
          Value sum = load(getPointer(results, scale(column, plan.tile.width)));
          if (initial)
            sum = arith::AddFOp::create(builder, loc, sum, initial);
          emitEpilogue(tile, sum);
        });
  });
}

/// Only sums and differences of the products at ±a and ±b are needed.
WinogradEmitter::Vectors WinogradEmitter::applyA(const Vectors &m) {
  auto addVectors = [&](Value a, Value b) -> Value {
    return arith::AddFOp::create(builder, loc, a, b);
  };
  auto subtract = [&](Value a, Value b) -> Value {
    return arith::SubFOp::create(builder, loc, a, b);
  };
  auto multiplyBy = [&](Value a, double factor) -> Value {
    return arith::MulFOp::create(builder, loc, a, constant(factor));
  };
  Value evenNear = addVectors(m[1], m[2]), oddNear = subtract(m[1], m[2]);
  Value evenFar = addVectors(m[3], m[4]), oddFar = subtract(m[3], m[4]);
  return {
      addVectors(addVectors(m[0], evenNear), evenFar),
      multiplyAdd(oddFar, kFar, multiplyBy(oddNear, kNear)),
      multiplyAdd(evenFar, kFar * kFar, multiplyBy(evenNear, kNear * kNear)),
      multiplyAdd(oddFar, kFar * kFar * kFar,
                  multiplyAdd(oddNear, kNear * kNear * kNear, m[5]))};
}

//===----------------------------------------------------------------------===//
// Indices and memory
//===----------------------------------------------------------------------===//

Value WinogradEmitter::countResults(Value first, int64_t size) {
  if (size % kTile == 0)
    return index(kTile);
  return atMost(subtract(index(size), first), kTile);
}

Value WinogradEmitter::isWithin(Value a, int64_t size) {
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, a,
                               index(size));
}

Value WinogradEmitter::constant(double value) {
  return arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(type, static_cast<float>(value)));
}

Value WinogradEmitter::multiplyAdd(Value a, double factor, Value b) {
  return LLVM::FMulAddOp::create(builder, loc, type, a, constant(factor), b);
}

Value WinogradEmitter::createMask(Value first, int64_t size) {
  if (size % plan.tile.width == 0)
    return {};
  Value count = arith::SubIOp::create(builder, loc, index(size), first);
  return LaneEmitter::createTailMask(builder, loc, plan.tile.width, count);
}

Value WinogradEmitter::getPointer(Value base, Value offset) {
  Value at =
      arith::IndexCastOp::create(builder, loc, builder.getI64Type(), offset);
  return LLVM::GEPOp::create(builder, loc, base.getType(), builder.getF32Type(),
                             base, ValueRange(at));
}

Value WinogradEmitter::load(Value pointer, Value mask) {
  constexpr unsigned kAlignment = 4;
  if (!mask)
    return LLVM::LoadOp::create(builder, loc, type, pointer, kAlignment);
  return LLVM::MaskedLoadOp::create(builder, loc, type, pointer, mask,
                                    constant(0), kAlignment);
}

void WinogradEmitter::store(Value vector, Value base, Value offset) {
  LLVM::StoreOp::create(builder, loc, vector, getPointer(base, offset),
                        /*alignment=*/4);
}

} // namespace tandem
