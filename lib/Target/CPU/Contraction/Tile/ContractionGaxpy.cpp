//===- ContractionGaxpy.cpp - Products of several inputs at once ----------===//
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

SmallVector<Value>
ContractionTileEmitter::emitInitial(const ContractionTile &tile) {
  this->tile = &tile;
  return createInitial();
}

SmallVector<Value>
ContractionTileEmitter::loadInputs(const ContractionTile &tile, Value first,
                                   int64_t count) {
  this->tile = &tile;
  const Contraction::SpatialDim &dim = getInner();
  Value offset = getFirstOffsets().data;
  SmallVector<Value> inputs;
  for (int64_t i = 0; i < count; ++i) {
    Value at = addScaled(offset, add(first, i), contraction.inputDataStride);
    for (int64_t row = 0; row < tile.rows; ++row)
      inputs.push_back(loadSplat(data, at, row * dim.stride * dim.dataStride));
  }
  return inputs;
}

SmallVector<Value>
ContractionTileEmitter::addInputs(const ContractionTile &tile, Value first,
                                  ArrayRef<Value> inputs,
                                  ArrayRef<Value> sums) {
  this->tile = &tile;
  Value offset = getFirstOffsets().weights;
  SmallVector<Value> result(sums);
  for (int64_t i = 0; i * tile.rows < int64_t(inputs.size()); ++i) {
    Value at = addScaled(offset, add(first, i), contraction.inputWeightsStride);
    Value row = loadVector(weights, at, /*distance=*/0, tile.mask);
    for (auto [sum, input] :
         llvm::zip_equal(result, inputs.slice(i * tile.rows, tile.rows)))
      sum = LLVM::FMulAddOp::create(builder, loc, vectorType, input, row, sum);
  }
  return result;
}

} // namespace tandem
