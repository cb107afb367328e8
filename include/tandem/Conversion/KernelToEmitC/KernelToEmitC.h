//===- KernelToEmitC.h - Mapped kernels to EmitC ---------------*- C++ -*--===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_CONVERSION_KERNELTOEMITC_KERNELTOEMITC_H
#define TANDEM_CONVERSION_KERNELTOEMITC_KERNELTOEMITC_H

#include "mlir/Pass/Pass.h"

namespace tandem {

/// The pass that converts a mapped kernel to EmitC, from which CUDA C++ is
/// printed (Passes.td).
#define GEN_PASS_DECL
#include "tandem/Conversion/KernelToEmitC/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "tandem/Conversion/KernelToEmitC/Passes.h.inc"

} // namespace tandem

#endif // TANDEM_CONVERSION_KERNELTOEMITC_KERNELTOEMITC_H
