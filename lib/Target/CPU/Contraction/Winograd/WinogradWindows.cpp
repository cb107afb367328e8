//===- WinogradWindows.cpp - Convolutions of fewer products that pool -----===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction/Winograd/WinogradEmitter.h"

#include "tandem/Target/CPU/WinogradKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <numeric>

using namespace mlir;

namespace tandem {

using namespace winograd;

SmallVector<int64_t> WinogradEmitter::getPartShape(const Contraction &conv,
                                                   const WinogradPlan &plan) {
  SmallVector<int64_t> shape(conv.result.getRank(), 1);
  for (const Contraction::SpatialDim &dim : conv.spatial)
    shape[dim.resultDim] = kTile;
  shape[conv.outputDim] = plan.tile.width;
  return shape;
}

void WinogradEmitter::moveStage(const Corner &corner, Value output) {
  SmallVector<Value> first(conv.result.getRank());
  first[conv.batch[0].resultDim] = corner.batch;
  first[conv.spatial[0].resultDim] = corner.row;
  first[conv.spatial[1].resultDim] = corner.column;
  first[conv.outputDim] = output;
  pooling->moveTo(first);
}

/// Emits the windows over a tile; no window crosses the border of a tile.
void WinogradEmitter::emitWindows(const Corner &corner, Value output) {
  SmallVector<FusedPooling::Range> ranges(conv.result.getRank());
  ranges[conv.batch[0].resultDim] = {corner.batch, add(corner.batch, 1)};
  ranges[conv.outputDim] = {
      output, atMost(add(output, plan.tile.width), conv.outputChannels),
      std::gcd(plan.tile.width, conv.outputChannels)};
  Value firsts[] = {corner.row, corner.column};
  for (auto [first, spatial] : llvm::zip_equal(firsts, conv.spatial)) {
    int64_t dim = spatial.resultDim;
    const ContractionWindow::Dim &along = pooling->getWindow().dims[dim];
    Value lower =
        arith::DivUIOp::create(builder, loc, first, index(along.stride));
    ranges[dim] = {lower, atMost(add(lower, kTile / along.stride), along.size)};
  }
  pooling->emitWindows(ranges, getBuffer);
}

} // namespace tandem
