//===- TandemOps.cpp - Generated definitions of the ops -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Dialect/Tandem/IR/TandemOps.h"

#include "Assembly.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tandem::ir;

#define GET_OP_CLASSES
#include "tandem/Dialect/Tandem/IR/TandemOps.cpp.inc"
