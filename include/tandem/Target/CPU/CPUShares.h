//===- CPUShares.h - How fast kernels and the library are -------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TARGET_CPU_CPUSHARES_H
#define TANDEM_TARGET_CPU_CPUSHARES_H

#include "tandem/Analysis/DeviceModel.h"

namespace tandem {

/// The speed of the library (oneDNN), by kind of contraction. Unless stated
/// otherwise, a share is the library's speed divided by the estimated speed of
/// Tandem's own register tiles on the same contraction.
struct LibraryShares {
  double tiles = 0.96;
  /// The shares of depthwise convolutions over two spatial dims (`depthwise`)
  /// and over one or three, which have no special kernel (`generic`).
  double depthwise = 0.7, generic = 0.1;
  /// The share of the matrix unit's peak (AMX) that contractions on it reach.
  double matrixUnit = 0.3;
  /// The share of the device's peak that contractions reach for which Tandem
  /// has no register tile.
  double other = 0.6;
  /// The share of a core's peak that gradients of weights reach
  /// (`conv_backward_weights`), in images with channels last.
  double weightsGradient = 0.75;
  /// The library computes channels-first convolutions as matrix products.
  /// `tileProducts` is the overhead of a tile, in multiply-adds per element of
  /// the result. `columnCycles` is the number of cycles for each element that
  /// is copied into the columns of the matrix (im2col). `stridedColumnCycles`
  /// is the same number for convolutions with strides above 1.
  double tileProducts = 8, columnCycles = 3, stridedColumnCycles = 3;
  /// The parallel efficiency of such a matrix product: the speed of n threads,
  /// divided by n times the speed of one thread. The threads divide the product
  /// image by image, in pieces that are copied first.
  double matrixThreads = 0.6;
  /// The time to reorder an image to another layout, divided by the time to
  /// copy the image.
  double reorderFactor = 1.5;
};

/// The speed of the contraction kernels that the target generates.
struct KernelShares {
  /// The share of their estimated speed that register tiles reach.
  double tiles = 0.98;
  /// The same share for tiles of integers of 8 bits. Some processors start two
  /// f32 multiply-adds per cycle, but only one instruction that multiplies
  /// bytes.
  double byteTiles = 0.98;
  /// The same share for tiles of groups (depthwise convolutions).
  double depthwise = 0.98;
  /// Extra time of channels-first convolutions, as shares of a tile's time.
  /// The data consists of short pieces of rows, which the hardware does not
  /// prefetch well. `pieceTime` is the cost of fetching the pieces, once for
  /// all taps. `transposedReadTime` is the cost of loading many input channels
  /// from different places if output channels run along the lanes.
  double pieceTime = 0.45, transposedReadTime = 0.15;
  /// The cycles that a store of 128 bytes costs if a tile writes only this
  /// piece of each row of outputs, and computes few products between two
  /// stores. The default was measured on processors with 512-bit vectors.
  /// Calibration on a Zen 3 measured 0 cycles.
  double partialRowStoreCycles = 41;
};

/// The numbers that the CPU target adds to the description of a device: the
/// speeds of the target's ways to compute a contraction.
struct CPUShares {
  LibraryShares library;
  KernelShares kernels;

  /// Reads the shares from `model` (DeviceModel::targetNumbers). A share that
  /// the model lacks has its default value.
  static CPUShares of(const DeviceModel &model);
  /// Writes all shares to `model`.
  void writeTo(DeviceModel &model) const;
};

/// Checks that the target knows all keys of the model's targetNumbers. The
/// Error names the first unknown key.
Status checkCPUShares(const DeviceModel &model);

} // namespace tandem

#endif // TANDEM_TARGET_CPU_CPUSHARES_H
