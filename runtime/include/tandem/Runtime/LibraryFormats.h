//===- LibraryFormats.h - How the library is given images -------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_LIBRARYFORMATS_H
#define TANDEM_RUNTIME_LIBRARYFORMATS_H

#include <cstdint>

namespace tandem {

/// Whether oneDNN computes a convolution whose images have their channels first
/// on images in formats of its own, to which they are changed and back: its
/// direct convolutions need that. It pays from about 128 multiply-adds per
/// output on, and where the alternative is one small matrix product per group.
/// `inputs`: of one group. The compiler's prices and the runtime agree on it.
inline constexpr bool changesImageFormats(int64_t groups, int64_t taps,
                                          int64_t inputs) {
  return groups > 1 || (taps > 1 && taps * inputs >= 128);
}

} // namespace tandem

#endif // TANDEM_RUNTIME_LIBRARYFORMATS_H
