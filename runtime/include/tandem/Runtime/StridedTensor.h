//===- StridedTensor.h - Tensors with arbitrary strides ---------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_STRIDEDTENSOR_H
#define TANDEM_RUNTIME_STRIDEDTENSOR_H

#include "tandem/Runtime/Tensor.h"

#include <memory>
#include <span>

namespace tandem {

/// A tensor in memory that another library describes, with arbitrary strides.
struct StridedTensor {
  /// Element type and shape; must be static.
  TensorType type;
  /// Pointer to the element whose indices are all 0. May be null if the tensor
  /// is in host memory and has no elements.
  void *data = nullptr;
  /// For each dim, the distance between consecutive indices, in elements. A
  /// stride may be 0 or negative. An empty list describes a dense row-major
  /// tensor.
  std::span<const int64_t> strides = {};
  /// The device whose memory holds the elements; null for host memory.
  const Device *device = nullptr;
  /// The owner of the memory; null if the caller keeps the memory alive. To
  /// free the memory with a custom function, pass std::shared_ptr<void>(data,
  /// function).
  std::shared_ptr<void> owner = {};
};

/// Returns a Tensor with the elements of `strided`. If the elements are dense,
/// row-major and aligned to the element size, the tensor uses the same memory
/// and keeps `owner`. Otherwise the tensor is a copy in host memory, which is
/// complete when this function returns.
///
/// Fails with phase "input" if `data` is null although the tensor has elements,
/// if the type is not static or is too large, if `strides` does not have one
/// entry per dim, or if memory of a device would have to be copied. Fails with
/// phase "allocate" if memory for the copy runs out. Thread-safe.
Expected<Tensor> toTensor(const StridedTensor &strided);

} // namespace tandem

#endif // TANDEM_RUNTIME_STRIDEDTENSOR_H
