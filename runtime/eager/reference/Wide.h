//===- Wide.h - Tensors in the reference's own types ------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reference computes floats in double, integers in int64 and unsigned ones
// in uint64, and rounds to the tensor's type once, at the end of each op.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_REFERENCE_WIDE_H
#define TANDEM_RUNTIME_EAGER_REFERENCE_WIDE_H

#include "tandem/Runtime/Tensor.h"

#include <cstdint>
#include <vector>

namespace tandem::reference {

/// The elements of a tensor converted to T: double for floats, uint64_t for
/// unsigned integers, int64_t for other integers and i1.
template <typename T> std::vector<T> widen(const Tensor &tensor);

/// Converts `values` to the tensor's type: floats round to nearest, ties to
/// even; integers wrap around; i1 takes the lowest bit. `values` must have as
/// many elements as the tensor.
template <typename T> void narrow(const std::vector<T> &values, Tensor &tensor);

/// The tensor in another element type. Both types must be floats, or equal.
Tensor convert(const Tensor &tensor, DType dtype);

/// Calls `body` with a value of the type in which the reference computes on
/// elements of `dtype`: double{}, int64_t{} or uint64_t{}.
template <typename Body> auto withWideType(DType dtype, Body body) {
  if (isUnsigned(dtype))
    return body(uint64_t{});
  return isFloat(dtype) ? body(double{}) : body(int64_t{});
}

/// Truncates `value` towards zero and clamps it to the range of an integer
/// type; 0 for a NaN. What int64 cannot hold is given modulo 2^64.
int64_t saturatingCast(double value, DType integer);

/// The smallest and the largest value of an integer type; i1 has 0 and 1.
int64_t lowest(DType integer);
uint64_t highest(DType integer);

} // namespace tandem::reference

#endif // TANDEM_RUNTIME_EAGER_REFERENCE_WIDE_H
