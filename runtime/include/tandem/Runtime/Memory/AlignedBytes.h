//===- AlignedBytes.h - Sizes of aligned tensors ----------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_MEMORY_ALIGNEDBYTES_H
#define TANDEM_RUNTIME_MEMORY_ALIGNEDBYTES_H

#include "tandem/Runtime/Tensor.h"

namespace tandem {

/// Rounds `bytes` up to a multiple of Allocator::kAlignment. This is the
/// smallest distance between the starts of a tensor of this size and of the
/// next tensor in the same block.
constexpr int64_t alignedBytes(int64_t bytes) {
  constexpr int64_t alignment = Allocator::kAlignment;
  return (bytes + alignment - 1) / alignment * alignment;
}

} // namespace tandem

#endif // TANDEM_RUNTIME_MEMORY_ALIGNEDBYTES_H
