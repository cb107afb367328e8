//===- SymbolicSizes.h - Expressions of dims of arguments -------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The attribute `tandem.sizes` gives entries of attributes, such as the shape
// of a reshape, as expressions of the named dims of the function's arguments.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_DIALECT_TANDEM_IR_SYMBOLICSIZES_H
#define TANDEM_DIALECT_TANDEM_IR_SYMBOLICSIZES_H

#include "mlir/IR/AffineMap.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace tandem::ir {

/// The first dim of an argument that has a name.
struct NamedDim {
  llvm::StringRef name;
  unsigned argument;
  unsigned dim;
};

/// Returns the named dims of the arguments of a function, each name once, in
/// the order of the arguments. Names that are no identifiers are left out.
llvm::SmallVector<NamedDim> namedDims(mlir::FunctionOpInterface function);

/// One entry of `tandem.sizes`.
struct SymbolicSizes {
  /// The name of the attribute, or TandemDialect::kResultSizesKey.
  llvm::StringRef attribute;
  /// The entries; unknown ones are kDynamic.
  llvm::SmallVector<int64_t> entries;
  /// The entries as functions of the symbols 0, 1, … which are the sizes of
  /// `namedDims`.
  mlir::AffineMap map;
};

/// Parses `tandem.sizes` of an op. The list is empty if the op has no such
/// attribute. Emits an error if the text is no list of expressions, if a name
/// is unknown, if the number of expressions is not that of the entries, or if
/// the expression of a known entry is not its number.
mlir::FailureOr<llvm::SmallVector<SymbolicSizes>>
parseSymbolicSizes(mlir::Operation *op);

/// Emits an error if an attribute of an op has an unknown entry and
/// `tandem.sizes` has no expressions for the attribute.
mlir::LogicalResult verifyUnknownSizes(mlir::Operation *op);

/// Replaces unknown entries of an op's attributes by their values and removes
/// `tandem.sizes`. `symbols` are the sizes of `namedDims`. Emits an error if a
/// value cannot be computed.
mlir::LogicalResult resolveSymbolicSizes(mlir::Operation *op,
                                         llvm::ArrayRef<int64_t> symbols);

} // namespace tandem::ir

#endif // TANDEM_DIALECT_TANDEM_IR_SYMBOLICSIZES_H
