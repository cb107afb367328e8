//===- Patterns.h - Patterns of the kernel to EmitC conversion -*- C++ -*--===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_CONVERSION_KERNELTOEMITC_PATTERNS_H
#define TANDEM_LIB_CONVERSION_KERNELTOEMITC_PATTERNS_H

#include "mlir/Dialect/EmitC/IR/EmitC.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir {
class TypeConverter;
} // namespace mlir

namespace tandem::conversion {

/// Adds patterns for constants, comparisons, minima and maxima, and casts of
/// half types, which upstream's ArithToEmitC does not convert, or not to
/// idiomatic CUDA.
void populateScalarPatterns(const mlir::TypeConverter &converter,
                            mlir::RewritePatternSet &patterns);
/// Replaces 1 + erf(x) by erfc(-x), before the conversion.
void complementErrorFunctions(mlir::ModuleOp module);
/// Makes `math.fma` of products and sums that may be contracted, before the
/// conversion: NVRTC itself fuses none.
void fuseProducts(mlir::ModuleOp module);
/// Adds patterns that convert math ops to calls of CUDA's accurate functions.
void populateMathPatterns(const mlir::TypeConverter &converter,
                          mlir::RewritePatternSet &patterns);
/// Adds patterns for functions, and for scalar and vector loads and stores.
void populateMemoryPatterns(const mlir::TypeConverter &converter,
                            mlir::RewritePatternSet &patterns);

/// Adds patterns for thread indices, shuffles, barriers and loops.
void populateThreadPatterns(const mlir::TypeConverter &converter,
                            mlir::RewritePatternSet &patterns);

/// The function that adds the products of four bytes of data, whose type is its
/// template argument, with four bytes of weights. Kernels call it before the
/// conversion, too.
inline constexpr llvm::StringRef kAddQuadProduct = "add_quad_product";
/// On a loop, how often it is to be unrolled.
inline constexpr llvm::StringRef kUnrollAttrName = "unroll";
/// Attribute of kernels: how many blocks a multiprocessor is to have registers
/// for at once.
inline constexpr llvm::StringRef kResidentBlocksAttrName = "resident_blocks";

/// Defines, ahead of the kernels, the types and functions that they use and
/// that CUDA does not provide without a header.
void declareDeviceFunctions(mlir::ModuleOp module);

/// Groups single-use ops into emitc.expression ops of a readable size.
void formStatements(mlir::emitc::FuncOp function);

} // namespace tandem::conversion

#endif // TANDEM_LIB_CONVERSION_KERNELTOEMITC_PATTERNS_H
