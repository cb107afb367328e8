//===- KernelScratch.h - Memory that a kernel's task computes in -*- C++ -*-==//
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

/// Hands out memory that lives as long as one call of a kernel's body. Small
/// buffers are in the body's frame; all others are in the workspace, which the
/// caller of the kernel provides, so that no kernel needs a large stack.
class KernelScratch {
public:
  /// `body` is the function that gets the buffers of the workspace, each as an
  /// argument of its own behind all others: that they do not overlap is then
  /// known to LLVM.
  void setBody(mlir::LLVM::LLVMFuncOp function) { body = function; }

  /// Memory for `elements` of `elementType` at the beginning of the body,
  /// aligned to kWorkspaceAlignment. Its contents are undefined.
  mlir::Value allocate(mlir::Type elementType, int64_t elements);

  /// Where the buffers of the workspace begin in it, in bytes, in the order of
  /// the body's last arguments.
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
