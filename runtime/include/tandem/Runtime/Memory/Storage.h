//===- Storage.h - C++ types of elements ------------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_MEMORY_STORAGE_H
#define TANDEM_RUNTIME_MEMORY_STORAGE_H

#include "tandem/Runtime/Float16.h"
#include "tandem/Support/TensorType.h"

#include <cstdint>
#include <type_traits>

namespace tandem {

/// Calls `body` with a value of the C++ type that stores an element of `dtype`,
/// and returns the result of `body`. The template parameters F16 and BF16 may
/// name other classes for 16-bit floats.
template <typename F16 = tandem::F16, typename BF16 = tandem::BF16,
          typename Body>
auto withStorage(DType dtype, Body body) {
  switch (dtype) {
#define TANDEM_DTYPE(dtype, kind, bytes, storage)                              \
  case DType::dtype:                                                           \
    return body(storage{});
#include "tandem/Support/DTypes.def"
  }
  __builtin_unreachable();
}

/// True if T stores floats: float, double or a class for 16-bit floats.
template <typename T>
inline constexpr bool isFloatStorage =
    std::is_floating_point_v<T> || std::is_class_v<T>;

/// The unsigned integer type that has as many bytes as T.
template <typename T>
using BitsOf = std::conditional_t<
    sizeof(T) == 1, uint8_t,
    std::conditional_t<sizeof(T) == 2, uint16_t,
                       std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>>;

} // namespace tandem

#endif // TANDEM_RUNTIME_MEMORY_STORAGE_H
