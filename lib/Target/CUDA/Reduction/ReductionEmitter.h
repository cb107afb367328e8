//===- ReductionEmitter.h - Kernels of reductions over threads --*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CUDA_REDUCTION_REDUCTIONEMITTER_H
#define TANDEM_LIB_TARGET_CUDA_REDUCTION_REDUCTIONEMITTER_H

#include "KernelSchedule.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tandem::codegen {

/// What the schedules of reductions share: the stages, the accumulators of a
/// thread, and what becomes of them. A kernel of reductions is a sequence of
/// stages (tandem/Conversion/TandemToLinalg/ReductionStage.h).
class ReductionEmitter {
protected:
  ReductionEmitter(MappedKernel &kernel,
                   llvm::ArrayRef<mlir::linalg::GenericOp> stages);

  bool isReduction(mlir::linalg::GenericOp stage) {
    return stage.getNumReductionLoops() > 0;
  }
  bool hasAllLoops(mlir::linalg::GenericOp stage) {
    return stage.getNumLoops() == sizes.size();
  }
  PointEmitter &pointsOf(mlir::linalg::GenericOp stage) {
    return *points.find(stage)->second;
  }
  /// The stages whose bodies are emitted along with that of `stage`, which
  /// reads elements that they compute and that nobody keeps.
  llvm::SmallVector<mlir::linalg::GenericOp>
  stagesWith(mlir::linalg::GenericOp stage);

  /// A location that names what is emitted at it.
  mlir::Location named(const llvm::Twine &name);

  // Memory of a thread and of a block.

  mlir::Value
  allocate(const llvm::Twine &name, llvm::ArrayRef<int64_t> shape,
           mlir::Type element,
           mlir::gpu::AddressSpace space = mlir::gpu::AddressSpace::Private);
  mlir::Value load(mlir::Value memory, mlir::ValueRange position = {});
  void store(mlir::Value value, mlir::Value memory,
             mlir::ValueRange position = {});

  // Control.

  /// A loop over [from, to). `unroll` as the attribute of loops says; 0 for
  /// none.
  mlir::scf::ForOp createLoop(llvm::StringRef name, mlir::Value from,
                              int64_t to, int64_t step, int64_t unroll = 0);
  /// Emits what `emit` does, where `isInside` holds; null for everywhere.
  mlir::LogicalResult emitIf(mlir::Value isInside,
                             llvm::function_ref<mlir::LogicalResult()> emit);
  mlir::Value threadNumber();
  mlir::Value blockNumber(int64_t blocks);
  /// Whether `number` is below `count`.
  mlir::Value isBelow(mlir::Value number, int64_t count);

  // Reductions.

  /// Defines the accumulators of a stage's reductions, neutral.
  void createAccumulators(mlir::linalg::GenericOp stage);
  /// Emits the body of `stage` at the present point: accumulates what is
  /// reduced and gives the other results to `store`.
  mlir::LogicalResult
  emitPoint(mlir::linalg::GenericOp stage, mlir::Value lane,
            llvm::function_ref<void(mlir::OpOperand &, mlir::Value)> store);
  /// Combines each accumulator of `stage` with those of the lanes whose numbers
  /// differ in the last log2(`lanes`) bits.
  void combineLanes(mlir::linalg::GenericOp stage, int64_t lanes);
  /// Combines each accumulator of `stage` across `groups` threads of the block.
  /// The threads for which `brings` holds write their accumulators to `place`;
  /// those at `first`, `first + stride` and so on are combined.
  void combineGroups(mlir::linalg::GenericOp stage, mlir::Value brings,
                     mlir::Value place, mlir::Value first, int64_t stride,
                     int64_t groups);
  /// Makes the accumulators known as the results of `stage`.
  void finish(mlir::linalg::GenericOp stage);
  /// An element of `result`, which a stage keeps for later ones, at the present
  /// point; null where it must be computed again.
  virtual mlir::Value readKept(mlir::OpResult result, mlir::Value lane) {
    return {};
  }

  MappedKernel &kernel;
  mlir::OpBuilder &builder;
  IndexArithmetic index;
  mlir::Location loc;
  llvm::SmallVector<mlir::linalg::GenericOp> stages;
  /// The sizes of the loops, the first `numKept` of which are kept.
  llvm::SmallVector<int64_t> sizes;
  unsigned numKept;

private:
  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  emitBody(mlir::linalg::GenericOp stage, mlir::Value lane);

  llvm::DenseMap<mlir::Operation *, std::unique_ptr<PointEmitter>> points;
  /// The variables that results are accumulated in, and the results.
  llvm::DenseMap<mlir::Value, mlir::Value> accumulators, reduced;
};

} // namespace tandem::codegen

#endif // TANDEM_LIB_TARGET_CUDA_REDUCTION_REDUCTIONEMITTER_H
