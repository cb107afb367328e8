//===- StagedData.cpp - Data that a contraction copies as it goes ---------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction/Cost/StagedData.h"

#include "Contraction/Cost/ContractionTiles.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;

namespace tandem {

/// The largest number of positions of a tile.
static constexpr int64_t kMaxTilePositions = 32;

/// Whether the data is contiguous, with its dims in the order of the loops.
static bool isInOrder(const Contraction &contraction) {
  int64_t stride = getStagedInputs(contraction);
  for (const Contraction::SpatialDim &dim :
       llvm::reverse(contraction.spatial)) {
    if (dim.dataStride != stride)
      return false;
    stride *= dim.dataSize;
  }
  for (const Contraction::BatchDim &dim : llvm::reverse(contraction.batch)) {
    if (dim.size == 1)
      continue;
    if (dim.dataStride != stride)
      return false;
    stride *= dim.size;
  }
  return true;
}

/// Returns the number of bytes of data that the smallest possible task reads.
/// Its positions are one step of the outermost spatial dim, or one tile if
/// there is only one spatial dim.
static int64_t getLeastBytes(const Contraction &contraction) {
  const Contraction::SpatialDim &dim = contraction.spatial.front();
  int64_t steps = contraction.spatial.size() > 1
                      ? 1
                      : std::min(dim.size, kMaxTilePositions);
  int64_t size = (steps - 1) * dim.stride + (dim.taps - 1) * dim.dilation + 1;
  return std::min(size, dim.dataSize) * dim.dataStride *
         contraction.getFormat().bytes;
}

Status checkStaged(const Contraction &contraction) {
  auto type = cast<RankedTensorType>(contraction.data.getType());
  if (type.getNumElements() == 1)
    return fail("codegen", "has data of one element");
  if (llvm::any_of(contraction.batch, [](const Contraction::BatchDim &dim) {
        return dim.size > 1 && dim.dataStride == 0;
      }))
    return fail("codegen", "has data that several of a batch share");
  if ((contraction.inputChannels > 1 && contraction.inputDataStride != 1) ||
      (contraction.groups > 1 &&
       contraction.groupDataStride != contraction.inputChannels) ||
      !isInOrder(contraction))
    return fail(
        "codegen",
        "has data whose inputs are not side by side, or whose positions are "
        "in another order");
  Contraction flat = contraction;
  flattenPositions(flat);
  if (std::max(getLeastBytes(contraction), getLeastBytes(flat)) >
      kMaxStagedBytes)
    return fail(
        "codegen",
        "has data of which a few positions already are more than a cache "
        "holds");
  return {};
}

Status checkPrologue(const Contraction &contraction) {
  if (contraction.areBytesWidened())
    return fail("codegen", "has data of integers");
  return checkStaged(contraction);
}

int64_t getLeastSteps(const Contraction &contraction) {
  const Contraction::SpatialDim &dim = contraction.spatial.front();
  int64_t shared = (dim.taps - 1) * dim.dilation + 1 - dim.stride;
  return std::clamp<int64_t>(llvm::divideCeilSigned(2 * shared, dim.stride), 1,
                             dim.size);
}

double getStagedShare(const Contraction &contraction, int64_t chunks) {
  const Contraction::SpatialDim &dim = contraction.spatial.front();
  int64_t rows = dim.size;
  for (const Contraction::BatchDim &batch : contraction.batch)
    rows *= batch.size;
  int64_t steps = std::clamp(llvm::divideCeilSigned(rows, chunks),
                             getLeastSteps(contraction), dim.size);
  int64_t size =
      std::min((steps - 1) * dim.stride + (dim.taps - 1) * dim.dilation + 1,
               dim.dataSize);
  return double(size) * double(dim.size) /
         (double(steps) * double(dim.dataSize));
}

bool canWidenData(const Contraction &contraction, VectorizedDim vectorizedDim,
                  bool areWords) {
  ElementFormat format = contraction.getFormat();
  // Data in quads can be widened only if it consists of whole quads.
  const bool canWiden =
      areWords ? contraction.inputChannels % contraction.inputsTogether == 0
               : contraction.inputsTogether == 1 && format.compute.isF32();
  return vectorizedDim == VectorizedDim::OutputChannel && format.isWidened() &&
         canWiden && checkStaged(contraction).has_value();
}

bool canPadRows(const Contraction &contraction) {
  const Contraction::SpatialDim inner =
      withPaddedRows(contraction).spatial.back();
  return checkStaged(contraction).has_value() &&
         inner.dataSize * inner.dataStride * contraction.getFormat().bytes <=
             kMaxStagedBytes;
}

Contraction withPaddedRows(Contraction contraction) {
  Contraction::SpatialDim &inner = contraction.spatial.back();
  const int64_t row = inner.dataSize * inner.dataStride;
  inner.dataSize += inner.padLow + inner.getPadHigh();
  inner.padLow = 0;
  const int64_t padded = inner.dataSize * inner.dataStride;
  const auto pad = [&](int64_t &stride) { stride = stride / row * padded; };
  for (Contraction::SpatialDim &dim :
       MutableArrayRef(contraction.spatial).drop_back())
    pad(dim.dataStride);
  for (Contraction::BatchDim &dim : contraction.batch)
    pad(dim.dataStride);
  return contraction;
}

double getWideningCycles(const Contraction &contraction,
                         const ContractionStrategy &tile,
                         const ProductRates &rates) {
  auto type = cast<RankedTensorType>(contraction.data.getType());
  int64_t chunks = std::clamp<int64_t>(
      contraction.getPositions() / kMinPositionsPerTask, 1, kWantedTasks);
  int64_t columns =
      llvm::divideCeilSigned(contraction.outputChannels, tile.getLanes()) *
      contraction.groups;
  double times = getStagedShare(contraction, chunks) *
                 double(std::min(columns, kWantedTasks / chunks));
  double vectors = double(type.getNumElements()) / double(tile.width);
  return double(chunks) * kTileCycles +
         times * vectors *
             (rates.conversions / kFmasPerCycle + 2 / kLoadsPerCycle);
}

} // namespace tandem
