//===- WinogradGuard.cpp - Tiles that run without Winograd's products -----===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The transforms mix all data of a tile. The error of each result is therefore
// relative to the largest element of the tile, even if the result does not
// depend on this element, and an infinity or NaN spreads to all results of the
// tile. The largest magnitude of each tile is found while the tile is
// transformed. If it is too large or too small, or too large in proportion to
// the other data, the tile is computed directly from the original data.
//
//===----------------------------------------------------------------------===//

#include "Contraction/Winograd/WinogradEmitter.h"

#include "tandem/Target/CPU/WinogradKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/bit.h"

using namespace mlir;

namespace tandem {

using namespace winograd;

/// The largest allowed ratio of the largest magnitude in a tile to the largest
/// magnitude that one of its results reads. The errors of the result are then
/// below 2⁻¹² of its scale.
static constexpr float kRatio = 4096;
/// If all magnitudes in a tile are below this, intermediate values lose digits
/// to underflow.
static constexpr float kSmallestData = 0x1p-120F;

/// Rows 2 and 3 of the data: each window of 3x3 reads at least one of them.
static constexpr int64_t kFirstCentral = kTaps - 1, kCentrals = 2;
/// The number of vectors of magnitudes for each column: one of the maxima over
/// all rows, and one for each central row.
static constexpr int64_t kMagnitudes = 1 + kCentrals;

int64_t WinogradEmitter::getMagnitudeElements(const WinogradPlan &plan) {
  return kSize * kMagnitudes * plan.tile.width;
}

Value WinogradEmitter::getMagnitudes(Value vector) {
  auto bits = type.clone(builder.getI32Type());
  Value mask = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(bits, int32_t(0x7fffffff)));
  return arith::AndIOp::create(
      builder, loc, arith::BitcastOp::create(builder, loc, bits, vector), mask);
}

Value WinogradEmitter::getLarger(Value a, Value b) {
  return arith::MaxUIOp::create(builder, loc, a, b);
}

void WinogradEmitter::resetMagnitudes() {
  forEach(index(kSize * kMagnitudes), [&](Value number) {
    store(constant(0), magnitudes, scale(number, plan.tile.width));
  });
}

/// Magnitudes are compared as integers. In this order, infinities are larger
/// than all numbers, and NaNs are larger than infinities.
void WinogradEmitter::recordMagnitudes(Value column, const Vectors &loaded) {
  Vectors values = llvm::map_to_vector<6>(
      loaded, [&](Value vector) { return getMagnitudes(vector); });
  Value largest = values[0];
  for (Value value : ArrayRef(values).drop_front())
    largest = getLarger(largest, value);
  Value base = scale(column, kMagnitudes * plan.tile.width);
  auto record = [&](Value value, int64_t number) {
    recordLarger(value, magnitudes, add(base, number * plan.tile.width));
  };
  record(largest, 0);
  for (int64_t i = 0; i < kCentrals; ++i)
    record(values[kFirstCentral + i], 1 + i);
}

/// Replaces the magnitudes in memory, which are stored as floats, by those of
/// `value` in all lanes in which `value` is larger.
void WinogradEmitter::recordLarger(Value value, Value base, Value at) {
  Value before = arith::BitcastOp::create(builder, loc, value.getType(),
                                          load(getPointer(base, at)));
  store(arith::BitcastOp::create(builder, loc, type, getLarger(before, value)),
        base, at);
}

/// Loads vector `number` of the magnitudes that were recorded for a column.
Value WinogradEmitter::loadMagnitudes(Value column, Value number) {
  Value at = scale(add(scale(column, kMagnitudes), number), plan.tile.width);
  return arith::BitcastOp::create(builder, loc,
                                  type.clone(builder.getI32Type()),
                                  load(getPointer(magnitudes, at)));
}

Value WinogradEmitter::reduceMagnitudes(Value vector) {
  return LLVM::vector_reduce_umax::create(builder, loc, builder.getI32Type(),
                                          vector);
}

/// A lower bound for the largest magnitude that any result reads, from values
/// that have been recorded: each window of the tile contains one of the central
/// positions. In a tile that is cut short, no window reaches the last central
/// positions, which may be padding, so they are left out.
Value WinogradEmitter::findSmallestCentral(const Corner &corner) {
  auto getLast = [&](Value first, int64_t size) -> Value {
    if (size % kTile == 0)
      return index(1);
    Value isWhole =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                              countResults(first, size), index(kTile));
    return arith::SelectOp::create(builder, loc, isWhole, index(1), index(0));
  };
  Value rows[] = {index(0), getLast(corner.row, conv.spatial[0].size)};
  Value columns[] = {index(0), getLast(corner.column, conv.spatial[1].size)};
  Value smallest;
  for (Value row : rows)
    for (Value column : columns) {
      Value central = reduceMagnitudes(
          loadMagnitudes(add(column, kFirstCentral), add(row, 1)));
      smallest = smallest
                     ? arith::MinUIOp::create(builder, loc, smallest, central)
                           .getResult()
                     : central;
    }
  return smallest;
}

/// Finds the largest magnitude that each result of the tile reads, and returns
/// the smallest of them. Works on a copy of the data.
Value WinogradEmitter::findSmallestWindow(const Corner &corner) {
  int64_t width = plan.tile.width;
  copyData(corner);
  forEach(index(kPositions), [&](Value position) {
    Value at = scale(position, width);
    store(constant(0), lines, at);
    forEach(index(llvm::divideCeilSigned(conv.inputChannels, width)),
            [&](Value vector) {
              Value from =
                  add(scale(position, plan.rowStride), scale(vector, width));
              recordLarger(getMagnitudes(load(getPointer(directData, from))),
                           lines, at);
            });
  });
  Type i32 = builder.getI32Type();
  auto storeSmallest = [&](Value value) {
    LLVM::StoreOp::create(builder, loc, value, results, /*alignment=*/4);
  };
  auto loadSmallest = [&]() -> Value {
    return LLVM::LoadOp::create(builder, loc, i32, results, /*alignment=*/4);
  };
  storeSmallest(
      arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(-1)));
  forEach(countResults(corner.row, conv.spatial[0].size), [&](Value row) {
    forEach(countResults(corner.column, conv.spatial[1].size),
            [&](Value column) {
              storeSmallest(arith::MinUIOp::create(
                  builder, loc, loadSmallest(),
                  reduceMagnitudes(findLargestOfWindow(row, column))));
            });
  });
  return loadSmallest();
}

/// Returns, for each lane, the largest magnitude in the window at `row` and
/// `column`. `lines` holds the magnitudes of all positions.
Value WinogradEmitter::findLargestOfWindow(Value row, Value column) {
  Value largest;
  for (int64_t i = 0; i < kTaps; ++i)
    for (int64_t j = 0; j < kTaps; ++j) {
      Value position = add(add(scale(add(row, i), kSize), column), j);
      Value bits = arith::BitcastOp::create(
          builder, loc, type.clone(builder.getI32Type()),
          load(getPointer(lines, scale(position, plan.tile.width))));
      largest = largest ? getLarger(largest, bits) : bits;
    }
  return largest;
}

/// Whether `largest` is not finite, so large that products could overflow, or
/// so small that they lose digits.
Value WinogradEmitter::isExtreme(Value largest) {
  auto compare = [&](arith::CmpIPredicate predicate, float value) -> Value {
    Value bits = arith::ConstantOp::create(
        builder, loc,
        builder.getI32IntegerAttr(llvm::bit_cast<int32_t>(value)));
    return arith::CmpIOp::create(builder, loc, predicate, largest, bits);
  };
  Value isSmall = arith::AndIOp::create(
      builder, loc, compare(arith::CmpIPredicate::ult, kSmallestData),
      compare(arith::CmpIPredicate::ne, 0.0F));
  return arith::OrIOp::create(
      builder, loc, compare(arith::CmpIPredicate::ugt, largestData), isSmall);
}

Value WinogradEmitter::isUneven(Value largest, Value smallest) {
  Type f32 = builder.getF32Type();
  Value ratio =
      arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(kRatio));
  Value bound = arith::MulFOp::create(
      builder, loc, ratio,
      arith::BitcastOp::create(builder, loc, f32, smallest));
  return arith::CmpFOp::create(
      builder, loc, arith::CmpFPredicate::OGT,
      arith::BitcastOp::create(builder, loc, f32, largest), bound);
}

//===----------------------------------------------------------------------===//
// Marks
//===----------------------------------------------------------------------===//

/// Decides whether the tile must be computed directly, and marks it if so. The
/// windows themselves are examined only if the central positions do not decide
/// the question.
void WinogradEmitter::markTile(const Corner &corner, Value slot) {
  Value all = loadMagnitudes(index(0), index(0));
  for (int64_t column = 1; column < kSize; ++column)
    all = getLarger(all, loadMagnitudes(index(column), index(0)));
  Value largest = reduceMagnitudes(all);
  Value extreme = isExtreme(largest);
  setMark(slot, extreme);
  Value isOpen = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ugt,
      isUneven(largest, findSmallestCentral(corner)), extreme);
  emitIf(isOpen,
         [&] { setMark(slot, isUneven(largest, findSmallestWindow(corner))); });
}

void WinogradEmitter::setMark(Value slot, Value mark) {
  Value byte = arith::ExtUIOp::create(builder, loc, builder.getI8Type(), mark);
  LLVM::StoreOp::create(builder, loc, byte, getMark(slot), /*alignment=*/1);
}

Value WinogradEmitter::getMark(Value slot) {
  Value at =
      arith::IndexCastOp::create(builder, loc, builder.getI64Type(), slot);
  return LLVM::GEPOp::create(builder, loc, marks.getType(), builder.getI8Type(),
                             marks, ValueRange(at));
}

Value WinogradEmitter::isMarked(Value slot) {
  Type i8 = builder.getI8Type();
  Value mark =
      LLVM::LoadOp::create(builder, loc, i8, getMark(slot), /*alignment=*/1);
  return arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ne, mark,
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(i8)));
}

void WinogradEmitter::emitIf(Value condition, function_ref<void()> emitThen,
                             function_ref<void()> emitElse) {
  auto branch =
      scf::IfOp::create(builder, loc, condition, /*withElse=*/bool(emitElse));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  emitThen();
  if (!emitElse)
    return;
  builder.setInsertionPointToStart(branch.elseBlock());
  emitElse();
}

//===----------------------------------------------------------------------===//
// Tiles computed directly
//===----------------------------------------------------------------------===//

/// Describes the 3x3 convolution of the 6x6 elements of a tile in `directData`,
/// where zeros have taken the place of padding.
Contraction WinogradEmitter::describeDirectTile(const Contraction &plain,
                                                const WinogradPlan &plan) {
  Contraction tile = plain;
  tile.batch[0].size = 1;
  int64_t steps[] = {kSize * plan.rowStride, plan.rowStride};
  for (auto [dim, step] : llvm::zip_equal(tile.spatial, steps)) {
    dim.size = kTile;
    dim.dataSize = kSize;
    dim.padLow = 0;
    dim.dataStride = step;
  }
  tile.outputChannels =
      llvm::divideCeilSigned(plain.outputChannels, plan.block) * plan.block;
  tile.outputBlock = plan.block;
  return tile;
}

/// The strategy takes as many positions at once as the registers have
/// accumulators for.
ContractionStrategy
WinogradEmitter::getDirectStrategy(const WinogradPlan &plan) {
  ContractionStrategy strategy = plan.tile;
  strategy.vectorizedDim = VectorizedDim::OutputChannel;
  strategy.rows = kTile;
  while (strategy.rows > plan.tile.rows)
    strategy.rows /= 2;
  return strategy;
}

void WinogradEmitter::emitDirectTile(Value block, const Corner &corner) {
  copyData(corner);
  int64_t rows = directStrategy.rows;
  forEach(index(kTile), [&](Value row) {
    forEach(index(kTile / rows), [&](Value number) {
      ContractionTile tile;
      tile.batch = {index(0)};
      tile.outer = {row};
      tile.position = scale(number, rows);
      tile.group = index(0);
      tile.output = scale(block, plan.block);
      tile.rows = rows;
      tile.vectors = plan.tile.vectors;
      Value first = scale(add(scale(row, kTile), tile.position), plan.block);
      for (auto [i, sum] : llvm::enumerate(directEmitter.emit(tile)))
        store(sum, directResults,
              add(first, static_cast<int64_t>(i) * plan.tile.width));
    });
  });
}

/// Copies the data of a tile to `directData`, with zeros in place of padding
/// and in lanes beyond the last input.
void WinogradEmitter::copyData(const Corner &corner) {
  int64_t width = plan.tile.width;
  int64_t vectors = llvm::divideCeilSigned(conv.inputChannels, width);
  forEach(index(vectors), [&](Value vector) {
    Value channel = scale(vector, width);
    Value mask = createMask(channel, conv.inputChannels);
    forEach(index(kSize), [&](Value row) {
      forEach(index(kSize), [&](Value column) {
        Value position = add(scale(row, kSize), column);
        store(loadPosition(corner, row, column, channel, mask), directData,
              add(scale(position, plan.rowStride), channel));
      });
    });
  });
}

} // namespace tandem
