//===- Passes.h - Kernels to code for the CPU ------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TARGET_CPU_PASSES_H
#define TANDEM_TARGET_CPU_PASSES_H

#include "tandem/Support/ChoiceValues.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace tandem {

/// On modules that LowerKernelToLoops made: iterations of the outermost loop,
/// how many of them are worth a task, and the bytes of a task's workspace (I64
/// attributes).
inline constexpr llvm::StringLiteral kExtentAttrName = "tandem.extent";
inline constexpr llvm::StringLiteral kGrainAttrName = "tandem.grain";
inline constexpr llvm::StringLiteral kWorkspaceAttrName = "tandem.workspace";

/// On the same modules: how the kernel runs ("loop", "transpose", "rows",
/// "columns"; of contractions what is along the lanes, "outputs", "groups",
/// "positions" or "inputs", or "winograd", with "-prologue" or "-pooling"), and
/// the type of its first result ("f32", …): what a mutant is told by.
inline constexpr llvm::StringLiteral kFormAttrName = "tandem.form";
inline constexpr llvm::StringLiteral kDTypeAttrName = "tandem.dtype";

/// Which operands and results may be one memory, as fb::InPlace: pairs of
/// numbers, flat (DenseI64ArrayAttr).
inline constexpr llvm::StringLiteral kInPlaceAttrName = "tandem.in_place";

#define GEN_PASS_DECL
#include "tandem/Target/CPU/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "tandem/Target/CPU/Passes.h.inc"

struct CPUTargetOptions;

/// From a kernel module in linalg form to the LLVM dialect.
void buildCPUKernelPipeline(mlir::OpPassManager &passes,
                            const CPUTargetOptions &options);

} // namespace tandem

#endif // TANDEM_TARGET_CPU_PASSES_H
