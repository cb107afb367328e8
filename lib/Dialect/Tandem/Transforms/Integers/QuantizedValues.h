//===- QuantizedValues.h - Values that are quantized numbers ----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_DIALECT_TANDEM_TRANSFORMS_INTEGERS_QUANTIZEDVALUES_H
#define TANDEM_LIB_DIALECT_TANDEM_TRANSFORMS_INTEGERS_QUANTIZEDVALUES_H

#include "mlir/IR/Value.h"

#include <cstdint>
#include <optional>

namespace tandem {

/// A tensor of quantized numbers. `bytes` has integers of 8 bits. `zeroPoint`
/// and `scale` broadcast with it; null for 0 and 1.
struct Quantized {
  mlir::Value bytes, zeroPoint, scale;
};

/// The number that all elements of a constant are: of integers of 8 bits, or of
/// a splat of i32 or f32; through reshapes. Nothing for other values.
std::optional<int64_t> getSplat(mlir::Value value);

/// The quantized numbers that `value` is: integers of 8 bits, minus a zero
/// point if there is one, times a scale if there is one. Nothing for other
/// values.
std::optional<Quantized> matchQuantized(mlir::Value value);

/// True if the elements of `parameter`, null for none, differ at most along dim
/// `dim` of a tensor of rank `rank`.
bool isAlong(mlir::Value parameter, int64_t rank, int64_t dim);

} // namespace tandem

#endif // TANDEM_LIB_DIALECT_TANDEM_TRANSFORMS_INTEGERS_QUANTIZEDVALUES_H
