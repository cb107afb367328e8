//===- Passes.h - Passes on the Tandem dialect ------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_DIALECT_TANDEM_TRANSFORMS_PASSES_H
#define TANDEM_DIALECT_TANDEM_TRANSFORMS_PASSES_H

#include "tandem/Dialect/Tandem/IR/TandemDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>
#include <string>

namespace tandem {

#define GEN_PASS_DECL
#include "tandem/Dialect/Tandem/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "tandem/Dialect/Tandem/Transforms/Passes.h.inc"

} // namespace tandem

#endif // TANDEM_DIALECT_TANDEM_TRANSFORMS_PASSES_H
