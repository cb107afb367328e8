//===- ContiguousParts.cpp - Parts of tensors without gaps ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Support/ContiguousParts.h"

#include <algorithm>

using namespace tandem;

std::optional<int64_t> tandem::findContiguousSlice(const fb::SliceAttrsT &slice,
                                                   const TensorType &operand) {
  if (!operand.isStatic())
    return std::nullopt;
  const Shape &shape = operand.shape;
  int64_t start = 0, stride = byteWidth(operand.dtype);
  // Whether all dims behind the present one are whole.
  bool isWhole = true;
  for (int dim = shape.rank(); dim-- > 0;) {
    if (slice.starts[dim] == kDynamic || slice.limits[dim] == kDynamic)
      return std::nullopt;
    const auto [first, size] = resolveSlice(
        shape[dim], slice.starts[dim], slice.limits[dim], slice.strides[dim]);
    if (size == 0 || (size > 1 && (!isWhole || slice.strides[dim] != 1)))
      return std::nullopt;
    isWhole &= size == shape[dim];
    start += first * stride;
    stride *= shape[dim];
  }
  return start;
}

std::optional<std::vector<int64_t>>
tandem::findContiguousOperands(int64_t axis,
                               std::span<const TensorType> operands) {
  std::vector<int64_t> offsets;
  int64_t next = 0;
  for (const TensorType &type : operands) {
    if (!type.isStatic())
      return std::nullopt;
    for (int dim = 0; dim < axis; ++dim)
      if (type.shape[dim] != 1)
        return std::nullopt;
    offsets.push_back(next);
    next += type.bytes();
  }
  return offsets;
}
