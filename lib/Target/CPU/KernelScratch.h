//===- KernelScratch.h - The memory of a kernel's task ----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_KERNELSCRATCH_H
#define TANDEM_LIB_TARGET_CPU_KERNELSCRATCH_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tandem {

/// Allocates memory that lives as long as one call of a kernel's body. Small
/// buffers are on the stack; all others are in the workspace, which the caller
/// of the kernel provides, so that no kernel needs a large stack.
class KernelScratch {
public:
  /// Sets the function that gets the buffers of the workspace. Each buffer
  /// becomes an additional last argument, so that LLVM knows that buffers do
  /// not overlap.
  void setBody(mlir::LLVM::LLVMFuncOp function) { body = function; }

  /// Allocates memory for `elements` elements of `elementType`, aligned to
  /// kWorkspaceAlignment, and returns the pointer. Its contents are undefined.
  mlir::Value allocate(mlir::Type elementType, int64_t elements);

  /// The offsets of the buffers in the workspace, in bytes, in the order of the
  /// body's last arguments.
  llvm::ArrayRef<int64_t> getWorkspaceOffsets() const { return offsets; }
  int64_t getWorkspaceBytes() const { return workspaceBytes; }

private:
  mlir::Value allocateInFrame(mlir::Type elementType, int64_t elements);
  mlir::Value allocateInWorkspace(int64_t bytes);

  mlir::LLVM::LLVMFuncOp body;
  llvm::SmallVector<int64_t> offsets;
  int64_t frameBytes = 0, workspaceBytes = 0;
};

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_KERNELSCRATCH_H
