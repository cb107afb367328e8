//===- IndexBuilder.h - Index arithmetic and loops --------------*- C++ -*-===//
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

/// Emits arithmetic on indices and loops at the insertion point of a builder,
/// which the caller owns. Sums and products are marked as not wrapping around.
/// It is the base class of the emitters of loops.
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
  /// Delinearises the innermost index: returns `number` mod `size`, and
  /// replaces `number` by `number` div `size`.
  mlir::Value delinearizeInnermost(mlir::Value &number, int64_t size) const;
  /// Emits a loop over 0, step, 2 * step, … below `upper`.
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
