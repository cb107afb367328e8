//===- KernelFrame.h - What every kernel for the CPU is made of -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_KERNELFRAME_H
#define TANDEM_LIB_TARGET_CPU_KERNELFRAME_H

#include "InPlace.h"
#include "IndexBuilder.h"
#include "KernelScratch.h"
#include "Loop/LaneEmitter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace tandem {

/// The functions around a kernel's loops: NAME.body, which takes a pointer per
/// operand and result, a range [begin, end) of iterations and the buffers of
/// the workspace, and NAME, a KernelFn as the runtime calls it. A lowering
/// opens the frame, emits its loops at `builder`, and closes it.
class KernelFrame : protected IndexBuilder {
protected:
  /// `streamedBytes`: DeviceModel::streamedBytes, where results may be
  /// streamed.
  KernelFrame(mlir::ModuleOp module, mlir::func::FuncOp kernel,
              int64_t streamedBytes = 0)
      : IndexBuilder(ownBuilder, kernel.getLoc()), module(module),
        kernel(kernel), streamedBytes(streamedBytes),
        ownBuilder(module.getContext()) {}

  /// Creates NAME.body, leaves `builder` in it, and gives every argument, every
  /// constant tensor and every op whose result is returned its pointer. The
  /// pointers of `inPlace` may be equal; all others are `noalias`.
  mlir::LogicalResult open(llvm::ArrayRef<InPlacePair> inPlace = {});
  /// Ends NAME.body, adds NAME, tells the runtime of `extent` iterations of
  /// which `grain` are worth a task, and erases the function on tensors.
  /// `form`: see kFormAttrName.
  void close(int64_t extent, int64_t grain, llvm::StringRef form);

  /// Checks that the body is of what LaneEmitter knows.
  mlir::LogicalResult verifyBody(mlir::linalg::GenericOp op) const;

  /// Whether a result is so large that it is stored past the caches, which
  /// would read it first and could not hold it. Vectors of `lanes` elements
  /// begin at multiples of that in rows of `rowSize` elements; they must be
  /// aligned. To be asked once per store: the frame ends with a fence then.
  bool streamResult(mlir::RankedTensorType type, int64_t lanes,
                    int64_t rowSize);

  Buffer getBuffer(mlir::Value tensor) const {
    return {pointers.lookup(tensor),
            mlir::cast<mlir::RankedTensorType>(tensor.getType())};
  }

  mlir::ModuleOp module;
  mlir::func::FuncOp kernel;
  /// By tensor.
  llvm::DenseMap<mlir::Value, mlir::Value> pointers;
  /// The iterations to run, of type index.
  mlir::Value begin, end;
  /// Memory of the call, from `open` to `close`.
  KernelScratch scratch;

private:
  const int64_t streamedBytes;
  mlir::OpBuilder ownBuilder;

  void createBody(llvm::ArrayRef<InPlacePair> inPlace);
  void createEntry();
  mlir::LogicalResult bindBuffers();
  mlir::LogicalResult bindResult(mlir::Value result, mlir::Value pointer);
  mlir::Value createGlobal(mlir::arith::ConstantOp op);

  mlir::LLVM::LLVMFuncOp body;
  unsigned numGlobals = 0;
  bool streams = false;
};

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_KERNELFRAME_H
