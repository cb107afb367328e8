//===- WeightsCopy.cpp - Copies a tile's weights in order -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction/Tile/WeightsCopy.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tandem {

WeightsCopy::WeightsCopy(OpBuilder &builder, Location loc,
                         const TileProblem &problem, KernelScratch &scratch)
    : TileMemory(builder, loc, problem),
      groups(llvm::divideCeilSigned(contraction.inputChannels, together())),
      copyType(getCopyType(format)),
      memory(scratch.allocate(copyType, contraction.getReduction() /
                                            contraction.inputChannels * groups *
                                            together() * strategy.getLanes())) {
}

void WeightsCopy::emit(const ContractionTile &tile) {
  emitTaps(0, getFirstOffsets(tile).weights, index(0), tile);
}

/// Copies the taps of spatial dim `dim` and of the dims inside it. `number` is
/// the linear index of the current taps of the dims outside it.
void WeightsCopy::emitTaps(unsigned dim, Value offset, Value number,
                           const ContractionTile &tile) {
  if (dim == contraction.spatial.size())
    return emitInputs(offset, number, tile);
  const Contraction::SpatialDim &taps = contraction.spatial[dim];
  if (taps.taps == 1)
    return emitTaps(dim + 1, offset, number, tile);
  auto loop =
      scf::ForOp::create(builder, loc, index(0), index(taps.taps), index(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value tap = loop.getInductionVar();
  emitTaps(dim + 1, addScaled(offset, tap, taps.weightsStride),
           add(scale(number, taps.taps), tap), tile);
}

void WeightsCopy::emitInputs(Value offset, Value number,
                             const ContractionTile &tile) {
  auto loop =
      scf::ForOp::create(builder, loc, index(0), index(groups), index(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value group = loop.getInductionVar();
  Value from = addScaled(offset, group, contraction.inputWeightsStride);
  Value to = scale(add(scale(number, groups), group),
                   together() * strategy.getLanes());
  for (int64_t v = 0; v < tile.vectors; ++v)
    emitVector(from, to, v, tile);
}

void WeightsCopy::emitVector(Value from, Value to, int64_t v,
                             const ContractionTile &tile) {
  if (together() == 1)
    return store(loadVector(weights, from, v * width, tile.getMask(v)),
                 add(to, v * width));
  Value quads =
      loadBits(VectorType::get({width}, builder.getI32Type()),
               TileMemory::getPointer(weights, from, together() * v * width),
               getWeightsMask(tile, v));
  to = add(to, 2 * v * width);
  for (Value half : splitQuads(builder, loc, quads, /*isSigned=*/true,
                               ByteProducts::Words)) {
    store(half, to);
    to = add(to, 2 * strategy.getLanes());
  }
}

void WeightsCopy::store(Value vector, Value to) {
  Value at = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), to);
  Value pointer = LLVM::GEPOp::create(builder, loc, memory.getType(), copyType,
                                      memory, ValueRange(at));
  LLVM::StoreOp::create(builder, loc, vector, pointer,
                        copyType.getIntOrFloatBitWidth() / 8);
}

} // namespace tandem
