//===- ByteProducts.h - Products of i8 that cuBLASLt has --------*- C++ -*-===//
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

namespace tandem::cublaslt {

/// Whether cuBLASLt multiplies contiguous matrices of i8, m x k and n x k, with
/// sums of i32 along k (cublasLtMatmul, "IMMA kernels", regular data ordering).
/// The documentation does not specify the result of a sum that overflows, so
/// the function returns false if a sum could overflow.
inline bool canMultiplyBytes(int64_t n, int64_t k) {
  constexpr int64_t kMaxDepth =
      std::numeric_limits<int32_t>::max() / (128 * 128);
  return n % 4 == 0 && k % 4 == 0 && k <= kMaxDepth;
}

} // namespace tandem::cublaslt

#endif // TANDEM_RUNTIME_LIBRARIES_BYTEPRODUCTS_H
