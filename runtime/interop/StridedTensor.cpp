//===- StridedTensor.cpp - Tensors from any memory ------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/StridedTensor.h"

#include "../eager/eigen/StridedCopy.h"

#include "tandem/Runtime/Device.h"

#include <algorithm>
#include <cstring>

using namespace tandem;
using namespace tandem::eager;

/// Whether the elements are those of a dense row-major tensor. Strides of dims
/// of one element have no meaning.
static bool isDense(const Shape &shape, const Strides &strides) {
  const Strides dense = rowMajorStrides(shape);
  for (int dim = 0; dim < shape.rank(); ++dim)
    if (shape[dim] != 1 && strides[dim] != dense[dim])
      return false;
  return true;
}

/// Whether no offset of an element, in bytes, overflows.
static bool hasOffsets(const TensorType &type, const Strides &strides) {
  int64_t reach = 0;
  for (int dim = 0; dim < type.shape.rank(); ++dim) {
    int64_t bytes;
    if (__builtin_mul_overflow(strides[dim], byteWidth(type.dtype), &bytes) ||
        __builtin_mul_overflow(bytes, type.shape[dim], &bytes) ||
        bytes == std::numeric_limits<int64_t>::min() ||
        __builtin_add_overflow(reach, std::abs(bytes), &reach))
      return false;
  }
  return true;
}

/// Copies any elements, one by one. StridedCopy, which is faster, takes no
/// misaligned address and no negative stride.
static void copyByElement(const TensorType &type, const Strides &strides,
                          const void *from, void *to) {
  const int64_t width = byteWidth(type.dtype);
  auto *out = static_cast<char *>(to);
  for (StridedIndex<1> i(type.shape, {strides}); !i.done(); i.next()) {
    std::memcpy(out, static_cast<const char *>(from) + i.offset(0) * width,
                width);
    out += width;
  }
}

static Expected<Tensor> copyElements(const StridedTensor &strided,
                                     const Strides &strides, bool isAligned) {
  const TensorType &type = strided.type;
  TANDEM_ASSIGN_OR_RETURN(Tensor copy, Tensor::allocate(type));
  if (!isAligned && isDense(type.shape, strides))
    std::memcpy(copy.data(), strided.data, copy.bytes());
  else if (!isAligned || *std::ranges::min_element(strides) < 0)
    copyByElement(type, strides, strided.data, copy.data());
  else
    StridedCopy(type.shape, strides, 0, rowMajorStrides(type.shape), 0,
                byteWidth(type.dtype))
        .run(strided.data, copy.data());
  return copy;
}

Expected<Tensor> tandem::toTensor(const StridedTensor &strided) {
  const TensorType &type = strided.type;
  Expected<int64_t> bytes = checkedBytes(type);
  if (!bytes) {
    bytes.error().phase = "input";
    return tl::unexpected(std::move(bytes.error()));
  }
  if (*bytes == 0 && !strided.device)
    return Tensor::allocate(type);
  if (!strided.data)
    return fail("input", "data is null, but " + type.str() + " has elements");
  Strides strides = rowMajorStrides(type.shape);
  if (!strided.strides.empty()) {
    if (int(strided.strides.size()) != type.shape.rank())
      return fail("input", std::to_string(strided.strides.size()) +
                               " strides are given for " + type.str());
    std::ranges::copy(strided.strides, strides.begin());
  }
  const bool isAligned =
      reinterpret_cast<uintptr_t>(strided.data) % byteWidth(type.dtype) == 0;
  if (isAligned && isDense(type.shape, strides)) {
    std::shared_ptr<void> data(strided.owner, strided.data);
    return strided.owner ? Tensor::share(type, std::move(data), strided.device)
                         : Tensor::borrow(type, strided.data, strided.device);
  }
  if (strided.device)
    return fail("input",
                "a tensor in the memory of '" +
                    std::string(strided.device->name()) + "' must be " +
                    (isAligned ? "dense and row-major"
                               : "aligned to the size of its elements"),
                "copy it there first");
  if (!hasOffsets(type, strides))
    return fail("input", "the strides of " + type.str() + " are too large");
  return copyElements(strided, strides, isAligned);
}
