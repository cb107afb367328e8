//===- TensorType.cpp - Element types, shapes and tensor types ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Support/TensorType.h"

using namespace tandem;

std::string_view tandem::name(DType dtype) { return fb::EnumNameDType(dtype); }

static std::string dimStr(int64_t dim) {
  return dim == kDynamic ? "?" : std::to_string(dim);
}

std::string Shape::str() const {
  std::string text;
  for (int64_t dim : *this)
    text += (text.empty() ? "" : "x") + dimStr(dim);
  return text;
}

std::string TensorType::str() const {
  std::string text = "tensor<" + shape.str();
  if (shape.rank() > 0)
    text += "x";
  return text + std::string(name(dtype)) + ">";
}

[[gnu::cold, gnu::noinline]] static tl::unexpected<Error>
badBytes(const TensorType &type, const char *what, const char *hint = "") {
  return fail("shape", type.str() + " " + what, hint);
}

Expected<int64_t> tandem::checkedBytes(const TensorType &type) {
  int64_t bytes = byteWidth(type.dtype);
  // Empty dims are left out, as NumPy does: strides, too, must not overflow.
  bool overflow = false, empty = false;
  for (int64_t dim : type.shape) {
    if (dim < 0)
      return badBytes(type, dim == kDynamic ? "has a dim of unknown size"
                                            : "has a negative dim");
    if (dim == 0)
      empty = true;
    else
      overflow |= __builtin_mul_overflow(bytes, dim, &bytes);
  }
  if (overflow)
    return badBytes(type, "is too large: its bytes overflow 64 bits");
  return empty ? 0 : bytes;
}

TensorType tandem::fromFlat(const fb::TensorTypeT &type) {
  return {type.dtype, Shape(type.dims)};
}

fb::TensorTypeT tandem::toFlat(const TensorType &type) {
  fb::TensorTypeT flat;
  flat.dtype = type.dtype;
  flat.dims.assign(type.shape.begin(), type.shape.end());
  return flat;
}
