//===- ReductionLowering.h - Lowering kernels of reductions -----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_REDUCTION_REDUCTIONLOWERING_H
#define TANDEM_LIB_TARGET_CPU_REDUCTION_REDUCTIONLOWERING_H

#include "KernelFrame.h"
#include "Loop/LaneEmitter.h"
#include "Reduction/ReductionSchedule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tandem {

/// Emits the loops of one kernel of kind reduction. The outer loops run over
/// the kept dims; each iteration runs all stages on a row or on some columns.
class ReductionLowering : KernelFrame {
public:
  ReductionLowering(mlir::ModuleOp module, mlir::func::FuncOp kernel,
                    unsigned vectorBits, int64_t streamedBytes)
      : KernelFrame(module, kernel, streamedBytes), vectorBits(vectorBits) {}

  mlir::LogicalResult run();

private:
  /// The lanes of an iteration of the lane loop. `mask` says which exist; null
  /// for all.
  struct Lanes {
    int64_t count = 1;
    mlir::Value mask;
  };
  using Carried = llvm::SmallVector<mlir::Value>;

  mlir::LogicalResult collectStages();
  mlir::LogicalResult verifyStage(mlir::linalg::GenericOp stage);
  bool isReduction(mlir::linalg::GenericOp stage) {
    return stage.getNumReductionLoops() > 0;
  }
  bool hasAllLoops(mlir::linalg::GenericOp stage) {
    return stage.getNumLoops() == schedule.sizes.size();
  }
  void allocateRows();

  void emitIteration(mlir::Value iteration);
  void emitColumns(llvm::SmallVector<mlir::Value> loops, mlir::Value begin,
                   mlir::Value end);
  void emitStages(llvm::ArrayRef<mlir::Value> kept, Lanes lanes);
  void emitReduction(mlir::linalg::GenericOp stage,
                     llvm::ArrayRef<mlir::Value> kept, Lanes lanes);
  Carried emitReducedLoops(mlir::linalg::GenericOp stage,
                           llvm::SmallVector<mlir::Value> &loops, Lanes lanes,
                           mlir::ValueRange carried);
  /// Sets `parts` for the reductions of `stage`.
  void planParts(mlir::linalg::GenericOp stage);
  Carried emitRow(mlir::linalg::GenericOp stage,
                  llvm::SmallVector<mlir::Value> &loops,
                  mlir::ValueRange carried);
  Carried emitBody(mlir::linalg::GenericOp stage,
                   llvm::ArrayRef<mlir::Value> loops, Lanes lanes,
                   mlir::ValueRange accumulators);
  void prefetchAhead(mlir::linalg::GenericOp stage,
                     llvm::ArrayRef<mlir::Value> loops, Lanes lanes);
  void storeElement(LaneEmitter &emitter, mlir::linalg::GenericOp stage,
                    unsigned number, llvm::ArrayRef<mlir::Value> loops,
                    Lanes lanes, LaneValue element);
  bool isStreamed(mlir::OpResult result, Lanes lanes);

  /// A buffer for one row, or for the present columns, of a value.
  struct RowBuffer {
    mlir::Value pointer;
    mlir::Type elementType;
  };
  mlir::Value getRowPointer(RowBuffer row, llvm::ArrayRef<mlir::Value> loops,
                            int64_t lanes);
  using EmitIteration =
      llvm::function_ref<Carried(mlir::Value iteration, mlir::ValueRange)>;
  Carried emitLoop(mlir::Value from, mlir::Value to, int64_t step,
                   mlir::ValueRange carried, EmitIteration emit);
  /// Emits a loop, unless it has at most one iteration.
  Carried forEach(int64_t from, int64_t to, int64_t step,
                  mlir::ValueRange carried, EmitIteration emit);
  /// The same over reduced loop `loop`, in parts: each part is reduced by
  /// itself, and then combined with the parts before it, which lowers the
  /// rounding error.
  Carried forEachPart(mlir::linalg::GenericOp stage, unsigned loop,
                      int64_t from, int64_t to, int64_t step,
                      mlir::ValueRange carried, EmitIteration emit);

  unsigned vectorBits;
  ReductionSchedule schedule;
  llvm::SmallVector<mlir::linalg::GenericOp> stages;
  /// The number of iterations of a part of each loop; 0 if the loop has no
  /// parts.
  llvm::SmallVector<int64_t> parts;
  /// The results of the reductions of the present row (scalars) or columns
  /// (vectors).
  llvm::DenseMap<mlir::Value, mlir::Value> reduced;
  /// The values that are stored for later stages.
  llvm::DenseMap<mlir::Value, RowBuffer> rows;
};

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_REDUCTION_REDUCTIONLOWERING_H
