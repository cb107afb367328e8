//===- TandemOps.h - The ops of the dialect ---------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_DIALECT_TANDEM_IR_TANDEMOPS_H
#define TANDEM_DIALECT_TANDEM_IR_TANDEMOPS_H

#include "tandem/Dialect/Tandem/IR/TandemAttributes.h"
#include "tandem/Dialect/Tandem/IR/TandemDialect.h"
#include "tandem/Dialect/Tandem/IR/TandemInterfaces.h"
#include "tandem/Dialect/Tandem/IR/TandemTypes.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

// Functions that the generated definitions of the ops call.
namespace tandem::ir::detail {

/// Infers the result type of an op by its shape rule. On failure it emits an
/// error at `location`, if there is one.
mlir::LogicalResult
inferResultTypes(std::optional<mlir::Location> location,
                 const ::tandem::OpDesc &desc, mlir::ValueRange operands,
                 llvm::SmallVectorImpl<mlir::Type> &inferred);

/// Whether the declared types are equal to the inferred ones except for dims
/// that are dynamic in one of them.
bool areCompatible(mlir::TypeRange inferred, mlir::TypeRange declared);

/// Infers the result type of `op` and compares it with the declared one.
mlir::LogicalResult verifyResultTypes(TandemOpInterface op);

/// The map from the result's dims to the dims of an operand under NumPy
/// broadcasting.
mlir::AffineMap getBroadcastIndexing(mlir::Operation *op, unsigned operand);

} // namespace tandem::ir::detail

#define GET_OP_CLASSES
#include "tandem/Dialect/Tandem/IR/TandemOps.h.inc"

namespace tandem::ir {

/// Returns true if `op` is a gather from a table of one dim. Its result then is
/// a function of the indices, element by element.
bool isLookup(mlir::Operation *op);

} // namespace tandem::ir

#endif // TANDEM_DIALECT_TANDEM_IR_TANDEMOPS_H
