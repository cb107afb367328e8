//===- SimplifyPatterns.h - The patterns of tandem-simplify -----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_DIALECT_TANDEM_TRANSFORMS_SIMPLIFYPATTERNS_H
#define TANDEM_LIB_DIALECT_TANDEM_TRANSFORMS_SIMPLIFYPATTERNS_H

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace tandem {

/// Adds patterns that fold a batch_norm into the convolution before it, or turn
/// it into a multiplication and an addition.
void populateBatchNormPatterns(mlir::RewritePatternSet &patterns);

/// Adds patterns for algebraic simplifications beyond the ops' own folders,
/// such as folding an addition into a convolution's bias or a transpose into a
/// matmul.
void populateTransposePatterns(mlir::RewritePatternSet &patterns);

/// Adds a pattern that moves a dequantization behind a max_pool.
void populatePoolPatterns(mlir::RewritePatternSet &patterns);

/// Adds all patterns of tandem-simplify: those above and the canonicalizations
/// of the ops.
void populateSimplifyPatterns(mlir::RewritePatternSet &patterns);

} // namespace tandem

#endif // TANDEM_LIB_DIALECT_TANDEM_TRANSFORMS_SIMPLIFYPATTERNS_H
