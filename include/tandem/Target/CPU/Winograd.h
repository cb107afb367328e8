//===- Winograd.h - Convolutions of fewer products -------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TARGET_CPU_WINOGRAD_H
#define TANDEM_TARGET_CPU_WINOGRAD_H

#include "tandem/Target/CPU/ContractionStrategy.h"

namespace tandem {

/// How a convolution runs by Winograd's method (see docs/Contractions.md). A
/// task takes `tilesPerTask` tiles of 4x4 results: it transforms their data to
/// [36][tiles][inputs], multiplies for one block of outputs after the other to
/// [36][tiles][block], and transforms that to results.
struct WinogradPlan {
  /// Tiles of the result, per dim and in all.
  int64_t tileRows = 1, tileColumns = 1, tiles = 1;
  int64_t tilesPerTask = 1, tasks = 1;
  /// The products of a task, of all positions and blocks; its operands are the
  /// transformed data, whose rows are `rowStride` elements apart, and weights.
  Contraction products;
  ContractionStrategy tile;
  int64_t rowStride = 1;
  /// Tiles that there is room for: `tilesPerTask`, up to whole rows of `tile`.
  int64_t slots = 1;
  /// Outputs at a time.
  int64_t block = 1;
  /// Estimated, of the whole on one core.
  double cycles = 0;

  /// Elements of a task's transformed data and products.
  int64_t getDataElements() const;
  int64_t getProductElements() const;
};

/// Bytes of a task's workspace for its tiles' data and products: they are to
/// stay in a second-level cache.
inline constexpr int64_t kWinogradBytes = 704 * 1024;

/// The plan for a contraction that can be computed so (`canUseWinograd`); of
/// plain weights it says what block to
/// transform them to, of transformed ones it takes theirs.
WinogradPlan planWinograd(const Contraction &contraction,
                          ContractionMachine machine);

/// The plan for `hero`, whose weights are a constant, if it can be computed so
/// and that is worth it.
std::optional<WinogradPlan> chooseWinograd(mlir::Operation *hero,
                                           ContractionMachine machine);

} // namespace tandem

#endif // TANDEM_TARGET_CPU_WINOGRAD_H
