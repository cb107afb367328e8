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
      memory(scratch.allocate(format.compute, contraction.getReduction() *
                                                  strategy.getLanes())) {}

void WeightsCopy::emit(const ContractionTile &tile) {
  emitTaps(0, getFirstOffsets(tile).weights, index(0), tile);
}

/// The taps of spatial dim `dim` and of those inside it. `number` is the number
/// of taps before.
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
  auto loop = scf::ForOp::create(builder, loc, index(0),
                                 index(contraction.inputChannels), index(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value input = loop.getInductionVar();
  Value from = addScaled(offset, input, contraction.inputWeightsStride);
  Value step = add(scale(number, contraction.inputChannels), input);
  Value to = scale(step, strategy.getLanes());
  for (int64_t v = 0; v < tile.vectors; ++v) {
    Value vector = loadVector(weights, from, v * width, tile.getMask(v));
    Value at = arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                          add(to, v * width));
    Value pointer = LLVM::GEPOp::create(builder, loc, memory.getType(),
                                        format.compute, memory, ValueRange(at));
    LLVM::StoreOp::create(builder, loc, vector, pointer,
                          format.compute.getIntOrFloatBitWidth() / 8);
  }
}

} // namespace tandem
