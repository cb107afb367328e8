//===- ContractionWindows.h - Contractions that pool -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_CONTRACTION_CONTRACTIONWINDOWS_H
#define TANDEM_LIB_TARGET_CPU_CONTRACTION_CONTRACTIONWINDOWS_H

#include "Contraction/ContractionLoops.h"
#include "Contraction/ContractionStage.h"
#include "IndexBuilder.h"

namespace tandem {

/// The tasks of a contraction whose result is read by windows alone, in the
/// order of [groups][batch][chunks of windows][outputs]: see WindowChunks.
struct WindowSchedule {
  WindowChunks chunks;
  int64_t groups = 1, images = 1, outputTiles = 1;
  /// Tasks, and how many are worth running at a time.
  int64_t extent = 1, grain = 1;
};

/// `tiles` is the schedule of the contraction alone, whose tiles are kept.
WindowSchedule scheduleWindows(const Contraction &contraction,
                               const ContractionWindow &window,
                               const ContractionSchedule &tiles,
                               int64_t elementBytes);

/// Emits such tasks.
class ContractionWindows : IndexBuilder {
public:
  /// `loops` are those of all tiles of a row; `getBuffer` knows of the stage.
  ContractionWindows(mlir::OpBuilder &builder, mlir::Location loc,
                     const Contraction &contraction,
                     const ContractionSchedule &tiles,
                     const WindowSchedule &schedule, ContractionStage &stage,
                     ContractionLoops &loops,
                     llvm::function_ref<Buffer(mlir::Value)> getBuffer)
      : IndexBuilder(builder, loc), contraction(contraction), tiles(tiles),
        schedule(schedule), stage(stage), loops(loops), getBuffer(getBuffer) {}

  /// `task` is a number below the schedule's extent.
  void emitTask(mlir::Value task);

private:
  using Range = ContractionStage::Range;
  Range getWindows(mlir::Value chunk);
  Range getPart(Range windows);
  Range getOutputs(mlir::Value group, mlir::Value number);
  /// What a task does not go through in steps.
  struct Image {
    /// In the batch.
    mlir::Value number;
    Range outputs;
    /// Computes the outputs for some positions of the batch and of all spatial
    /// dims but the innermost.
    llvm::function_ref<void(Range rows)> emitRows;
  };
  void emitStep(const Image &image, Range windows, mlir::Value firstOfTask);
  mlir::Value emitSlide(Range part, mlir::Value window,
                        mlir::Value firstOfTask);
  bool areGroups() const {
    return tiles.tile.lanes == ContractionLanes::Groups;
  }

  const Contraction &contraction;
  const ContractionSchedule &tiles;
  const WindowSchedule &schedule;
  ContractionStage &stage;
  ContractionLoops &loops;
  llvm::function_ref<Buffer(mlir::Value)> getBuffer;
};

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CONTRACTION_CONTRACTIONWINDOWS_H
