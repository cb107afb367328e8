//===- ContractionTiles.h - Blocks of small convolutions --------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CUDA_CONTRACTION_CONTRACTIONTILES_H
#define TANDEM_LIB_TARGET_CUDA_CONTRACTION_CONTRACTIONTILES_H

#include "tandem/Analysis/Contraction/ContractionWindow.h"

namespace tandem::codegen {

/// How a small convolution is divided among blocks and threads. A block
/// computes some positions of one row for some output channels. Where a pooling
/// follows it has some windows of one row of windows: it computes what they
/// read of several rows, its part of the result.
struct ContractionTiles {
  /// Threads of a full block, and the bytes of shared memory that every block
  /// may have.
  static constexpr int64_t kThreads = 256, kMaxSharedBytes = 48 << 10;
  /// The largest number of output channels of a thread, and a number that
  /// divides the output channels of every convolution that is generated. A
  /// thread has vectors of channels.
  static constexpr int64_t kChannels = 8, kLeastChannels = 4;
  /// The bytes of a vector that one access moves.
  static constexpr int64_t kVectorBytes = 16;

  /// `elementBytes` are those of an element of the part.
  ContractionTiles(const Contraction &contraction,
                   const ContractionWindow *window, int64_t elementBytes);

  /// Whether the block has the memory and threads that it needs.
  bool fits() const {
    return sharedBytes <= kMaxSharedBytes && threads <= kThreads;
  }
  int64_t blockChannels() const { return channelGroups * channels; }
  int64_t blockPositions() const { return rowGroups * positions; }
  /// The channels of a term in the block's weights in shared memory, and a
  /// vector of padding: they are stored along the terms.
  int64_t weightsColumns() const {
    return blockChannels() + kVectorBytes / computedBytes;
  }
  int64_t partBytes() const { return partRows * rowBytes; }

  /// Whether a term of a sum is four products of bytes, those of four input
  /// channels, instead of one product.
  bool areQuads = false;
  /// The terms along the input channels, and those of an element of the result.
  int64_t inputTerms, terms;
  /// Whether channels are the last dim of the result. If so, neighboring
  /// threads have neighboring channels, otherwise neighboring positions.
  bool isChannelsLast = true;
  /// Output channels and positions of a thread.
  int64_t channels, positions;
  /// Whether the weights of a thread's channels are contiguous in global
  /// memory. Otherwise they are staged in shared memory, where quads of bytes
  /// are assembled.
  bool weightsAreVectors = true;
  /// Threads side by side along channels, and along positions.
  int64_t channelGroups = 1, rowGroups = 1;
  /// Blocks along channels, and along a row.
  int64_t channelTiles = 1, rowTiles = 1;
  /// The tile of the data in shared memory: by outer spatial dim the rows and
  /// the distance between two of them, and the columns.
  llvm::SmallVector<int64_t> tileRows, tileSteps;
  int64_t tileColumns = 1;
  /// The columns that the taps of a row read for a thread's positions, in whole
  /// vectors; 0 where they are too many for its registers.
  int64_t threadColumns = 0;
  /// The rows of the result in a block, by outer spatial dim and in all; and
  /// the windows along its row, 0 where there are none.
  llvm::SmallVector<int64_t> partSizes;
  int64_t partRows = 1, blockWindows = 0;
  /// Bytes of a block's shared memory, and of a row of its part.
  int64_t sharedBytes = 0, rowBytes = 0;
  int64_t threads = 0, blocks = 0;

private:
  void chooseChannels(bool hasWindow);
  void divideChannels();
  void divideRow(int64_t size);
  void divideWindows(const ContractionWindow::Dim &along);
  int64_t columnsOf(int64_t rowGroups) const;
  int64_t sharedBytesOf(int64_t rowGroups) const;

  const Contraction &contraction;
  const Contraction::SpatialDim &row;
  /// Bytes of a term's data, weights and sum, and of an element of the part; of
  /// a thread's weights in shared memory.
  int64_t computedBytes, elementBytes, weightsBytes = 0;
};

} // namespace tandem::codegen

#endif // TANDEM_LIB_TARGET_CUDA_CONTRACTION_CONTRACTIONTILES_H
