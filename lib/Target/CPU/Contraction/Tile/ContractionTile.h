//===- ContractionTile.h - One register tile of a contraction - -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_CONTRACTIONTILE_H
#define TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_CONTRACTIONTILE_H

#include "mlir/IR/Value.h"

#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace tandem {

/// The elements of the result that a tile computes. Indices are of type index.
/// If groups run along the lanes, `group` is the first group.
struct ContractionTile {
  llvm::SmallVector<mlir::Value, 2> batch;
  /// The indices of the tile in the spatial dims but the innermost.
  llvm::SmallVector<mlir::Value, 2> outer;
  /// The first index of the tile in the innermost spatial dim. `knownPosition`
  /// is its value if it is a constant. Code that leaves out taps which read
  /// padding requires a constant.
  mlir::Value position;
  std::optional<int64_t> knownPosition;
  /// The rows that check for each tap whether they read padding, because the
  /// position is not known.
  llvm::SmallVector<int64_t> guardedRows;
  /// Whether the tile is one of few among many tiles, so that its code should
  /// be short.
  bool isRare = false;
  /// Whether positions run along the lanes, and no lane reads padding through
  /// any tap.
  bool isInterior = false;
  mlir::Value group, output;
  int64_t rows = 1, vectors = 1;
  /// The mask of the lanes of the last vector that exist; null if all lanes
  /// exist.
  mlir::Value mask;

  /// Returns the mask of the lanes of vector `v` that exist; null if all lanes
  /// exist.
  mlir::Value getMask(int64_t v) const {
    return v + 1 == vectors ? mask : mlir::Value();
  }
};

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_CONTRACTIONTILE_H
