//===- RandomWindows.h - Sizes of random window ops -------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TEST_FUZZ_RANDOMWINDOWS_H
#define TANDEM_TEST_FUZZ_RANDOMWINDOWS_H

#include "Layers.h"

namespace tandem::fuzz {

/// Sizes of a window op along its spatial dims, such that it fits and no window
/// lies in the padding alone.
struct Windows {
  std::vector<int64_t> input, window, strides, padLow, padHigh, dilations;
};
Windows randomWindows(GraphBuilder &b, size_t rank);

/// Input channels of each group, output channels of all.
struct Channels {
  int64_t groups = 1, inputs = 1, outputs = 1;
};
Channels randomChannels(GraphBuilder &b, size_t rank);

/// Layouts, batch and channels first or last, now and then mixed.
void setRandomLayouts(GraphBuilder &b, size_t rank, fb::ConvAttrsT &attrs);
/// Sets the strides, the padding and the dilations of a window op.
template <typename Attrs> void setWindows(const Windows &w, Attrs &attrs) {
  attrs.strides = w.strides;
  attrs.pad_low = w.padLow;
  attrs.pad_high = w.padHigh;
  attrs.dilations = w.dilations;
}

} // namespace tandem::fuzz

#endif // TANDEM_TEST_FUZZ_RANDOMWINDOWS_H
