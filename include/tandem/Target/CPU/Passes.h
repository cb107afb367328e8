//===- Passes.h - The passes of the CPU's target ----------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TARGET_CPU_PASSES_H
#define TANDEM_TARGET_CPU_PASSES_H

#include "tandem/Support/ChoiceValues.h"
#include "tandem/Target/CPU/CPUOptions.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace tandem {

/// I64 attributes of kernel modules that LowerKernelToLoops has lowered: the
/// number of iterations of the outermost loop, the minimum number of iterations
/// per task, and the size of a task's workspace in bytes.
inline constexpr llvm::StringLiteral kExtentAttrName = "tandem.extent";
inline constexpr llvm::StringLiteral kGrainAttrName = "tandem.grain";
inline constexpr llvm::StringLiteral kWorkspaceAttrName = "tandem.workspace";

/// String attributes of the same modules, by which tests with mutants select
/// kernels: the form of the kernel, and the type of its first result ("f32",
/// …). Forms are "loop", "transpose", "rows" and "columns"; for contractions,
/// the dim that runs along the lanes ("outputs", "groups", "positions" or
/// "inputs") or "winograd", possibly followed by "-prologue" or "-pooling".
inline constexpr llvm::StringLiteral kFormAttrName = "tandem.form";
inline constexpr llvm::StringLiteral kDTypeAttrName = "tandem.dtype";

/// The pairs of operand and result that may share memory (fb::InPlace), as a
/// flat list of numbers (DenseI64ArrayAttr).
inline constexpr llvm::StringLiteral kInPlaceAttrName = "tandem.in_place";

#define GEN_PASS_DECL
#include "tandem/Target/CPU/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "tandem/Target/CPU/Passes.h.inc"

struct CPUTargetOptions;

/// Adds the passes that lower a kernel module from linalg to the LLVM dialect.
void buildCPUKernelPipeline(mlir::OpPassManager &passes,
                            const CPUTargetOptions &options);

} // namespace tandem

#endif // TANDEM_TARGET_CPU_PASSES_H
