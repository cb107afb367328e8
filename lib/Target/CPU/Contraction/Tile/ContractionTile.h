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

/// The elements of the result that a tile computes. Indices are of type index;
/// `group` is the first group where groups run along the lanes.
struct ContractionTile {
  llvm::SmallVector<mlir::Value, 2> batch;
  /// The indices of the tile in the spatial dims but the innermost.
  llvm::SmallVector<mlir::Value, 2> outer;
  /// The first index of the tile in the innermost spatial dim; known where some
  /// rows may be padding, or lanes along positions.
  mlir::Value position;
  std::optional<int64_t> knownPosition;
  /// The rows that may be padding where the position is not known.
  llvm::SmallVector<int64_t> guardedRows;
  /// Whether it is one of few among many tiles: its code is to be short.
  bool isRare = false;
  /// Whether no lane along positions is padding for any tap.
  bool isInterior = false;
  mlir::Value group, output;
  int64_t rows = 1, vectors = 1;
  /// The mask of the lanes of the last vector that exist; null for all.
  mlir::Value mask;

  /// Returns the mask of the lanes of vector `v` that exist; null for all.
  mlir::Value getMask(int64_t v) const {
    return v + 1 == vectors ? mask : mlir::Value();
  }
};

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_CONTRACTIONTILE_H
