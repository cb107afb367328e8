//===- AlignedBytes.h - Tensors behind each other in a block ----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_ALIGNEDBYTES_H
#define TANDEM_RUNTIME_ALIGNEDBYTES_H

#include "tandem/Runtime/Tensor.h"

namespace tandem {

/// `bytes` rounded up to a multiple of Allocator::kAlignment: how far behind a
/// tensor of so many bytes the next one may begin.
constexpr int64_t alignedBytes(int64_t bytes) {
  constexpr int64_t alignment = Allocator::kAlignment;
  return (bytes + alignment - 1) / alignment * alignment;
}

} // namespace tandem

#endif // TANDEM_RUNTIME_ALIGNEDBYTES_H
