//===- ReductionKernel.h - Kernels of reductions as linalg ------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_CONVERSION_TANDEMTOLINALG_REDUCTIONKERNEL_H
#define TANDEM_LIB_CONVERSION_TANDEMTOLINALG_REDUCTIONKERNEL_H

#include "GenericBuilder.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <memory>

namespace tandem {

/// Emits a kernel of kind reduction as a sequence of stages over the same
/// loops, with the kept dims outermost. The first stage computes the reductions
/// that depend on no other reduction, the next one those that depend on the
/// first, and so on; at last the results are computed. Because all stages share
/// the loops, all are emitted before the loops are merged.
class ReductionKernel {
public:
  ReductionKernel(mlir::func::FuncOp kernel, int64_t maxKeptBytes)
      : kernel(kernel), maxKeptBytes(maxKeptBytes),
        context(kernel.getContext()), loc(kernel.getLoc()),
        builder(kernel.getBody().front().getTerminator()) {}

  mlir::LogicalResult emit();

private:
  struct Stage {
    llvm::SmallVector<ir::ReduceOp> reduces;
    /// Values of the full shape that this stage computes and stores for later
    /// stages.
    llvm::SmallVector<mlir::Value> kept;
    std::unique_ptr<GenericBuilder> generic;
    /// The elements of the reductions' operands, followed by those of the kept
    /// values.
    llvm::SmallVector<mlir::Value> elements;
  };
  /// The results of the kernel that have one shape: the full shape, or that of
  /// a row.
  struct Results {
    llvm::SmallVector<mlir::OpOperand *> roots;
    std::unique_ptr<GenericBuilder> generic;
    llvm::SmallVector<mlir::Value> elements;
  };

  mlir::LogicalResult collectReductions();
  mlir::LogicalResult collectResults();
  void assignDims();
  unsigned getLevel(mlir::Value value);
  void planKeeping();
  void keepAcrossStages(llvm::ArrayRef<mlir::Value> roots, unsigned stage);
  bool isWorthKeeping(mlir::Value value) const;
  mlir::LogicalResult emitStage(Stage &stage);
  mlir::LogicalResult emitResults(Results &results, unsigned count);
  void mergeLoops();
  void createStage(Stage &stage);
  void createResults(Results &results, unsigned count);
  mlir::AffineMap getLeadingLoops(unsigned count) const;
  ElementIndex indexOf(mlir::Value value) const;

  mlir::func::FuncOp kernel;
  /// The most bytes of values of one row that are stored instead of recomputed.
  int64_t maxKeptBytes;
  mlir::MLIRContext *context;
  mlir::Location loc;
  mlir::OpBuilder builder;
  /// The shape of the reduced operands, and which of its dims are reduced.
  llvm::ArrayRef<int64_t> fullShape;
  llvm::SmallVector<bool> isReduced;
  /// The sizes of the kept loops, followed by those of the reduced loops.
  llvm::SmallVector<int64_t> loops;
  unsigned numKept = 0;
  /// The loops of all dims of the full shape, and those of its kept dims.
  llvm::SmallVector<mlir::AffineExpr> fullLoops, keptLoops;
  llvm::SmallVector<Stage> stages;
  Results rowResults, fullResults;
  MaterializedValues materializedValues;
  llvm::DenseMap<mlir::Operation *, unsigned> levels, firstStage;
  int64_t keptBytes = 0;
  /// The final loops of the kernel.
  std::unique_ptr<LoopSpace> space;
  unsigned numLoops = 0, numParallel = 0;
};

} // namespace tandem

#endif // TANDEM_LIB_CONVERSION_TANDEMTOLINALG_REDUCTIONKERNEL_H
