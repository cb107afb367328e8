//===- TandemInterfaces.h - The interfaces of ops ---------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_DIALECT_TANDEM_IR_TANDEMINTERFACES_H
#define TANDEM_DIALECT_TANDEM_IR_TANDEMINTERFACES_H

#include "tandem/Support/ShapeRules.h"

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

namespace tandem::ir {
class GradientBuilder;
class TandemOpInterface;

namespace detail {
/// The cost of an op, as computed by tandem::cost; fails for types that are not
/// static.
mlir::FailureOr<::tandem::OpCost> getCost(TandemOpInterface op);
} // namespace detail
} // namespace tandem::ir

#include "tandem/Dialect/Tandem/IR/TandemInterfaces.h.inc"

#endif // TANDEM_DIALECT_TANDEM_IR_TANDEMINTERFACES_H
