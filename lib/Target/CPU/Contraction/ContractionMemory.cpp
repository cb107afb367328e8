//===- ContractionMemory.cpp - What a register tile reads, and where ------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction/Tile/ContractionTile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tandem {

Value ContractionTileEmitter::addScaled(Value a, Value b,
                                        int64_t factor) const {
  if (factor == 0 || !b)
    return a;
  return add(a, factor == 1 ? b : scale(b, factor));
}

/// Of the tile's first row and lane at tap 0: maybe ahead of the data, where
/// that is padding.
ContractionTileEmitter::Offsets
ContractionTileEmitter::getFirstOffsets() const {
  Value dataOffset = index(0), weightsOffset = index(0);
  for (auto [dim, at] : llvm::zip(contraction.batch, tile->batch)) {
    dataOffset = addScaled(dataOffset, at, dim.dataStride);
    weightsOffset = addScaled(weightsOffset, at, dim.weightsStride);
  }
  int64_t padding = 0;
  for (auto [i, dim] : llvm::enumerate(contraction.spatial)) {
    Value at = i < tile->outer.size() ? tile->outer[i] : tile->position;
    dataOffset = addScaled(dataOffset, at, dim.stride * dim.dataStride);
    padding += dim.padLow * dim.dataStride;
  }
  dataOffset = add(dataOffset, -padding);
  dataOffset = addScaled(dataOffset, tile->group, contraction.groupDataStride);
  weightsOffset =
      addScaled(weightsOffset, tile->group, contraction.groupWeightsStride);
  if (contraction.outputBlock == contraction.outputChannels)
    return {dataOffset,
            addScaled(weightsOffset, tile->output, contraction.outputStride)};
  // A tile lies within a block.
  Value block = index(contraction.outputBlock);
  weightsOffset = addScaled(
      weightsOffset, arith::DivUIOp::create(builder, loc, tile->output, block),
      contraction.outputBlockStride);
  return {dataOffset,
          addScaled(weightsOffset,
                    arith::RemUIOp::create(builder, loc, tile->output, block),
                    contraction.outputStride)};
}

Value ContractionTileEmitter::getPointer(Value base, Value offset,
                                         int64_t distance) {
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

Value ContractionTileEmitter::loadVector(Value base, Value offset,
                                         int64_t distance, Value mask) {
  return loadVector(vectorType, getPointer(base, offset, distance), mask);
}

Value ContractionTileEmitter::loadVector(VectorType type, Value pointer,
                                         Value mask) {
  if (!format.isWidened())
    return loadBits(type, pointer, mask);
  return widenHalves(loadBits(type.clone(elementType), pointer, mask));
}

Value ContractionTileEmitter::widenHalves(Value halves) {
  auto type = cast<VectorType>(halves.getType());
  if (format.memory.isBF16())
    return widen(arith::ExtUIOp::create(
                     builder, loc, type.clone(builder.getI32Type()), halves),
                 /*isUpper=*/false);
  Type wide = type.clone(format.compute);
  Value narrow =
      arith::BitcastOp::create(builder, loc, type.clone(format.memory), halves);
  return arith::ExtFOp::create(builder, loc, wide, narrow);
}

Value ContractionTileEmitter::widen(Value bits, bool isUpper) {
  auto type = cast<VectorType>(bits.getType());
  auto constant = [&](int32_t value) -> Value {
    return arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(type, builder.getI32IntegerAttr(value)));
  };
  Value upper =
      isUpper
          ? arith::AndIOp::create(builder, loc, bits, constant(-0x10000))
                .getResult()
          : arith::ShLIOp::create(builder, loc, bits, constant(16)).getResult();
  return arith::BitcastOp::create(builder, loc,
                                  type.clone(builder.getF32Type()), upper);
}

Value ContractionTileEmitter::loadBits(VectorType type, Value pointer,
                                       Value mask) {
  unsigned alignment = format.bytes;
  if (!mask)
    return LLVM::LoadOp::create(builder, loc, type, pointer, alignment);
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  return LLVM::MaskedLoadOp::create(builder, loc, type, pointer, mask, zero,
                                    alignment);
}

Value ContractionTileEmitter::splat(VectorType type, Value scalar) {
  Value poison = LLVM::PoisonOp::create(builder, loc, type);
  Value zero = LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                        builder.getI64IntegerAttr(0));
  Value first =
      LLVM::InsertElementOp::create(builder, loc, poison, scalar, zero);
  SmallVector<int32_t> lanes(type.getNumElements(), 0);
  return LLVM::ShuffleVectorOp::create(builder, loc, first, poison, lanes);
}

Value ContractionTileEmitter::loadSplat(Value base, Value offset,
                                        int64_t distance) {
  Type type = getTypeAt(base);
  Value scalar = LLVM::LoadOp::create(builder, loc, type,
                                      getPointer(base, offset, distance),
                                      type.getIntOrFloatBitWidth() / 8);
  if (type == format.compute)
    return splat(vectorType, scalar);
  if (!format.memory.isBF16())
    return widenHalves(splat(vectorType.clone(elementType), scalar));
  // Everywhere, which is one instruction, and half of it then shifted out.
  Value halves = splat(VectorType::get({2 * width}, elementType), scalar);
  return widen(LLVM::BitcastOp::create(builder, loc,
                                       vectorType.clone(builder.getI32Type()),
                                       halves),
               /*isUpper=*/false);
}

void ContractionTileEmitter::prepareGuards(KernelScratch &scratch) {
  Type type = builder.getF32Type();
  zero = scratch.allocate(type, 1);
  LLVM::StoreOp::create(
      builder, loc,
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type)), zero);
}

Value ContractionTileEmitter::loadGuarded(int64_t row, Value tap,
                                          Offsets offsets) {
  const Contraction::SpatialDim &dim = getInner();
  Value at = addScaled(index(row * dim.stride - dim.padLow), tile->position,
                       dim.stride);
  at = addScaled(at, tap, dim.dilation);
  // As a number without sign, what is ahead of the data is beyond it.
  Value isData = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                       at, index(dim.dataSize));
  Value pointer = arith::SelectOp::create(
      builder, loc, isData,
      getPointer(data, offsets.data, row * dim.stride * dim.dataStride), zero);
  Value scalar = LLVM::LoadOp::create(builder, loc, builder.getF32Type(),
                                      pointer, /*alignment=*/4);
  return splat(vectorType, scalar);
}

} // namespace tandem
