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

/// The way in which a pooling, or a reduction over positions, reads the result
/// of a contraction, or the result of elementwise ops on it. Along a dim,
/// result i reads the elements [i * stride - padLow, i * stride - padLow +
/// extent), as far as they exist.
struct ContractionWindow {
  struct Dim {
    /// Size of the window op's result along this dim. The size is 1 if the dim
    /// is reduced, even if the result does not have the dim.
    int64_t size = 1;
    int64_t stride = 1, extent = 1, padLow = 0;

    /// Whether each result reads just its own element.
    bool isPlain() const { return stride == 1 && extent == 1 && padLow == 0; }
    /// The most elements that `results` neighboring results read.
    int64_t getReads(int64_t results) const {
      return (results - 1) * stride + extent;
    }
  };
  /// The window along each dim of the contraction's result.
  llvm::SmallVector<Dim, 4> dims;

  /// Whether no window crosses the border of a tile, when the dims that windows
  /// combine are divided into tiles of `size` elements.
  bool fitsTiles(int64_t size) const;
};

/// How the windows over a contraction's result are divided among tasks. A task
/// computes one batch index, some output channels, some windows along the
/// outermost spatial dim (all windows if there is only one spatial dim), and
/// all windows along the other dims. It proceeds in steps, and keeps the part
/// of the contraction's result that the windows of one step read. Elements that
/// windows of two steps read are kept for the next step; elements that windows
/// of two tasks read are computed by both.
struct WindowChunks {
  /// Number of windows along the outermost spatial dim (1 if there is only one
  /// spatial dim), in all, per task and per step.
  int64_t windows = 1, perTask = 1, perStep = 1;
  /// The shape of the part that a task keeps, by dim of the contraction's
  /// result, and its size in bytes.
  llvm::SmallVector<int64_t, 4> partShape;
  int64_t partBytes = 0;
  /// The share of the contraction's result that is computed more than once.
  double repeatedShare = 0;
  /// Number of tasks, over all output channels.
  int64_t tasks = 1;

  /// Number of tasks along the outermost spatial dim.
  int64_t getChunks() const { return (windows + perTask - 1) / perTask; }
};

/// Properties of tasks that chunkWindows needs in addition to the windows.
struct WindowTasks {
  /// Output channels of one task, and the number of such groups of channels.
  int64_t outputs = 1, columns = 1;
  /// Size of an element of the part that a task keeps, in bytes.
  int64_t elementBytes = 4;
  /// Number of tasks that the division should yield, if possible.
  int64_t wanted = 1;
};
/// Divides the windows over the result of `contraction` among tasks.
WindowChunks chunkWindows(const Contraction &contraction,
                          const ContractionWindow &window,
                          const WindowTasks &tasks);
/// The largest useful WindowTasks::wanted: so many tasks can be distributed
/// evenly among cores.
inline constexpr int64_t kMaxWantedTasks = 16;

/// Describes the window of `op`, a pooling or reduction whose operand has the
/// shape of the result of `contraction`. Fails if `op` combines elements of
/// different channels or batches. The message of the Error is a clause that
/// continues a sentence about the op.
Expected<ContractionWindow> describeWindow(mlir::Operation *op,
                                           const Contraction &contraction);

/// Attaches `window` to the linalg.generic of a kernel that computes it.
void setWindow(mlir::Operation *generic, const ContractionWindow &window);
/// The window that setWindow attached to an op; none for other ops.
std::optional<ContractionWindow> getWindow(mlir::Operation *generic);

} // namespace tandem

#endif // TANDEM_ANALYSIS_CONTRACTION_CONTRACTIONWINDOW_H
