//===- KernelFrame.h - The functions around a kernel's loops ----*- C++ -*-===//
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

/// Creates the functions around a kernel's loops. NAME.body takes a pointer per
/// operand and result, a range [begin, end) of iterations and the buffers of
/// the workspace; NAME is the KernelFn that the runtime calls. A lowering opens
/// the frame, emits its loops at `builder`, and closes the frame.
class KernelFrame : protected IndexBuilder {
protected:
  /// `streamedBytes` is DeviceModel::streamedBytes; 0 if results must not be
  /// written with non-temporal stores.
  KernelFrame(mlir::ModuleOp module, mlir::func::FuncOp kernel,
              int64_t streamedBytes = 0)
      : IndexBuilder(ownBuilder, kernel.getLoc()), module(module),
        kernel(kernel), streamedBytes(streamedBytes),
        ownBuilder(module.getContext()) {}

  /// Creates NAME.body, sets `builder` to insert into it, and assigns a pointer
  /// to every argument, every constant tensor and every op whose result is
  /// returned. The pointers of each pair of `inPlace` may be equal; all others
  /// are `noalias`.
  mlir::LogicalResult open(llvm::ArrayRef<InPlacePair> inPlace = {});
  /// Ends NAME.body, adds NAME, sets the attributes for `extent` iterations of
  /// which `grain` are worth a task, and erases the function on tensors. `form`
  /// is the value of kFormAttrName.
  void close(int64_t extent, int64_t grain, llvm::StringRef form);

  /// Checks that the body of `op` consists of ops that LaneEmitter supports.
  mlir::LogicalResult verifyBody(mlir::linalg::GenericOp op) const;

  /// The op that moves the bytes of `op` in wider elements (widenElements),
  /// with pointers assigned; `op` where there is none.
  mlir::linalg::GenericOp widen(mlir::linalg::GenericOp op);

  /// Whether a result should be written with non-temporal stores: it is too
  /// large for the caches, which would also read it before it is overwritten,
  /// and its vectors, which begin at multiples of `lanes` elements in rows of
  /// `rowSize` elements, are aligned. To be called once per store: if it
  /// returns true, the frame ends with a fence.
  bool streamResult(mlir::RankedTensorType type, int64_t lanes,
                    int64_t rowSize);

  Buffer getBuffer(mlir::Value tensor) const {
    return {pointers.lookup(tensor),
            mlir::cast<mlir::RankedTensorType>(tensor.getType())};
  }

  mlir::ModuleOp module;
  mlir::func::FuncOp kernel;
  /// The pointer of each tensor.
  llvm::DenseMap<mlir::Value, mlir::Value> pointers;
  /// The range of iterations to run, of type index.
  mlir::Value begin, end;
  /// Allocates memory for the call, between open and close.
  KernelScratch scratch;

private:
  const int64_t streamedBytes;
  mlir::OpBuilder ownBuilder;

  void createBody(llvm::ArrayRef<InPlacePair> inPlace);
  void allowEarlyLoad(unsigned argument);
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
