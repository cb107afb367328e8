//===- Winograd.h - Winograd's method for convolutions ----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TARGET_CPU_WINOGRAD_H
#define TANDEM_TARGET_CPU_WINOGRAD_H

#include "tandem/Target/CPU/CPUDialect.h"
#include "tandem/Target/CPU/ContractionStrategy.h"

namespace tandem {

/// Returns true if Winograd's method (docs/Contractions.md) can compute
/// `contraction`, a convolution. It must have 3x3 taps, strides and dilations
/// of 1, channels last, one group, element type f32, 8 to 4096 inputs and
/// several outputs.
bool canUseWinograd(const Contraction &contraction);

/// A convolution whose weights are transformed for Winograd's method.
struct TransformedConv {
  /// The convolution, described as if the transformed weights were its kernel.
  /// The spatial dims of these weights are 6x6 positions instead of taps.
  Contraction conv;
  /// The largest magnitude of data for which the method may be used.
  float largestData = 0;
};

/// Returns the op that pairs the kernel of `hero` with its transform. Returns
/// null if `hero` has no such kernel.
cpu::WinogradKernelOp findWinogradKernel(mlir::Operation *hero);

/// Describes `hero`, for which findWinogradKernel must not return null. The
/// message of the Error has the form that describeContraction documents.
Expected<TransformedConv> describeTransformed(mlir::Operation *hero);

/// The plan of a convolution by Winograd's method (docs/Contractions.md). A
/// task computes `tilesPerTask` tiles of 4x4 results: it transforms their data
/// to [36][tiles][inputs], multiplies it with the weights to [36][tiles][block]
/// for one block of outputs after the other, and transforms these products to
/// results.
struct WinogradPlan {
  /// Number of tiles of the result, per dim and in all.
  int64_t tileRows = 1, tileColumns = 1, tiles = 1;
  int64_t tilesPerTask = 1, tasks = 1;
  /// The matrix products of a task, for all 36 positions and all blocks, as a
  /// contraction of the transformed data, whose rows are `rowStride` elements
  /// apart, and the transformed weights.
  Contraction products;
  /// The register tile of these products.
  ContractionStrategy tile;
  int64_t rowStride = 1;
  /// The number of tiles that the workspace has room for: `tilesPerTask`,
  /// rounded up to whole rows of `tile`.
  int64_t slots = 1;
  /// Number of outputs in a block.
  int64_t block = 1;
  /// Estimated cycles of the whole convolution on one core.
  double cycles = 0;

  /// Number of elements of a task's transformed data, and of its products.
  int64_t getDataElements() const;
  int64_t getProductElements() const;
};

/// The largest workspace of a task for its tiles' data and products, in bytes.
/// They should stay in the second-level cache.
inline constexpr int64_t kWinogradBytes = 704 * 1024;

/// Makes the plan for a contraction for which canUseWinograd is true. Chooses
/// the block size of the weights, which are not transformed yet.
WinogradPlan planWinograd(const Contraction &contraction, CoreModel core);

/// Makes the plan for transformed weights, which determine the block size.
WinogradPlan planWinograd(const TransformedConv &transformed, CoreModel core);

/// Makes the plan for `hero`, whose weights must be constant, if Winograd's
/// method is possible and worthwhile.
std::optional<WinogradPlan> chooseWinograd(mlir::Operation *hero,
                                           CoreModel core);

} // namespace tandem

#endif // TANDEM_TARGET_CPU_WINOGRAD_H
