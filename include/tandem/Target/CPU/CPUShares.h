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

/// How fast the library (oneDNN) is, by kind of contraction. Shares are of the
/// speed that Tandem's own register tiles are estimated to reach on the same
/// contraction.
struct LibraryShares {
  double tiles = 0.96;
  /// The share of depthwise convolutions over two spatial dims, and of those
  /// over one or three, for which the library has no special kernel.
  double depthwise = 0.7, generic = 0.1;
  /// The share of the matrix unit's peak (AMX) that contractions on it reach.
  double matrixUnit = 0.3;
  /// The share of the device's peak where Tandem has no register tile for the
  /// contraction to compare with.
  double other = 0.6;
  /// Channels-first convolutions are matrix products in the library.
  /// `tileProducts` is the overhead of a tile, in multiply-adds per element of
  /// the result; `columnCycles` is the number of cycles for each element that
  /// is copied into the columns of the matrix (im2col), and
  /// `stridedColumnCycles` where positions are apart.
  double tileProducts = 8, columnCycles = 3, stridedColumnCycles = 3;
  /// What all threads reach of as many times one's speed in such a product,
  /// which is divided among them image by image, in pieces that are copied
  /// first.
  double matrixThreads = 0.6;
  /// The time of reordering an image to another layout, as a multiple of the
  /// time of copying it.
  double reorderFactor = 1.5;
};

/// How fast the contraction kernels are that the target generates.
struct KernelShares {
  /// The share that register tiles reach of their estimated speed.
  double tiles = 0.98;
  /// The share that tiles of groups reach of theirs (depthwise convolutions).
  double depthwise = 0.98;
  /// Extra time of channels-first convolutions, as shares of a tile's time.
  /// Their data comes as short pieces of rows, which the hardware does not
  /// prefetch well: `pieceTime` is the cost of fetching them, once for all
  /// taps. `transposedReadTime` is the cost of loading many input channels,
  /// each from a different place, where output channels run along the lanes.
  double pieceTime = 0.45, transposedReadTime = 0.15;
  /// Cycles lost for each piece of 128 bytes in which a row of outputs is
  /// written, where few products go by meanwhile. Processors with vectors of
  /// 512 bits were seen to lose so much, a Zen 3 nothing.
  double partialRowStoreCycles = 41;
};

/// What the CPU target adds to the description of a device: how fast its ways
/// to compute a contraction are.
struct CPUShares {
  LibraryShares library;
  KernelShares kernels;

  /// Reads the shares of `model` (DeviceModel::targetNumbers). Shares that the
  /// model lacks have their defaults.
  static CPUShares of(const DeviceModel &model);
  /// Writes all shares to `model`.
  void writeTo(DeviceModel &model) const;
};

/// Checks that the target knows all of the model's targetNumbers. The Error
/// names the first number that it does not know.
Status checkCPUShares(const DeviceModel &model);

} // namespace tandem

#endif // TANDEM_TARGET_CPU_CPUSHARES_H
