//===- Assembly.h - Custom directives of the assembly formats - -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_DIALECT_TANDEM_IR_ASSEMBLY_H
#define TANDEM_LIB_DIALECT_TANDEM_IR_ASSEMBLY_H

#include "tandem/Dialect/Tandem/IR/TandemAttributes.h"

#include "mlir/IR/OpImplementation.h"

namespace tandem::ir {

/// Prints and parses `T` when all operands and the result have type T,
/// otherwise `(A, B) -> R`. The last type of the list is the result's.
void printSignatureTypes(mlir::OpAsmPrinter &printer,
                         mlir::ArrayRef<mlir::Type> types);
mlir::ParseResult parseSignatureTypes(mlir::OpAsmParser &parser,
                                      mlir::ArrayRef<mlir::Type *> types);

template <typename... Types>
void printSignature(mlir::OpAsmPrinter &printer, mlir::Operation *,
                    Types... types) {
  printSignatureTypes(printer, {types...});
}
template <typename... Types>
mlir::ParseResult parseSignature(mlir::OpAsmParser &parser, Types &...types) {
  return parseSignatureTypes(parser, {&types...});
}

/// Prints and parses a list of sizes, `[2, ?]`. Unknown entries are kDynamic.
void printSizes(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                mlir::DenseI64ArrayAttr sizes);
mlir::ParseResult parseSizes(mlir::OpAsmParser &parser,
                             mlir::DenseI64ArrayAttr &sizes);

/// Prints and parses a list of numbers, `[1.5, 2.0]`. MLIR's own format of such
/// a list keeps six digits.
void printNumbers(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                  mlir::DenseF64ArrayAttr numbers);
mlir::ParseResult parseNumbers(mlir::OpAsmParser &parser,
                               mlir::DenseF64ArrayAttr &numbers);

/// The operands of an op with a region, and the names of the arguments that
/// stand for them in the region.
struct RegionOperands {
  /// Adds those of a list `(%argument = %operand, …)`.
  mlir::ParseResult parse(mlir::OpAsmParser &parser);
  /// Parses attributes, `:`, the operands' and results' types, and the region,
  /// whose argument number i has the type `typeOf(i, operand's type)`.
  mlir::ParseResult parseTypesAndRegion(
      mlir::OpAsmParser &parser, mlir::OperationState &result,
      llvm::function_ref<mlir::Type(size_t, mlir::Type)> typeOf);

  mlir::SmallVector<mlir::OpAsmParser::Argument> arguments;
  mlir::SmallVector<mlir::OpAsmParser::UnresolvedOperand> operands;
};

/// Prints what RegionOperands parses; `elided` are attributes that are not
/// printed.
void printRegionOperands(mlir::OpAsmPrinter &printer,
                         mlir::ValueRange arguments, mlir::ValueRange operands);
void printTypesAndRegion(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                         mlir::ArrayRef<mlir::StringRef> elided);

/// The signature of a cast; `dtype` is the result's element type.
void printCastSignature(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                        mlir::Type input, mlir::Type result,
                        mlir::TypeAttr dtype);
mlir::ParseResult parseCastSignature(mlir::OpAsmParser &parser,
                                     mlir::Type &input, mlir::Type &result,
                                     mlir::TypeAttr &dtype);

/// Print and parse `layout = <...>`, followed by `strides = [...]` and the
/// other attributes in any order. An attribute that is omitted has 1 (padding:
/// 0) for each spatial dim of the layout.
void printConvAttributes(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                         ConvLayoutAttr layout, mlir::DenseI64ArrayAttr strides,
                         mlir::DenseI64ArrayAttr padLow,
                         mlir::DenseI64ArrayAttr padHigh,
                         mlir::DenseI64ArrayAttr dilations,
                         mlir::IntegerAttr groups);
mlir::ParseResult parseConvAttributes(mlir::OpAsmParser &parser,
                                      ConvLayoutAttr &layout,
                                      mlir::DenseI64ArrayAttr &strides,
                                      mlir::DenseI64ArrayAttr &padLow,
                                      mlir::DenseI64ArrayAttr &padHigh,
                                      mlir::DenseI64ArrayAttr &dilations,
                                      mlir::IntegerAttr &groups);

void printConvBackwardAttributes(
    mlir::OpAsmPrinter &printer, mlir::Operation *op, ConvLayoutAttr layout,
    mlir::DenseI64ArrayAttr strides, mlir::DenseI64ArrayAttr padLow,
    mlir::DenseI64ArrayAttr padHigh, mlir::DenseI64ArrayAttr dilations,
    mlir::DenseI64ArrayAttr outputPadding, mlir::IntegerAttr groups);
mlir::ParseResult parseConvBackwardAttributes(
    mlir::OpAsmParser &parser, ConvLayoutAttr &layout,
    mlir::DenseI64ArrayAttr &strides, mlir::DenseI64ArrayAttr &padLow,
    mlir::DenseI64ArrayAttr &padHigh, mlir::DenseI64ArrayAttr &dilations,
    mlir::DenseI64ArrayAttr &outputPadding, mlir::IntegerAttr &groups);

void printConvWeightsAttributes(
    mlir::OpAsmPrinter &printer, mlir::Operation *op, ConvLayoutAttr layout,
    mlir::DenseI64ArrayAttr window, mlir::DenseI64ArrayAttr strides,
    mlir::DenseI64ArrayAttr padLow, mlir::DenseI64ArrayAttr padHigh,
    mlir::DenseI64ArrayAttr dilations, mlir::IntegerAttr groups);
mlir::ParseResult parseConvWeightsAttributes(
    mlir::OpAsmParser &parser, ConvLayoutAttr &layout,
    mlir::DenseI64ArrayAttr &window, mlir::DenseI64ArrayAttr &strides,
    mlir::DenseI64ArrayAttr &padLow, mlir::DenseI64ArrayAttr &padHigh,
    mlir::DenseI64ArrayAttr &dilations, mlir::IntegerAttr &groups);

void printPoolAttributes(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                         mlir::StringAttr layout,
                         mlir::DenseI64ArrayAttr window,
                         mlir::DenseI64ArrayAttr strides,
                         mlir::DenseI64ArrayAttr padLow,
                         mlir::DenseI64ArrayAttr padHigh,
                         mlir::DenseI64ArrayAttr dilations);
mlir::ParseResult parsePoolAttributes(mlir::OpAsmParser &parser,
                                      mlir::StringAttr &layout,
                                      mlir::DenseI64ArrayAttr &window,
                                      mlir::DenseI64ArrayAttr &strides,
                                      mlir::DenseI64ArrayAttr &padLow,
                                      mlir::DenseI64ArrayAttr &padHigh,
                                      mlir::DenseI64ArrayAttr &dilations);

} // namespace tandem::ir

#endif // TANDEM_LIB_DIALECT_TANDEM_IR_ASSEMBLY_H
