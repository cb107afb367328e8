//===- ContractionWindow.h - Windows over a contraction's result -*- C++ -*-==//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_ANALYSIS_CONTRACTION_CONTRACTIONWINDOW_H
#define TANDEM_ANALYSIS_CONTRACTION_CONTRACTIONWINDOW_H

#include "tandem/Analysis/Contraction/Contraction.h"

#include <optional>

namespace tandem {

/// What a pooling, or a reduction of positions, reads of a contraction's result
/// (or of what elementwise ops make of it): result i along a dim of it reads
/// the elements [i * stride - padLow, i * stride - padLow + extent), as far as
/// there are such.
struct ContractionWindow {
  struct Dim {
    /// Of the pooling's result; 1 where the dim is reduced, and maybe gone.
    int64_t size = 1;
    int64_t stride = 1, extent = 1, padLow = 0;

    /// Whether elements are read one by one.
    bool isPlain() const { return stride == 1 && extent == 1 && padLow == 0; }
    /// Elements that so many results next to one another read, at most.
    int64_t getReads(int64_t results) const {
      return (results - 1) * stride + extent;
    }
  };
  /// By dim of the contraction's result.
  llvm::SmallVector<Dim, 4> dims;

  /// Whether each window is in one of the tiles of `size` elements in which the
  /// dims that it combines fall.
  bool fitsTiles(int64_t size) const;
};

/// How the windows over a contraction's result are shared out among tasks. A
/// task has one index in the batch, some outputs, some windows along the
/// outermost spatial dim, if there is another, and all along others. It takes
/// these in steps, and keeps the part of the contraction's result that the
/// windows of a step read. What windows of two steps read stays for the next
/// one; what windows of two tasks read is computed by both.
struct WindowChunks {
  /// Windows along the outermost spatial dim (1 for all of the only one), and
  /// of them those of a task and of a step.
  int64_t windows = 1, perTask = 1, perStep = 1;
  /// Of a part, by dim of the contraction's result; and its bytes.
  llvm::SmallVector<int64_t, 4> partShape;
  int64_t partBytes = 0;
  /// By how much more of the result is computed than there is.
  double repeatedShare = 0;
  /// Tasks, of any outputs.
  int64_t tasks = 1;

  int64_t getChunks() const { return (windows + perTask - 1) / perTask; }
};

/// What tasks are made of but for the windows.
struct WindowTasks {
  /// Channels of a task, and over all channels how many times that.
  int64_t outputs = 1, columns = 1;
  /// Of a part in memory.
  int64_t elementBytes = 4;
  /// How many tasks are wanted, if there are as many; more make for smaller
  /// parts.
  int64_t wanted = 1;
};
WindowChunks chunkWindows(const Contraction &contraction,
                          const ContractionWindow &window,
                          const WindowTasks &tasks);
/// As many tasks as can be shared out evenly.
inline constexpr int64_t kMostWantedTasks = 16;

/// The window of `op`, a pooling or reduction whose operand has the shape of
/// the result of `contraction`, where it combines positions alone. The
/// Error says what stands in the way, as the rest of a sentence about the op.
Expected<ContractionWindow> describeWindow(mlir::Operation *op,
                                           const Contraction &contraction);

/// Keeps `window` at the linalg.generic, of a kernel, that computes it.
void setWindow(mlir::Operation *generic, const ContractionWindow &window);
/// The window of such an op; none of others.
std::optional<ContractionWindow> getWindow(mlir::Operation *generic);

} // namespace tandem

#endif // TANDEM_ANALYSIS_CONTRACTION_CONTRACTIONWINDOW_H
