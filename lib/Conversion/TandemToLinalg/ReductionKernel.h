//===- ReductionKernel.h - One kernel of reductions as linalg ---*- C++ -*-===//
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

/// A kernel of reductions runs in stages over the same loops, the kept dims
/// first: the reductions that need no other, those that need these, and so on;
/// then what is returned. All stages are emitted before the loops are settled,
/// since they share them.
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
    /// Values of the full shape to be stored for later stages, while they are
    /// computed here.
    llvm::SmallVector<mlir::Value> kept;
    std::unique_ptr<GenericBuilder> generic;
    /// Of the reductions' operands, then of the kept values.
    llvm::SmallVector<mlir::Value> elements;
  };
  /// What is returned in one shape.
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
  /// The most bytes of the values of one row that are stored rather than
  /// computed again.
  int64_t maxKeptBytes;
  mlir::MLIRContext *context;
  mlir::Location loc;
  mlir::OpBuilder builder;
  /// Of what is reduced, and which of its dims are.
  llvm::ArrayRef<int64_t> fullShape;
  llvm::SmallVector<bool> isReduced;
  /// Sizes of the kept loops, then of the reduced ones.
  llvm::SmallVector<int64_t> loops;
  unsigned numKept = 0;
  /// The loops of the full shape's dims, and of its kept dims.
  llvm::SmallVector<mlir::AffineExpr> fullLoops, keptLoops;
  llvm::SmallVector<Stage> stages;
  Results rowResults, fullResults;
  EarlierValues earlier;
  llvm::DenseMap<mlir::Operation *, unsigned> levels, firstStage;
  int64_t keptBytes = 0;
  /// The final loops.
  std::unique_ptr<LoopSpace> space;
  unsigned numLoops = 0, numParallel = 0;
};

} // namespace tandem

#endif // TANDEM_LIB_CONVERSION_TANDEMTOLINALG_REDUCTIONKERNEL_H
