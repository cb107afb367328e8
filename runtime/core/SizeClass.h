//===- SizeClass.h - Sizes of the blocks that allocators keep ---*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Four steps per doubling, as jemalloc's (J. Evans, A scalable concurrent
// malloc implementation for FreeBSD, 2006), so that a block is at most a
// quarter larger than what was asked for.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_CORE_SIZECLASS_H
#define TANDEM_RUNTIME_CORE_SIZECLASS_H

#include "tandem/Runtime/Tensor.h"

#include <bit>

namespace tandem::core {

inline constexpr uint64_t kGranule = Allocator::kAlignment;

struct SizeClass {
  size_t index;
  uint64_t bytes;
};
inline constexpr size_t kNumClasses = 232;

/// The bytes of a class's blocks.
inline uint64_t classBytes(size_t index) {
  if (index < 8)
    return (index + 1) * kGranule;
  return ((((index - 8) & 3) + 5) << ((index - 8) / 4 + 1)) * kGranule;
}

/// The smallest that holds `requested` bytes.
inline SizeClass sizeClassOf(int64_t requested) {
  uint64_t granules =
      (static_cast<uint64_t>(requested) + kGranule - 1) / kGranule;
  if (granules <= 8) {
    granules = granules == 0 ? 1 : granules;
    return {granules - 1, granules * kGranule};
  }
  uint64_t last = granules - 1;
  int shift = 61 - std::countl_zero(last);
  uint64_t step = last >> shift; // 4 to 7
  size_t index = 8 + static_cast<size_t>(shift - 1) * 4 + (step & 3);
  return {index, classBytes(index)};
}

} // namespace tandem::core

#endif // TANDEM_RUNTIME_CORE_SIZECLASS_H
