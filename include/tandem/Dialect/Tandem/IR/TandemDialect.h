//===- TandemDialect.h - The dialect -------------------------- -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_DIALECT_TANDEM_IR_TANDEMDIALECT_H
#define TANDEM_DIALECT_TANDEM_IR_TANDEMDIALECT_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"

#include "tandem/Dialect/Tandem/IR/TandemDialect.h.inc"

#endif // TANDEM_DIALECT_TANDEM_IR_TANDEMDIALECT_H
