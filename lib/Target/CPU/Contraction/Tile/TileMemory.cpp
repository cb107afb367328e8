//===- TileMemory.cpp - What a register tile reads, and where -------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction/Tile/TileMemory.h"

#include "Contraction/Tile/BF16Pairs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tandem {

/// The number of integers of 4 bits.
static constexpr int64_t kTableSize = 16;

Type getStoredType(const ElementFormat &format) {
  if (!format.isWidened())
    return format.memory;
  return IntegerType::get(format.memory.getContext(), 8 * format.bytes);
}

Value widenBytes(OpBuilder &builder, Location loc, Value bytes, Type type,
                 bool isUnsigned) {
  if (getElementTypeOrSelf(type).isF32())
    return isUnsigned
               ? arith::UIToFPOp::create(builder, loc, type, bytes).getResult()
               : arith::SIToFPOp::create(builder, loc, type, bytes);
  if (isUnsigned)
    return arith::ExtUIOp::create(builder, loc, type, bytes);
  return arith::ExtSIOp::create(builder, loc, type, bytes);
}

TileMemory::TileMemory(OpBuilder &builder, Location loc,
                       const TileProblem &problem)
    : IndexBuilder(builder, loc), contraction(problem.contraction),
      strategy(problem.strategy), width(strategy.width),
      format(contraction.getFormat()), elementType(getStoredType(format)),
      dataType(elementType),
      weightsType(problem.areWeightsWide ? getCopyType(format)
                  : problem.scales       ? builder.getI8Type()
                                         : elementType),
      vectorType(VectorType::get({width}, format.compute)), data(problem.data),
      weights(problem.weights), bias(problem.bias), scales(problem.scales),
      usesPairs(problem.usesPairs), byteProducts(problem.byteProducts) {}

//===----------------------------------------------------------------------===//
// Offsets
//===----------------------------------------------------------------------===//

Value TileMemory::addScaled(Value a, Value b, int64_t factor) const {
  if (factor == 0 || !b)
    return a;
  return add(a, factor == 1 ? b : scale(b, factor));
}

TileMemory::Offsets
TileMemory::getFirstOffsets(const ContractionTile &tile) const {
  Value dataOffset = index(0), weightsOffset = index(0);
  for (auto [dim, at] : llvm::zip(contraction.batch, tile.batch)) {
    dataOffset = addScaled(dataOffset, at, dim.dataStride);
    weightsOffset = addScaled(weightsOffset, at, dim.weightsStride);
  }
  int64_t padding = 0;
  for (auto [i, dim] : llvm::enumerate(contraction.spatial)) {
    Value at = i < tile.outer.size() ? tile.outer[i] : tile.position;
    dataOffset = addScaled(dataOffset, at, dim.stride * dim.dataStride);
    padding += dim.padLow * dim.dataStride;
  }
  dataOffset = add(dataOffset, -padding);
  dataOffset = addScaled(dataOffset, tile.group, contraction.groupDataStride);
  dataOffset = addScaled(dataOffset, tile.output, contraction.outputDataStride);
  weightsOffset =
      addScaled(weightsOffset, tile.group, contraction.groupWeightsStride);
  return {dataOffset,
          addOutput(weightsOffset, tile.output, contraction.outputBlockStride)};
}

Value TileMemory::addOutput(Value offset, Value output,
                            int64_t blockStride) const {
  if (contraction.outputBlock == contraction.outputChannels)
    return addScaled(offset, output, contraction.outputStride);
  // A tile never crosses the border of a block, so one division finds the block
  // of all its outputs.
  Value block = index(contraction.outputBlock);
  offset = addScaled(
      offset, arith::DivUIOp::create(builder, loc, output, block), blockStride);
  return addScaled(offset, arith::RemUIOp::create(builder, loc, output, block),
                   contraction.outputStride);
}

Value TileMemory::getScalesOffset(const ContractionTile &tile) const {
  return addOutput(index(0), tile.output, contraction.scaleBlockStride);
}

Value TileMemory::getBiasOffset(const ContractionTile &tile) const {
  return addScaled(tile.output, tile.group, contraction.outputChannels);
}

Value TileMemory::keepInData(Value offset, int64_t reach) const {
  auto type = cast<RankedTensorType>(contraction.data.getType());
  return atMost(offset, std::max<int64_t>(0, type.getNumElements() - reach));
}

Value TileMemory::getPointer(Value base, Value offset, int64_t distance) {
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Value at =
      arith::IndexCastOp::create(builder, loc, builder.getI64Type(), offset);
  Type type = getTypeAt(base);
  Value first =
      LLVM::GEPOp::create(builder, loc, pointer, type, base, ValueRange(at));
  if (distance == 0)
    return first;
  return LLVM::GEPOp::create(
      builder, loc, pointer, type, first,
      ArrayRef<LLVM::GEPArg>(static_cast<int32_t>(distance)));
}

bool haveAllLanes(const Contraction &contraction, int64_t width) {
  if (contraction.outputBlock != contraction.outputChannels ||
      contraction.areIntegersPaired())
    return true;
  if (!contraction.weights) // Winograd's products read a task's memory.
    return false;
  int64_t together = contraction.inputsTogether;
  int64_t last =
      (contraction.groups - 1) * contraction.groupWeightsStride +
      (llvm::divideCeilSigned(contraction.inputChannels, together) - 1) *
          contraction.inputWeightsStride;
  for (const Contraction::BatchDim &dim : contraction.batch)
    last += (dim.size - 1) * dim.weightsStride;
  for (const Contraction::SpatialDim &dim : contraction.spatial)
    last += (dim.taps - 1) * dim.weightsStride;
  auto outputs = int64_t(llvm::alignTo(contraction.outputChannels, width));
  return last + together * outputs <=
         cast<RankedTensorType>(contraction.weights.getType()).getNumElements();
}

Value TileMemory::getWeightsMask(const ContractionTile &tile, int64_t v) const {
  return haveAllLanes(contraction, width) ? Value() : tile.getMask(v);
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

Value TileMemory::createZero(VectorType type) {
  return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
}

Value TileMemory::loadBits(VectorType type, Value pointer, Value mask) {
  unsigned alignment =
      std::min<unsigned>(format.bytes, type.getElementTypeBitWidth() / 8);
  if (!mask)
    return LLVM::LoadOp::create(builder, loc, type, pointer, alignment);
  return LLVM::MaskedLoadOp::create(builder, loc, type, pointer, mask,
                                    createZero(type), alignment);
}

Value TileMemory::widenBytes(Value bytes, Value base) {
  Type wide = format.compute;
  if (auto type = dyn_cast<VectorType>(bytes.getType()))
    wide = type.clone(wide);
  return tandem::widenBytes(builder, loc, bytes, wide,
                            base == data &&
                                contraction.dataType.isUnsignedInteger());
}

Value TileMemory::widenHalves(Value halves) {
  auto type = cast<VectorType>(halves.getType());
  if (format.memory.isBF16())
    return widenBF16(builder, loc,
                     arith::ExtUIOp::create(builder, loc,
                                            type.clone(builder.getI32Type()),
                                            halves),
                     /*isUpper=*/false);
  Type wide = type.clone(format.compute);
  Value narrow =
      arith::BitcastOp::create(builder, loc, type.clone(format.memory), halves);
  return arith::ExtFOp::create(builder, loc, wide, narrow);
}

Value TileMemory::loadVector(VectorType type, Value pointer, Value mask) {
  if (!format.isWidened())
    return loadBits(type, pointer, mask);
  return widenHalves(loadBits(type.clone(elementType), pointer, mask));
}

Value TileMemory::loadVector(Value base, Value offset, int64_t distance,
                             Value mask) {
  Value pointer = getPointer(base, offset, distance);
  if (getTypeAt(base) == format.compute)
    return loadBits(vectorType, pointer, mask);
  if (format.isBytes())
    return widenBytes(loadBits(vectorType.clone(elementType), pointer, mask),
                      base);
  return loadVector(vectorType, pointer, mask);
}

/// The integers are the lower or the upper bits of bytes. A table of 16 floats
/// is a vector register of AVX-512, from which an instruction takes an element
/// by the lower 4 bits of each lane.
Value TileMemory::loadPaired(Value offset, int64_t v) {
  const int64_t half = strategy.vectors / 2;
  const VectorType lanes = vectorType.clone(builder.getI32Type());
  const auto constant = [&](int32_t number) -> Value {
    return arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(lanes, builder.getI32IntegerAttr(number)));
  };
  Value at = arith::DivUIOp::create(builder, loc, offset, index(2));
  Value bits = arith::ExtSIOp::create(
      builder, loc, lanes,
      loadBits(vectorType.clone(weightsType),
               getPointer(weights, at, v % half * width), /*mask=*/{}));
  const bool isUpper = v >= half;
  if (isUpper)
    bits = arith::ShRSIOp::create(builder, loc, bits, constant(4));
  if (width != kTableSize) {
    if (!isUpper)
      bits = arith::ShRSIOp::create(
          builder, loc, arith::ShLIOp::create(builder, loc, bits, constant(28)),
          constant(28));
    return arith::SIToFPOp::create(builder, loc, vectorType, bits);
  }
  SmallVector<float> table;
  for (int64_t i = 0; i < kTableSize; ++i)
    table.push_back(float(i < kTableSize / 2 ? i : i - kTableSize));
  Value numbers = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(vectorType, ArrayRef(table)));
  return LLVM::CallIntrinsicOp::create(
             builder, loc, vectorType,
             builder.getStringAttr("llvm.x86.avx512.permvar.sf.512"),
             ValueRange{numbers, bits})
      .getResult(0);
}

Value TileMemory::loadIntegers(Value offset, int64_t v, Value mask) {
  if (contraction.areIntegersPaired())
    return loadPaired(offset, v);
  Value integers = loadBits(vectorType.clone(weightsType),
                            getPointer(weights, offset, v * width), mask);
  integers = arith::ExtSIOp::create(
      builder, loc, vectorType.clone(builder.getI32Type()), integers);
  return arith::SIToFPOp::create(builder, loc, vectorType, integers);
}

Value TileMemory::loadScaled(Value offset, Value scalesOffset, int64_t v,
                             Value mask) {
  Value integers = loadIntegers(offset, v, mask);
  Value factors =
      loadBits(vectorType, getPointer(scales, scalesOffset, v * width), mask);
  return arith::MulFOp::create(builder, loc, integers, factors);
}

Value TileMemory::splat(VectorType type, Value scalar) {
  Value poison = LLVM::PoisonOp::create(builder, loc, type);
  Value zero = LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                        builder.getI64IntegerAttr(0));
  Value first =
      LLVM::InsertElementOp::create(builder, loc, poison, scalar, zero);
  SmallVector<int32_t> lanes(type.getNumElements(), 0);
  return LLVM::ShuffleVectorOp::create(builder, loc, first, poison, lanes);
}

Value TileMemory::loadSplat(Value base, Value offset, int64_t distance) {
  Type type = getTypeAt(base);
  Value scalar = LLVM::LoadOp::create(builder, loc, type,
                                      getPointer(base, offset, distance),
                                      type.getIntOrFloatBitWidth() / 8);
  if (format.isBytes() && type != format.compute)
    scalar = widenBytes(scalar, base);
  if (scalar.getType() == format.compute)
    return splat(vectorType, scalar);
  if (!format.memory.isBF16())
    return widenHalves(splat(vectorType.clone(elementType), scalar));
  // Broadcast the bf16 to both halves of each 32 bits, which takes one
  // instruction, and then shift one half out.
  Value halves = splat(VectorType::get({2 * width}, elementType), scalar);
  Value pairs = LLVM::BitcastOp::create(
      builder, loc, vectorType.clone(builder.getI32Type()), halves);
  return widenBF16(builder, loc, pairs, /*isUpper=*/false);
}

void TileMemory::separateLoads() {
  LLVM::InlineAsmOp::create(
      builder, loc, TypeRange(), ValueRange(), /*asm_string=*/"",
      /*constraints=*/"", /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
}

SmallVector<Value> TileMemory::createZeros(const ContractionTile &tile) {
  return SmallVector<Value>(tile.rows * tile.vectors, createZero(vectorType));
}

SmallVector<Value> TileMemory::loadBias(const ContractionTile &tile) {
  if (!bias)
    return createZeros(tile);
  Value first = getBiasOffset(tile);
  SmallVector<Value> ofRow, result;
  for (int64_t v = 0; v < tile.vectors; ++v)
    ofRow.push_back(loadVector(bias, first, v * width, tile.getMask(v)));
  for (int64_t row = 0; row < tile.rows; ++row)
    result.append(ofRow);
  return result;
}

SmallVector<Value> TileMemory::addBias(const ContractionTile &tile,
                                       ArrayRef<Value> sums) {
  SmallVector<Value> result(sums);
  if (bias)
    for (auto [sum, initial] : llvm::zip_equal(result, loadBias(tile)))
      sum = arith::AddFOp::create(builder, loc, sum, initial);
  return result;
}

Value TileMemory::multiplyAdd(Value a, Value b, Value sum) {
  if (format.compute.isInteger())
    return arith::AddIOp::create(builder, loc, sum,
                                 arith::MulIOp::create(builder, loc, a, b));
  return LLVM::FMulAddOp::create(builder, loc, vectorType, a, b, sum);
}

} // namespace tandem
