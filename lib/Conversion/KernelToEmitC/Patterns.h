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

/// Constants, comparisons, minima and maxima, casts of half types: what
/// upstream's ArithToEmitC does not do, or not as one writes CUDA.
void populateScalarPatterns(const mlir::TypeConverter &converter,
                            mlir::RewritePatternSet &patterns);
/// math ops as calls of CUDA's accurate functions.
void populateMathPatterns(const mlir::TypeConverter &converter,
                          mlir::RewritePatternSet &patterns);
/// Functions, thread numbers, loads and stores, scalar and vector.
void populateMemoryPatterns(const mlir::TypeConverter &converter,
                            mlir::RewritePatternSet &patterns);

/// Declares ahead of the kernels what they call and CUDA does not provide, and
/// includes the headers of the half types where they are used.
void declareDeviceFunctions(mlir::ModuleOp module);

/// Groups single-use ops into emitc.expression ops of a readable size.
void formStatements(mlir::emitc::FuncOp function);

} // namespace tandem::conversion

#endif // TANDEM_LIB_CONVERSION_KERNELTOEMITC_PATTERNS_H
