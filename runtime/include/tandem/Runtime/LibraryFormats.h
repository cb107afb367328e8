//===- LibraryFormats.h - When oneDNN reorders its images -------*- C++ -*-===//
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

/// Whether a convolution with channels-first (NCHW) images is computed by
/// oneDNN's direct convolution, which works on images in formats of its own:
/// the input is reordered to such a format, and the result back. This pays from
/// about 128 multiply-adds per output element on, and for grouped convolutions,
/// whose alternative is one small matrix product per group. `taps` is the
/// number of elements of the kernel in the spatial dims, `inputs` the number of
/// input channels of one group. The compiler's cost model and the runtime both
/// ask this function.
inline constexpr bool changesImageFormats(int64_t groups, int64_t taps,
                                          int64_t inputs) {
  return groups > 1 || (taps > 1 && taps * inputs >= 128);
}

} // namespace tandem

#endif // TANDEM_RUNTIME_LIBRARYFORMATS_H
