//===- ByteProducts.h - Products of i8 that libraries have ------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_LIBRARIES_BYTEPRODUCTS_H
#define TANDEM_RUNTIME_LIBRARIES_BYTEPRODUCTS_H

#include <cstdint>
#include <limits>

namespace tandem {

/// Whether no sum of `count` products of i8 overflows i32. The libraries'
/// documentation does not specify the result of a sum that overflows.
inline bool fitInI32(int64_t count) {
  return count <= std::numeric_limits<int32_t>::max() / (128 * 128);
}

namespace cublaslt {

/// Whether cuBLASLt multiplies contiguous matrices of i8, m x k and n x k, with
/// exact sums of i32 along k (cublasLtMatmul, "IMMA kernels", regular data
/// ordering).
inline bool canMultiplyBytes(int64_t n, int64_t k) {
  return n % 4 == 0 && k % 4 == 0 && fitInI32(k);
}

} // namespace cublaslt
} // namespace tandem

#endif // TANDEM_RUNTIME_LIBRARIES_BYTEPRODUCTS_H
