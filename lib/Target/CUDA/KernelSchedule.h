//===- KernelSchedule.h - Kernels over blocks and threads -------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How the work of a kernel is divided among blocks and threads: one emitter a
// schedule, each in a file of its own. KernelSchedule.cpp chooses.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CUDA_KERNELSCHEDULE_H
#define TANDEM_LIB_TARGET_CUDA_KERNELSCHEDULE_H

#include "PointEmitter.h"

#include "tandem/Target/CUDA/KernelPasses.h"

namespace tandem::codegen {

/// What a kernel's mapping may use.
struct MappingOptions {
  /// Number of threads of a block that runs a loop.
  int64_t threads = 256;
  /// Whether consecutive elements are moved as vectors.
  bool vectorize = true;
};

/// The kernel in the making: where its code goes and how it is launched.
struct MappedKernel {
  mlir::OpBuilder &builder;
  const KernelMemory &memory;
  MappingOptions options;
  /// Number of blocks, and of threads of each.
  int64_t blocks = 0, threads = 0;
  /// Number of blocks that a multiprocessor must have the registers for at
  /// once; 0 where the compiler of CUDA C++ decides.
  int64_t residentBlocks = 0;
  /// Whether some index may not fit in 32 bits.
  bool wideIndex = false;
};

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// How the points of one linalg.generic with parallel iterators only are
/// divided among threads.
struct LoopSchedule {
  /// Number of points of the iteration space.
  int64_t elements = 0;
  /// Number of consecutive points that a thread computes at once.
  int64_t width = 1;
  /// Whether these differ in the innermost loop only.
  bool alongInnermost = false;
  /// Number of runs of `width` points that a thread computes. Their vectors are
  /// loaded before the first is used.
  int64_t steps = 1;

  int64_t pointsPerBlock(int64_t threads) const {
    return width * steps * threads;
  }
};

LoopSchedule scheduleLoop(mlir::linalg::GenericOp op,
                          const KernelMemory &memory,
                          const MappingOptions &options);

/// Emits the code of a thread for `op`. The kernel's number of blocks must have
/// been set.
mlir::LogicalResult emitLoop(MappedKernel &kernel, mlir::linalg::GenericOp op,
                             const LoopSchedule &schedule);

/// How a loop that reads some input across its rows is divided: a block has a
/// tile of the innermost loop and of that along which the input is contiguous.
struct TransposeSchedule {
  /// That loop.
  unsigned across;
  int64_t blocks;
};

/// The schedule of `op`, if it transposes enough to be worth tiles.
std::optional<TransposeSchedule>
scheduleTranspose(mlir::linalg::GenericOp op, const KernelMemory &memory,
                  const MappingOptions &options);

/// Emits the code of a thread for `op`, whose transposed inputs go through
/// padded shared memory. As emitLoop.
mlir::LogicalResult emitTranspose(MappedKernel &kernel,
                                  mlir::linalg::GenericOp op,
                                  const TransposeSchedule &schedule);

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Emits the code of a thread for the stages of a reduction kernel whose rows
/// are contiguous along the reduced loop `contiguousLoop`: a row is reduced by
/// the lanes of a warp, or by a block, and where it fits it stays in their
/// registers from the first stage to the last.
mlir::LogicalResult
emitRowReductions(MappedKernel &kernel,
                  llvm::ArrayRef<mlir::linalg::GenericOp> stages,
                  unsigned contiguousLoop);

/// The same where the last kept loop is the contiguous one: lanes run along it,
/// and the groups of a block share the rows.
mlir::LogicalResult
emitColumnReductions(MappedKernel &kernel,
                     llvm::ArrayRef<mlir::linalg::GenericOp> stages);

//===----------------------------------------------------------------------===//
// Small contractions
//===----------------------------------------------------------------------===//

/// Emits the code of a thread for a kernel of kind contraction: `hero`, which
/// checkSmallContraction must accept, and the elementwise op and the windows
/// behind it, if there are any. A thread has some output channels of some
/// positions in registers, and its block what they read of the data in shared
/// memory.
mlir::LogicalResult
emitContraction(MappedKernel &kernel, mlir::Operation *hero,
                llvm::ArrayRef<mlir::linalg::GenericOp> behind);

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Checks that `op` has the form that phase `linalg` produces and that `memory`
/// has its tensors. Emits an error on the op otherwise.
mlir::LogicalResult verifyKernelOp(mlir::linalg::GenericOp op,
                                   const KernelMemory &memory);

/// Chooses schedules for the ops of a kernel and emits its code. `contraction`
/// is the kernel's contraction, or null.
mlir::LogicalResult emitKernel(MappedKernel &kernel,
                               mlir::Operation *contraction,
                               llvm::ArrayRef<mlir::linalg::GenericOp> ops);

} // namespace tandem::codegen

#endif // TANDEM_LIB_TARGET_CUDA_KERNELSCHEDULE_H
