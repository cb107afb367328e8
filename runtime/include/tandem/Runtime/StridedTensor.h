//===- StridedTensor.h - Tensors from any memory ----------------*- C++ -*-===//
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

/// Elements in memory that another library describes, in any order.
struct StridedTensor {
  /// Must be static.
  TensorType type;
  /// The element at index 0 in all dims. May be null where there are none.
  void *data = nullptr;
  /// For each dim, the distance in elements from one index to the next, which
  /// may be 0 or negative. Empty for a dense row-major tensor.
  std::span<const int64_t> strides = {};
  /// The device whose memory it is, as in Tensor::device.
  const Device *device = nullptr;
  /// What keeps the memory; null where the caller does. To free memory by a
  /// function of one's own, give std::shared_ptr<void>(data, function).
  std::shared_ptr<void> owner = {};
};

/// Returns a Tensor of these elements. It is on the same memory, and keeps its
/// owner, where that is dense and row-major and its address is a multiple of
/// the element's size; otherwise it is a copy, which is made before this
/// returns. Fails (phase "input") where data is null, the type is not static or
/// too large, or `strides` has not one entry per dim, and where the memory is a
/// device's and would have to be copied. Thread-safe.
Expected<Tensor> toTensor(const StridedTensor &strided);

} // namespace tandem

#endif // TANDEM_RUNTIME_STRIDEDTENSOR_H
