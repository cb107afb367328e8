//===- Passes.h - Kernels from linalg to LLVM -------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TARGET_CPU_PASSES_H
#define TANDEM_TARGET_CPU_PASSES_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace tandem {

/// Attributes that the passes leave on the kernel's function.
inline constexpr llvm::StringLiteral kAbiSlotsAttr = "tandem.abi_slots";
inline constexpr llvm::StringLiteral kExtentAttr = "tandem.extent";
inline constexpr llvm::StringLiteral kGrainAttr = "tandem.grain";

#define GEN_PASS_DECL
#include "tandem/Target/CPU/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "tandem/Target/CPU/Passes.h.inc"

/// From a kernel module in linalg form to the LLVM dialect.
void buildCPUKernelPipeline(mlir::OpPassManager &pm);

} // namespace tandem

#endif // TANDEM_TARGET_CPU_PASSES_H
