//===- PrologueBuffer.cpp - Data that tasks compute first -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction/PrologueBuffer.h"

#include "Contraction/Cost/StagedData.h"
#include "Contraction/Tile/TileMemory.h"
#include "Loop/Schedule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tandem {
namespace {

constexpr auto kNoWrap = arith::IntegerOverflowFlags::nsw;

/// Arithmetic on numbers that are known at compile time. EmittedNumbers is the
/// same for values of the emitted code.
struct KnownNumbers {
  using Number = int64_t;
  int64_t constant(int64_t a) { return a; }
  int64_t add(int64_t a, int64_t b) { return a + b; }
  int64_t scale(int64_t a, int64_t b) { return a * b; }
  int64_t divide(int64_t a, int64_t b) { return a / b; }
  int64_t remainder(int64_t a, int64_t b) { return a % b; }
  int64_t clamp(int64_t a, int64_t high) {
    return std::clamp<int64_t>(a, 0, high);
  }
};

struct EmittedNumbers {
  using Number = Value;
  OpBuilder &builder;
  Location loc;
  Value constant(int64_t a) {
    return arith::ConstantIndexOp::create(builder, loc, a);
  }
  Value add(Value a, Value b) {
    return arith::AddIOp::create(builder, loc, a, b, kNoWrap);
  }
  Value scale(Value a, int64_t b) {
    return arith::MulIOp::create(builder, loc, a, constant(b), kNoWrap);
  }
  Value divide(Value a, int64_t b) {
    return arith::DivUIOp::create(builder, loc, a, constant(b));
  }
  Value remainder(Value a, int64_t b) {
    return arith::RemUIOp::create(builder, loc, a, constant(b));
  }
  Value clamp(Value a, int64_t high) {
    Value low = arith::MaxSIOp::create(builder, loc, a, constant(0));
    return arith::MinSIOp::create(builder, loc, low, constant(high));
  }
};

} // namespace

/// The first position of the data that `row` reads or, if `isLast`, the
/// position behind the last one that it reads. `position` is used in place of
/// `row` if there is only one spatial dim. Along all spatial dims but the
/// outermost, the range always has all positions.
template <typename Numbers>
static typename Numbers::Number
getEnd(Numbers numbers, const Contraction &contraction,
       typename Numbers::Number row, typename Numbers::Number position,
       bool isLast) {
  const Contraction::SpatialDim &dim = contraction.spatial.front();
  int64_t inputs = getStagedInputs(contraction), inner = 1;
  auto at = position;
  if (contraction.spatial.size() > 1) {
    for (size_t i = 1; i + 1 < contraction.spatial.size(); ++i)
      inner *= contraction.spatial[i].size;
    row = numbers.divide(row, inner);
    at = numbers.remainder(row, dim.size);
    row = numbers.divide(row, dim.size);
  }
  int64_t tap = isLast ? (dim.taps - 1) * dim.dilation : 0;
  at = numbers.clamp(numbers.add(numbers.scale(at, dim.stride),
                                 numbers.constant(tap - dim.padLow)),
                     dim.dataSize - 1);
  if (isLast)
    at = numbers.add(at, numbers.constant(1));
  auto end = numbers.scale(at, dim.dataStride / inputs);
  for (const Contraction::BatchDim &batch : llvm::reverse(contraction.batch)) {
    if (batch.size == 1)
      continue;
    auto digit = numbers.remainder(row, batch.size);
    row = numbers.divide(row, batch.size);
    end = numbers.add(end, numbers.scale(digit, batch.dataStride / inputs));
  }
  return end;
}

StagedRange getStagedRange(const Contraction &contraction, int64_t firstRow,
                           int64_t lastRow, int64_t firstPosition,
                           int64_t lastPosition) {
  return {getEnd(KnownNumbers(), contraction, firstRow, firstPosition, false),
          getEnd(KnownNumbers(), contraction, lastRow, lastPosition, true)};
}

Value emitPrologue(OpBuilder &builder, Location loc, linalg::GenericOp prologue,
                   int64_t inputs, int64_t lanes, Value position, Value input,
                   Value mask, function_ref<Buffer(Value)> getBuffer) {
  EmittedNumbers numbers{builder, loc};
  SmallVector<int64_t> sizes = prologue.getStaticLoopRanges();
  // The innermost loop consists of whole positions.
  int64_t lineSize = sizes.pop_back_val(), positions = lineSize / inputs;
  SmallVector<Value> loops;
  if (!sizes.empty()) {
    loops =
        delinearize(builder, loc, sizes, numbers.divide(position, positions));
    position = numbers.remainder(position, positions);
  }
  loops.push_back(numbers.add(numbers.scale(position, inputs), input));
  LaneEmitter emitter(builder, loc, lanes, loops, mask, getBuffer);
  return emitter.toVector(emitter.emitElements(prologue).front());
}

PrologueBuffer::PrologueBuffer(OpBuilder &builder, Location loc,
                               const Contraction &contraction,
                               const ContractionSchedule &schedule,
                               linalg::GenericOp prologue, int64_t lanes,
                               KernelScratch &scratch,
                               function_ref<Buffer(Value)> getBuffer)
    : IndexBuilder(builder, loc), contraction(contraction), schedule(schedule),
      prologue(prologue), getBuffer(getBuffer) {
  int64_t elements =
      cast<ShapedType>(contraction.data.getType()).getNumElements();
  if (prologue)
    outerSizes = prologue.getStaticLoopRanges();
  else
    outerSizes = {elements};
  if (schedule.tile.padsData) {
    const Contraction::SpatialDim &dim = contraction.spatial.back();
    lineSize = dim.dataSize * dim.dataStride;
    outerSizes = {elements / lineSize, lineSize};
    padBefore = dim.padLow * dim.dataStride;
    padAfter = dim.getPadHigh() * dim.dataStride;
  }
  lineSize = outerSizes.pop_back_val();
  ElementFormat format = contraction.getFormat();
  elementType =
      schedule.tile.widensData ? getCopyType(format) : getStoredType(format);
  if (schedule.tile.stagesData())
    lanes *= 32 / int64_t(elementType.getIntOrFloatBitWidth());
  this->lanes = std::min<int64_t>(lanes, llvm::PowerOf2Ceil(lineSize));
  int64_t staged = schedule.stagedPositions * getStagedInputs(contraction);
  if (schedule.tile.padsData)
    staged = llvm::divideCeilSigned(staged, lineSize) * getPaddedSize();
  memory = scratch.allocate(elementType, staged);
}

Value PrologueBuffer::emit(Value firstRow, Value firstTile) {
  EmittedNumbers numbers{builder, loc};
  auto getLast = [&](Value from, int64_t count, int64_t size) -> Value {
    if (count == size)
      return index(size - 1);
    return numbers.clamp(add(from, index(count - 1)), size - 1);
  };
  const TiledDim &positions = schedule.positions;
  Value firstPosition = scale(firstTile, positions.tile);
  Value lastRow = getLast(firstRow, schedule.rowsPerTask, schedule.rows);
  Value lastPosition =
      schedule.getTileChunks() == 1
          ? index(positions.size - 1)
          : getLast(firstPosition, schedule.tilesPerTask * positions.tile,
                    positions.size);
  int64_t inputs = getStagedInputs(contraction);
  Value first = scale(
      getEnd(numbers, contraction, firstRow, firstPosition, /*isLast=*/false),
      inputs);
  Value last = scale(
      getEnd(numbers, contraction, lastRow, lastPosition, /*isLast=*/true),
      inputs);
  emitLines(first, last);
  return getPointer(subtract(index(0), toStaged(first)));
}

/// Returns the offset in the workspace, whose lines have padding, of the
/// beginning of the line that begins with element `first`.
Value PrologueBuffer::toStaged(Value first) const {
  if (!schedule.tile.padsData)
    return first;
  return scale(arith::DivUIOp::create(builder, loc, first, index(lineSize)),
               getPaddedSize());
}

/// Writes zeros to `elements` elements at `offset`.
void PrologueBuffer::emitPadding(Value offset, int64_t elements) {
  if (elements == 0)
    return;
  Value zero = LLVM::ConstantOp::create(builder, loc, builder.getI8Type(),
                                        builder.getI8IntegerAttr(0));
  Value bytes = LLVM::ConstantOp::create(
      builder, loc, builder.getI64Type(),
      builder.getI64IntegerAttr(elements * elementType.getIntOrFloatBitWidth() /
                                8));
  LLVM::MemsetOp::create(builder, loc, getPointer(offset), zero, bytes,
                         /*isVolatile=*/false);
}

/// Computes elements [first, last) of the data by repeating the innermost loop
/// of the prologue. The first and the last of these loops may be cut short.
void PrologueBuffer::emitLines(Value first, Value last) {
  if (outerSizes.empty())
    return emitLine(index(0), first, last);
  Value size = index(lineSize);
  Value firstLine = arith::DivUIOp::create(builder, loc, first, size);
  Value lastLine = arith::CeilDivUIOp::create(builder, loc, last, size);
  auto loop = scf::ForOp::create(builder, loc, firstLine, lastLine, index(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  emitLine(loop.getInductionVar(), first, last);
}

void PrologueBuffer::emitLine(Value line, Value first, Value last) {
  Value lineFirst = scale(line, lineSize);
  Value begin = arith::MaxSIOp::create(builder, loc, index(0),
                                       subtract(first, lineFirst));
  Value end = arith::MinSIOp::create(builder, loc, index(lineSize),
                                     subtract(last, lineFirst));
  SmallVector<Value> loops;
  if (!outerSizes.empty())
    loops = delinearize(builder, loc, outerSizes, line);
  loops.push_back(begin);
  Value offset = subtract(lineFirst, first);
  if (schedule.tile.padsData) {
    offset = subtract(scale(line, getPaddedSize()), toStaged(first));
    emitPadding(offset, padBefore);
    offset = add(offset, padBefore);
    emitPadding(add(offset, lineSize), padAfter);
  }
  auto emitLoop = [&](Value from, Value to, bool isMasked) {
    auto loop = scf::ForOp::create(builder, loc, from, to, index(lanes));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    loops.back() = loop.getInductionVar();
    Value mask;
    if (isMasked)
      mask = LaneEmitter::createTailMask(builder, loc, lanes,
                                         subtract(to, loops.back()));
    emitVector(loops, add(offset, loops.back()), mask);
  };
  // The range that is computed and each line consist of whole positions, so no
  // vector needs a mask.
  if (getStagedInputs(contraction) % lanes == 0)
    return emitLoop(begin, end, /*isMasked=*/false);
  Value rest =
      arith::RemUIOp::create(builder, loc, subtract(end, begin), index(lanes));
  Value middle = subtract(end, rest);
  if (lineSize >= lanes)
    emitLoop(begin, middle, /*isMasked=*/false);
  emitLoop(middle, end, /*isMasked=*/true);
}

/// Computes or loads a vector of the data, in the element type of the data.
Value PrologueBuffer::computeVector(ArrayRef<Value> loops, Value mask) {
  LaneEmitter emitter(builder, loc, lanes, loops, mask, getBuffer);
  if (prologue)
    return emitter.toVector(emitter.emitElements(prologue).front());
  Buffer buffer = getBuffer(contraction.data);
  const ElementFormat format = contraction.getFormat();
  SmallVector<int64_t> shape(outerSizes);
  shape.push_back(lineSize);
  buffer.type = RankedTensorType::get(
      shape, format.isBytes() ? getStoredType(format) : format.memory);
  return emitter.load(buffer);
}

Value PrologueBuffer::widen(Value vector, VectorType type) {
  if (!contraction.getFormat().isBytes())
    return arith::ExtFOp::create(builder, loc, type, vector);
  if (type.getElementType().isInteger(16))
    return widenQuads(builder, loc, vector,
                      !contraction.dataType.isUnsignedInteger());
  return widenBytes(builder, loc, vector, type,
                    contraction.dataType.isUnsignedInteger());
}

/// Stores the vector of the data at indices `loops` to `offset` of the memory.
void PrologueBuffer::emitVector(ArrayRef<Value> loops, Value offset,
                                Value mask) {
  Value vector = computeVector(loops, mask);
  auto type = VectorType::get({lanes}, elementType);
  if (schedule.tile.widensData)
    vector = widen(vector, type);
  else if (vector.getType() != type)
    vector = arith::BitcastOp::create(builder, loc, type, vector);
  unsigned alignment = elementType.getIntOrFloatBitWidth() / 8;
  Value pointer = getPointer(offset);
  if (mask)
    LLVM::MaskedStoreOp::create(builder, loc, vector, pointer, mask, alignment);
  else
    LLVM::StoreOp::create(builder, loc, vector, pointer, alignment);
}

Value PrologueBuffer::getPointer(Value offset) {
  Value at =
      arith::IndexCastOp::create(builder, loc, builder.getI64Type(), offset);
  return LLVM::GEPOp::create(builder, loc, memory.getType(), elementType,
                             memory, ValueRange(at));
}

} // namespace tandem
