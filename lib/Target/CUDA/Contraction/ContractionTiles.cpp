//===- ContractionTiles.cpp - Blocks of small convolutions ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction/ContractionTiles.h"

#include "Conversion/KernelToEmitC/CTypes.h"

#include "llvm/Support/MathExtras.h"

using namespace tandem;
using namespace tandem::codegen;
using namespace tandem::conversion;

static constexpr int64_t kWarp = 32;
/// The sums of a thread, and the most that it has of the tile at once, in
/// bytes.
static constexpr int64_t kSumsBytes = 128, kThreadDataBytes = 64;
/// The most shared memory for weights, in bytes.
static constexpr int64_t kMaxWeightsBytes =
    ContractionTiles::kMaxSharedBytes / 3;

/// Whether the weights of `channels` adjacent channels are a vector where they
/// are.
static bool areWeightsVectors(const Contraction &contraction,
                              int64_t channels) {
  bool areVectors = contraction.outputBlock == 1
                        ? contraction.outputBlockStride == 1
                        : contraction.outputStride == 1 &&
                              contraction.outputBlock % channels == 0 &&
                              contraction.outputBlockStride % channels == 0;
  for (const Contraction::SpatialDim &dim : contraction.spatial)
    areVectors &= dim.weightsStride % channels == 0;
  return areVectors && contraction.inputWeightsStride % channels == 0;
}

int64_t ContractionTiles::columnsOf(int64_t groups) const {
  int64_t columns =
      (groups * positions - 1) * row.stride + (row.taps - 1) * row.dilation + 1;
  return llvm::alignTo(columns, kVectorBytes / computedBytes);
}

int64_t ContractionTiles::sharedBytesOf(int64_t groups) const {
  int64_t rows = llvm::product_of(tileRows) * inputTerms;
  int64_t part = blockWindows == 0 ? 0
                                   : partRows * groups * positions *
                                         blockChannels() * elementBytes;
  return rows * columnsOf(groups) * computedBytes +
         terms * (weightsAreVectors ? 0 : weightsColumns() * computedBytes) +
         part;
}

/// If each thread had two vectors of channels, neighboring threads would load
/// from shared memory, and store, with gaps. If neighbors have different
/// channels, a thread therefore has one vector of channels, and more positions.
/// With windows, there are not enough registers for more positions.
void ContractionTiles::chooseChannels(bool hasWindow) {
  const int64_t vector = std::max(kVectorBytes / computedBytes, kLeastChannels);
  auto choose = [&](int64_t count) {
    channels = count;
    positions = kSumsBytes / computedBytes / channels;
    threadColumns = columnsOf(1);
    if (threadColumns * computedBytes > kThreadDataBytes)
      threadColumns = 0;
  };
  choose(contraction.outputChannels % kChannels == 0 ? kChannels
                                                     : kLeastChannels);
  if (!isChannelsLast || hasWindow || channels <= vector)
    return;
  const bool hadColumns = threadColumns != 0;
  choose(vector);
  if (hadColumns && threadColumns == 0)
    choose(kChannels);
}

/// Puts as many channels side by side as there are, up to a warp's threads, and
/// as their weights and the rows of the part leave room for.
void ContractionTiles::divideChannels() {
  int64_t groups = contraction.outputChannels / channels;
  for (int64_t count = 1; count <= std::min(kWarp, kThreads / partRows);
       ++count)
    if (groups % count == 0 &&
        (count == 1 || count * weightsBytes <= kMaxWeightsBytes))
      channelGroups = count;
  channelTiles = groups / channelGroups;
}

/// Gives a block as many of `size` positions of a row as there are threads and
/// memory for.
void ContractionTiles::divideRow(int64_t size) {
  rowGroups = std::clamp<int64_t>(kThreads / (channelGroups * partRows), 1,
                                  llvm::divideCeilSigned(size, positions));
  while (rowGroups > 1 && sharedBytesOf(rowGroups) > kMaxSharedBytes)
    --rowGroups;
}

/// Gives a block as many windows of a row as fit its positions.
void ContractionTiles::divideWindows(const ContractionWindow::Dim &along) {
  blockWindows = 1;
  divideRow(along.getReads(along.size));
  int64_t rest = blockPositions() - along.extent;
  if (rest >= 0)
    blockWindows = std::min(along.size, rest / along.stride + 1);
  rowGroups =
      std::max(llvm::divideCeilSigned(along.getReads(blockWindows), positions),
               int64_t(1));
  rowTiles = llvm::divideCeilSigned(along.size, blockWindows);
}

ContractionTiles::ContractionTiles(const Contraction &contraction,
                                   const ContractionWindow *window,
                                   int64_t elementBytes)
    : contraction(contraction), row(contraction.spatial.back()),
      elementBytes(elementBytes) {
  mlir::Type element = contraction.result.getElementType();
  computedBytes = isHalf(element) ? 4 : byteSize(element);
  areQuads = contraction.areBytesWidened();
  inputTerms = areQuads ? llvm::divideCeilSigned(contraction.inputChannels, 4)
                        : contraction.inputChannels;
  terms = contraction.getReduction() / contraction.inputChannels * inputTerms;
  isChannelsLast = contraction.outputDim + 1 == contraction.result.getRank();
  chooseChannels(window != nullptr);
  weightsAreVectors = !areQuads && areWeightsVectors(contraction, channels);
  if (!weightsAreVectors)
    weightsBytes = terms * channels * computedBytes;
  blocks = contraction.getPositions() / row.size;
  for (const Contraction::SpatialDim &dim :
       llvm::ArrayRef(contraction.spatial).drop_back()) {
    ContractionWindow::Dim along;
    if (window) {
      along = window->dims[dim.resultDim];
      blocks = blocks / dim.size * along.size;
    }
    partSizes.push_back(along.extent);
    partRows *= along.extent;
    // Rows of the result may share rows of the data.
    bool isOne = along.extent == 1;
    tileSteps.push_back(isOne ? dim.dilation : 1);
    tileRows.push_back(isOne ? dim.taps
                             : (along.extent - 1) * dim.stride +
                                   (dim.taps - 1) * dim.dilation + 1);
  }
  divideChannels();
  if (window) {
    divideWindows(window->dims[row.resultDim]);
  } else {
    divideRow(row.size);
    rowTiles = llvm::divideCeilSigned(row.size, blockPositions());
  }
  blocks *= rowTiles * channelTiles;
  tileColumns = columnsOf(rowGroups);
  rowBytes = blockPositions() * blockChannels() * elementBytes;
  sharedBytes = sharedBytesOf(rowGroups);
  threads = llvm::alignTo(channelGroups * rowGroups * partRows, kWarp);
}
