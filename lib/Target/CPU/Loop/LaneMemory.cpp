//===- LaneMemory.cpp - Loads and stores of lanes -------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loop/HiddenValues.h"
#include "Loop/LaneEmitter.h"
#include "Prefetch.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"

#include "llvm/Support/SaveAndRestore.h"

#include <limits>

using namespace mlir;

namespace tandem {

Type LaneEmitter::getMemoryType(Type type) {
  if (type.isBF16())
    return builder.getI16Type();
  return type.isInteger(1) ? builder.getI8Type() : type;
}

Value LaneEmitter::splat(Value scalar) {
  if (scalar.getType().isIndex())
    scalar =
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), scalar);
  if (auto constant = scalar.getDefiningOp<arith::ConstantOp>())
    return arith::ConstantOp::create(
        builder, loc,
        SplatElementsAttr::get(vectorOf(scalar.getType()),
                               cast<TypedAttr>(constant.getValue())));
  VectorType type = vectorOf(scalar.getType());
  Value poison = LLVM::PoisonOp::create(builder, loc, type);
  Value zero = LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                        builder.getI64IntegerAttr(0));
  Value first =
      LLVM::InsertElementOp::create(builder, loc, poison, scalar, zero);
  SmallVector<int32_t> mask(lanes, 0);
  return LLVM::ShuffleVectorOp::create(builder, loc, first, poison, mask);
}

Value LaneEmitter::createSteps(OpBuilder &builder, Location loc,
                               VectorType type, ArrayRef<int64_t> steps) {
  assert(steps.size() == static_cast<size_t>(type.getNumElements()));
  SmallVector<Attribute> values;
  for (int64_t step : steps)
    values.push_back(builder.getIntegerAttr(type.getElementType(), step));
  return arith::ConstantOp::create(builder, loc,
                                   DenseElementsAttr::get(type, values));
}

Value LaneEmitter::toVector(LaneValue value) {
  if (value.kind == LaneValue::Varying)
    return value.value;
  Value vector = splat(value.value);
  if (value.kind == LaneValue::Uniform)
    return vector;
  Value steps =
      createSteps(builder, loc, vectorOf(builder.getI64Type()), value.steps);
  return arith::AddIOp::create(builder, loc, vector, steps,
                               arith::IntegerOverflowFlags::nsw);
}

Value LaneEmitter::createConstantMask(OpBuilder &builder, Location loc,
                                      int64_t lanes, int64_t count) {
  SmallVector<bool> bits(lanes, false);
  std::fill_n(bits.begin(), count, true);
  auto type = VectorType::get({lanes}, builder.getI1Type());
  return arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(type, ArrayRef<bool>(bits)));
}

Value LaneEmitter::createTailMask(OpBuilder &builder, Location loc,
                                  int64_t lanes, Value count) {
  auto type = VectorType::get({lanes}, builder.getI32Type());
  Value limit =
      arith::IndexCastOp::create(builder, loc, builder.getI32Type(), count);
  LaneEmitter emitter(builder, loc, lanes, {}, {}, {});
  auto numbers = llvm::to_vector(llvm::seq<int64_t>(lanes));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                               createSteps(builder, loc, type, numbers),
                               emitter.splat(limit));
}

/// The lanes that may touch memory; null for all.
Value LaneEmitter::getMask() {
  Value guard = uniformGuard ? splat(uniformGuard) : guardMask;
  if (!tailMask || !guard)
    return tailMask ? tailMask : guard;
  return builder.createOrFold<arith::AndIOp>(loc, tailMask, guard);
}

/// Returns, for each lane, whether it may touch memory, if the mask is
/// constant.
std::optional<SmallVector<bool>> LaneEmitter::getConstantMask() {
  Value mask = getMask();
  if (!mask)
    return SmallVector<bool>(lanes, true);
  DenseElementsAttr bits;
  if (!matchPattern(mask, m_Constant(&bits)))
    return std::nullopt;
  return llvm::to_vector(bits.getValues<bool>());
}

LaneValue LaneEmitter::getOffset(Buffer buffer, ArrayRef<LaneValue> indices) {
  LaneValue offset{LaneValue::Uniform, {}};
  int64_t stride = 1;
  ArrayRef<int64_t> shape = buffer.type.getShape();
  for (size_t i = indices.size(); i-- > 0; stride *= shape[i]) {
    LaneValue term = indices[i];
    if (stride != 1)
      term = emitBinary(AffineExprKind::Mul, term,
                        {LaneValue::Uniform, index(stride)});
    offset =
        offset.value ? emitBinary(AffineExprKind::Add, offset, term) : term;
  }
  if (!offset.value)
    offset.value = index(0);
  if (buffer.shift)
    offset = emitBinary(AffineExprKind::Add, offset,
                        {LaneValue::Uniform, buffer.shift});
  return offset;
}

Value LaneEmitter::getPointer(Buffer buffer, Value offset) {
  Type elementType = getMemoryType(buffer.type.getElementType());
  Type type = buffer.pointer.getType();
  if (auto vector = dyn_cast<VectorType>(offset.getType()))
    type = VectorType::get(vector.getShape(), type);
  else
    offset =
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), offset);
  return LLVM::GEPOp::create(builder, loc, type, elementType, buffer.pointer,
                             offset, LLVM::GEPNoWrapFlags::inbounds);
}

static unsigned getAlignment(Type memoryType) {
  return (memoryType.getIntOrFloatBitWidth() + 7) / 8;
}

bool LaneEmitter::isContiguous(const LaneValue &offset) const {
  return offset.kind == LaneValue::Stepped &&
         llvm::equal(offset.steps, llvm::seq<int64_t>(lanes));
}

void LaneEmitter::prefetchInput(linalg::GenericOp op, OpOperand *input) {
  Buffer buffer = getBuffer(input->get());
  LaneValue offset = getOffset(buffer, getIndices(op, input));
  if (!isContiguous(offset))
    return;
  Value pointer = getPointer(buffer, offset.value);
  const int64_t bytes =
      lanes * getAlignment(getMemoryType(buffer.type.getElementType()));
  for (int64_t byte = 0; byte < bytes; byte += kStreamAlignment)
    prefetch(builder, loc, pointer, byte, /*isWritten=*/false,
             PrefetchLevel::First);
}

LaneValue LaneEmitter::fromMemory(LaneValue value, Type type) {
  Type memoryType = value.value.getType();
  if (type.isBF16())
    value.value = arith::BitcastOp::create(
        builder, loc, isa<VectorType>(memoryType) ? Type(vectorOf(type)) : type,
        value.value);
  if (!type.isInteger(1))
    return value;
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(memoryType));
  value.value = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                      value.value, zero);
  return value;
}

/// The least and the largest step of the lanes that read.
static std::pair<int64_t, int64_t> getRange(ArrayRef<int64_t> steps,
                                            ArrayRef<bool> isRead) {
  constexpr auto most = std::numeric_limits<int64_t>::max();
  std::pair<int64_t, int64_t> range{most, -most};
  for (auto [step, reads] : llvm::zip_equal(steps, isRead))
    if (reads)
      range = {std::min(range.first, step), std::max(range.second, step)};
  return range;
}

/// Makes a read that all lanes do or none does unconditional. If the read is
/// not wanted, its address is replaced by the first one at which all lanes stay
/// within the buffer. Returns false if there is no such address, or if the
/// lanes that exist are only known at run time.
bool LaneEmitter::readAnyway(const Buffer &buffer, LaneValue &offset) {
  llvm::SaveAndRestore<Value> unguarded(uniformGuard, Value());
  int64_t least = 0;
  if (guardMask || offset.kind == LaneValue::Varying)
    return false;
  if (offset.kind == LaneValue::Stepped) {
    std::optional<SmallVector<bool>> isRead = getConstantMask();
    if (!isRead || buffer.shift)
      return false;
    auto range = getRange(offset.steps, *isRead);
    least = range.first;
    if (range.second - least >= buffer.type.getNumElements())
      return false;
  }
  offset.value = arith::SelectOp::create(builder, loc, unguarded.get(),
                                         offset.value, index(-least));
  return true;
}

LaneValue LaneEmitter::emitLoad(Buffer buffer, ArrayRef<LaneValue> indices) {
  LaneValue offset = getOffset(buffer, indices);
  llvm::SaveAndRestore<Value> guard(uniformGuard);
  if (uniformGuard && readAnyway(buffer, offset))
    uniformGuard = {};
  Type type = buffer.type.getElementType();
  Type memoryType = getMemoryType(type);
  LaneValue result;
  std::optional<SmallVector<bool>> isRead = getConstantMask();
  bool isSafe = !guardMask || (isRead && llvm::is_contained(*isRead, true));
  if (offset.kind == LaneValue::Uniform && isSafe && !uniformGuard) {
    Value pointer = getPointer(buffer, offset.value);
    result.value = LLVM::LoadOp::create(builder, loc, memoryType, pointer,
                                        getAlignment(memoryType));
  } else if (isContiguous(offset)) {
    result = emitContiguousLoad(buffer, offset.value);
  } else if (isRead && fitsShuffle(offset, *isRead)) {
    result = emitShuffledLoad(buffer, offset, *isRead);
  } else {
    result = emitGather(buffer, offset);
  }
  return fromMemory(result, type);
}

void LaneEmitter::bindValue(BlockArgument argument, Value value) {
  bool isVector = isa<VectorType>(value.getType());
  values[argument] = {isVector ? LaneValue::Varying : LaneValue::Uniform,
                      value};
}

void LaneEmitter::bindInput(BlockArgument argument, Value pointer) {
  Type type = argument.getType();
  Type memoryType = getMemoryType(type);
  Value lanes = LLVM::LoadOp::create(builder, loc, vectorOf(memoryType),
                                     pointer, getAlignment(memoryType));
  values[argument] = fromMemory({LaneValue::Varying, lanes}, type);
}

bool LaneEmitter::fitsShuffle(const LaneValue &offset,
                              ArrayRef<bool> isRead) const {
  if (offset.kind != LaneValue::Stepped || !llvm::is_contained(isRead, true))
    return false;
  auto [least, most] = getRange(offset.steps, isRead);
  return most - least < kMaxShuffledStep * lanes;
}

/// Loads contiguous memory from the first to the last element that is read, and
/// shuffles it, which is faster than a gather. No other memory is accessed.
/// Lanes that do not read are zero.
LaneValue LaneEmitter::emitShuffledLoad(Buffer buffer, const LaneValue &offset,
                                        ArrayRef<bool> isRead) {
  Type memoryType = getMemoryType(buffer.type.getElementType());
  auto [least, most] = getRange(offset.steps, isRead);
  int64_t span = most - least + 1;
  auto length = static_cast<int64_t>(span < lanes ? llvm::PowerOf2Ceil(span)
                                                  : llvm::alignTo(span, lanes));
  hasShortReads |= length < lanes;
  auto wide = VectorType::get({length}, memoryType);
  Value mask = createConstantMask(builder, loc, length, span);
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(wide));
  LaneValue first =
      emitBinary(AffineExprKind::Add, {LaneValue::Uniform, offset.value},
                 {LaneValue::Uniform, index(least)});
  Value loaded = LLVM::MaskedLoadOp::create(
      builder, loc, wide, getPointer(buffer, first.value), mask, zero,
      getAlignment(memoryType));
  SmallVector<int32_t> picked;
  for (auto [step, reads] : llvm::zip_equal(offset.steps, isRead))
    picked.push_back(static_cast<int32_t>(reads ? step - least : length));
  Value other = llvm::is_contained(isRead, false)
                    ? hiddenZero(builder, loc, wide)
                    : loaded;
  return {LaneValue::Varying,
          LLVM::ShuffleVectorOp::create(builder, loc, loaded, other, picked)};
}

LaneValue LaneEmitter::emitContiguousLoad(Buffer buffer, Value offset) {
  Type memoryType = getMemoryType(buffer.type.getElementType());
  VectorType type = vectorOf(memoryType);
  Value pointer = getPointer(buffer, offset);
  Value mask = getMask();
  if (!mask)
    return {LaneValue::Varying,
            LLVM::LoadOp::create(builder, loc, type, pointer,
                                 getAlignment(memoryType))};
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  return {LaneValue::Varying,
          LLVM::MaskedLoadOp::create(builder, loc, type, pointer, mask, zero,
                                     getAlignment(memoryType))};
}

/// Returns the addresses of the lanes. Offsets have 32 bits if the buffer is
/// small enough, because gathers with wider offsets take twice as many
/// instructions.
Value LaneEmitter::getGatherPointers(Buffer buffer, LaneValue offset) {
  bool isSmall =
      buffer.type.getNumElements() < std::numeric_limits<int32_t>::max();
  VectorType narrow = vectorOf(builder.getI32Type());
  if (!isSmall)
    return getPointer(buffer, toVector(offset));
  if (offset.kind == LaneValue::Varying)
    return getPointer(
        buffer, arith::TruncIOp::create(builder, loc, narrow, offset.value));
  // The address is uniform, and the offsets from it are constants. They are
  // zeros if all lanes read one element.
  offset.steps.resize(lanes);
  Value steps = createSteps(builder, loc, narrow, offset.steps);
  return getPointer({getPointer(buffer, offset.value), buffer.type}, steps);
}

LaneValue LaneEmitter::emitGather(Buffer buffer, LaneValue offset) {
  Type memoryType = getMemoryType(buffer.type.getElementType());
  VectorType type = vectorOf(memoryType);
  Value pointers = getGatherPointers(buffer, offset);
  Value mask = getMask();
  if (!mask)
    mask = arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(vectorOf(builder.getI1Type()), true));
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  return {LaneValue::Varying, LLVM::masked_gather::create(
                                  builder, loc, type, pointers, mask,
                                  ValueRange(zero), getAlignment(memoryType))};
}

/// The number of lanes of a constant mask that has its first lanes alone, if it
/// is a power of two; 0 for all other masks.
static int64_t getStorableLanes(Value mask) {
  DenseElementsAttr bits;
  if (!matchPattern(mask, m_Constant(&bits)))
    return 0;
  const auto values = llvm::to_vector(bits.getValues<bool>());
  const int64_t count = llvm::count(values, true);
  return llvm::isPowerOf2_64(count) &&
                 llvm::all_of(ArrayRef(values).take_front(count),
                              [](bool bit) { return bit; })
             ? count
             : 0;
}

/// Stores the first `count` lanes. While a masked store waits, processors delay
/// loads from the memory of all its lanes, even of those that it does not
/// write. This store has no such effect. Kernels that work in place read the
/// next row from that memory.
static void storeLanes(OpBuilder &builder, Location loc, Value vector,
                       Value pointer, int64_t count, unsigned alignment) {
  const auto lanes = llvm::to_vector_of<int32_t>(llvm::seq<int64_t>(count));
  Value first =
      LLVM::ShuffleVectorOp::create(builder, loc, vector, vector, lanes);
  LLVM::StoreOp::create(builder, loc, first, pointer, alignment);
}

void LaneEmitter::emitStore(Buffer buffer, ArrayRef<LaneValue> indices,
                            LaneValue value, bool isStreamed) {
  LaneValue offset = getOffset(buffer, indices);
  Type type = buffer.type.getElementType();
  Type memoryType = getMemoryType(type);
  bool isVector = offset.kind == LaneValue::Stepped;
  Value stored = isVector ? toVector(value) : value.value;
  // With one lane, a value at a uniform offset may still be a vector.
  auto vector = dyn_cast<VectorType>(stored.getType());
  Type storedType = vector ? Type(vector.clone(memoryType)) : memoryType;
  if (type.isInteger(1))
    stored = arith::ExtUIOp::create(builder, loc, storedType, stored);
  if (type.isBF16())
    stored = arith::BitcastOp::create(builder, loc, storedType, stored);
  Value pointer = getPointer(buffer, offset.value);
  // With short reads, LLVM must not know which lanes are stored (hideMask).
  const int64_t storable =
      isVector && tailMask && !hasShortReads ? getStorableLanes(tailMask) : 0;
  if (storable > 0) {
    storeLanes(builder, loc, stored, pointer, storable,
               getAlignment(memoryType));
  } else if (isVector && tailMask) {
    constexpr unsigned kNarrow = 32;
    bool isHidden =
        hasShortReads || memoryType.getIntOrFloatBitWidth() < kNarrow;
    Value mask = isHidden ? hideMask(builder, loc, tailMask) : tailMask;
    LLVM::MaskedStoreOp::create(builder, loc, stored, pointer, mask,
                                getAlignment(memoryType));
  } else {
    LLVM::StoreOp::create(builder, loc, stored, pointer,
                          isStreamed ? kStreamAlignment
                                     : getAlignment(memoryType),
                          /*isVolatile=*/false, isStreamed);
  }
}

} // namespace tandem
