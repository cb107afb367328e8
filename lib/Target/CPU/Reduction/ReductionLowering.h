//===- ReductionLowering.h - One kernel of reductions to loops --*- C++ -*-===//
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

/// Emits the loops of one kernel: over what is kept, and in each iteration the
/// stages on a row or on some columns.
class ReductionLowering : KernelFrame {
public:
  ReductionLowering(mlir::ModuleOp module, mlir::func::FuncOp kernel,
                    unsigned vectorBits, int64_t streamedBytes)
      : KernelFrame(module, kernel, streamedBytes), vectorBits(vectorBits) {}

  mlir::LogicalResult run();

private:
  /// The lanes of an iteration of the lane loop; `mask` may be null.
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
  /// Fills `parts` for what `stage` reduces.
  void planParts(mlir::linalg::GenericOp stage);
  Carried emitRow(mlir::linalg::GenericOp stage,
                  llvm::SmallVector<mlir::Value> &loops,
                  mlir::ValueRange carried);
  Carried emitBody(mlir::linalg::GenericOp stage,
                   llvm::ArrayRef<mlir::Value> loops, Lanes lanes,
                   mlir::ValueRange accumulators);
  void storeElement(LaneEmitter &emitter, mlir::linalg::GenericOp stage,
                    unsigned number, llvm::ArrayRef<mlir::Value> loops,
                    Lanes lanes, LaneValue element);
  bool isStreamed(mlir::OpResult result, Lanes lanes);

  /// A buffer for one row of a value, or for these columns of it.
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
  /// A loop, unless it has one iteration or none.
  Carried forEach(int64_t from, int64_t to, int64_t step,
                  mlir::ValueRange carried, EmitIteration emit);
  /// The same over reduced loop `loop`, part by part: each part is reduced by
  /// itself, and then combined with those before.
  Carried forEachPart(mlir::linalg::GenericOp stage, unsigned loop,
                      int64_t from, int64_t to, int64_t step,
                      mlir::ValueRange carried, EmitIteration emit);

  unsigned vectorBits;
  ReductionSchedule schedule;
  llvm::SmallVector<mlir::linalg::GenericOp> stages;
  /// Of each loop, the iterations of a part; 0: there are no parts.
  llvm::SmallVector<int64_t> parts;
  /// What the reductions of this row or these columns are, as a scalar or a
  /// vector.
  llvm::DenseMap<mlir::Value, mlir::Value> reduced;
  /// Values that are stored for later stages.
  llvm::DenseMap<mlir::Value, RowBuffer> rows;
};

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_REDUCTION_REDUCTIONLOWERING_H
