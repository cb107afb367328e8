//===- LibraryFormats.h - When oneDNN reorders images -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_KERNELS_LIBRARYFORMATS_H
#define TANDEM_RUNTIME_KERNELS_LIBRARYFORMATS_H

#include <cstdint>

namespace tandem {

/// True if oneDNN's direct convolution computes a convolution with
/// channels-first (NCHW) images. The direct convolution uses its own image
/// formats, so the input is reordered to such a format and the result is
/// reordered back. These reorders pay off from about 128 multiply-adds per
/// output element, and for grouped convolutions, because the alternative is one
/// small matrix product per group.
///
/// `taps` is the number of elements of the convolution kernel in the spatial
/// dims. `inputs` is the number of input channels per group. The compiler's
/// cost model and the runtime both call this function.
inline constexpr bool changesImageFormats(int64_t groups, int64_t taps,
                                          int64_t inputs) {
  return groups > 1 || (taps > 1 && taps * inputs >= 128);
}

} // namespace tandem

#endif // TANDEM_RUNTIME_KERNELS_LIBRARYFORMATS_H
