//===- Passes.h - Passes that plan fusion -----------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_FUSION_PASSES_H
#define TANDEM_FUSION_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace tandem {

#define GEN_PASS_DECL
#include "tandem/Fusion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "tandem/Fusion/Passes.h.inc"

} // namespace tandem

#endif // TANDEM_FUSION_PASSES_H
