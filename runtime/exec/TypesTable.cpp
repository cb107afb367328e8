//===- TypesTable.cpp - Records by the types of tensors -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TypesTable.h"

#include <xxhash.h>

using namespace tandem;
using namespace tandem::exec;

/// Returns the hash of a list that has the hash `hash` and is extended by
/// `type`.
static size_t extend(size_t hash, const TensorType &type) {
  std::span<const int64_t> dims = type.shape.span();
  return XXH3_64bits_withSeed(dims.data(), dims.size_bytes(),
                              hash + static_cast<uint64_t>(type.dtype));
}

size_t TypesHash::operator()(std::span<const TensorType> types) const {
  size_t hash = types.size();
  for (const TensorType &type : types)
    hash = extend(hash, type);
  return hash;
}

size_t TypesHash::operator()(std::span<const Tensor> tensors) const {
  size_t hash = tensors.size();
  for (const Tensor &tensor : tensors)
    hash = extend(hash, tensor.type());
  return hash;
}
