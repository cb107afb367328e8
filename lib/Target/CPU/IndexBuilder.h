//===- IndexBuilder.h - Arithmetic on indices, and loops --------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_INDEXBUILDER_H
#define TANDEM_LIB_TARGET_CPU_INDEXBUILDER_H

#include "mlir/IR/Builders.h"

namespace tandem {

/// Indices at the place of a builder, which the caller keeps. None of the sums
/// and products wraps around. What emits loops derives from it.
class IndexBuilder {
public:
  IndexBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  mlir::Value index(int64_t value) const;
  mlir::Value add(mlir::Value a, mlir::Value b) const;
  /// `a` itself where `b` is 0.
  mlir::Value add(mlir::Value a, int64_t b) const;
  mlir::Value subtract(mlir::Value a, mlir::Value b) const;
  mlir::Value scale(mlir::Value a, int64_t factor) const;
  mlir::Value atMost(mlir::Value a, int64_t bound) const;
  /// The last digit of `number` to the base `size`, which `number` loses.
  mlir::Value takeDigit(mlir::Value &number, int64_t size) const;
  /// Emits a loop over 0, step, … below `upper`.
  void forEach(mlir::Value upper, int64_t step,
               llvm::function_ref<void(mlir::Value)> emit) const;
  void forEach(mlir::Value upper,
               llvm::function_ref<void(mlir::Value)> emit) const {
    forEach(upper, 1, emit);
  }

protected:
  mlir::OpBuilder &builder;
  mlir::Location loc;
};

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_INDEXBUILDER_H
