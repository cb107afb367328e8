//===- TandemAttributes.h - Attributes and enums -------------- -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_DIALECT_TANDEM_IR_TANDEMATTRIBUTES_H
#define TANDEM_DIALECT_TANDEM_IR_TANDEMATTRIBUTES_H

#include "mlir/IR/BuiltinAttributes.h"

#include "tandem/Dialect/Tandem/IR/TandemEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tandem/Dialect/Tandem/IR/TandemAttributes.h.inc"

#endif // TANDEM_DIALECT_TANDEM_IR_TANDEMATTRIBUTES_H
