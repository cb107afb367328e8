//===- ContractionWindows.h - Contractions with windows ---------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_CONTRACTION_CONTRACTIONWINDOWS_H
#define TANDEM_LIB_TARGET_CPU_CONTRACTION_CONTRACTIONWINDOWS_H

#include "Contraction/ContractionLoops.h"
#include "Contraction/FusedPooling.h"
#include "IndexBuilder.h"

namespace tandem {

/// Describes the tasks of a contraction whose result is read only by windows.
/// Tasks are in the order [groups][batch][chunks of windows][outputs]. See
/// WindowChunks.
struct WindowSchedule {
  WindowChunks chunks;
  int64_t groups = 1, images = 1, outputTiles = 1;
  /// The number of tasks, and how many are worth handing to a thread together.
  int64_t extent = 1, grain = 1;
};

/// Makes the schedule. `tiles` is the schedule of the contraction alone, whose
/// register tiles are used. `elementBytes` is the size of an element of the
/// part that a task keeps.
WindowSchedule scheduleWindows(const Contraction &contraction,
                               const ContractionWindow &window,
                               const ContractionSchedule &tiles,
                               int64_t elementBytes);

/// Emits the code of the tasks of a WindowSchedule.
class ContractionWindows : IndexBuilder {
public:
  /// `loops` emits the tiles of a row; `getBuffer` also finds the tensor that
  /// `pooling` holds.
  ContractionWindows(mlir::OpBuilder &builder, mlir::Location loc,
                     const Contraction &contraction,
                     const ContractionSchedule &tiles,
                     const WindowSchedule &schedule, FusedPooling &pooling,
                     ContractionLoops &loops,
                     llvm::function_ref<Buffer(mlir::Value)> getBuffer)
      : IndexBuilder(builder, loc), contraction(contraction), tiles(tiles),
        schedule(schedule), pooling(pooling), loops(loops),
        getBuffer(getBuffer) {}

  /// Emits the code of a task. `task` is a number below the schedule's extent.
  void emitTask(mlir::Value task);

private:
  using Range = FusedPooling::Range;
  Range getWindows(mlir::Value chunk);
  Range getPart(Range windows);
  Range getOutputs(mlir::Value group, mlir::Value number);
  /// The dims of a task that do not change from step to step.
  struct Image {
    /// The index in the batch.
    mlir::Value number;
    Range outputs;
    /// Emits the computation of the outputs for some rows, that is, indices of
    /// the batch and of all spatial dims but the innermost.
    llvm::function_ref<void(Range rows)> emitRows;
  };
  void emitStep(const Image &image, Range windows, mlir::Value firstOfTask);
  mlir::Value emitSlide(Range part, mlir::Value window,
                        mlir::Value firstOfTask);
  bool areGroups() const {
    return tiles.tile.vectorizedDim == VectorizedDim::Group;
  }

  const Contraction &contraction;
  const ContractionSchedule &tiles;
  const WindowSchedule &schedule;
  FusedPooling &pooling;
  ContractionLoops &loops;
  llvm::function_ref<Buffer(mlir::Value)> getBuffer;
};

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CONTRACTION_CONTRACTIONWINDOWS_H
