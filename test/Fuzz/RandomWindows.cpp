//===- RandomWindows.cpp - Sizes of random window ops ---------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomWindows.h"

using namespace tandem;
using namespace tandem::fuzz;

Windows fuzz::randomWindows(GraphBuilder &b, size_t rank) {
  Windows w;
  bool isSame = b.random.chance(30); // 3 x 3 as in most networks.
  for (size_t i = 0; i < rank; ++i) {
    int64_t window =
        b.random.chance(10) ? b.random.between(4, 6) : b.random.between(1, 3);
    int64_t dilation = b.random.chance(20) ? b.random.between(2, 3) : 1;
    if (isSame)
      window = 3, dilation = 1;
    int64_t span = (window - 1) * dilation + 1;
    auto padding = [&] {
      bool isPadded = b.random.chance(40) && dilation == 1;
      return isSame ? 1 : isPadded ? b.random.below(window) : 0;
    };
    w.window.push_back(window);
    w.dilations.push_back(dilation);
    w.input.push_back(span + b.random.below(rank == 3 ? 3 : 14));
    w.strides.push_back(b.random.chance(25) ? b.random.between(2, 3) : 1);
    w.padLow.push_back(padding());
    w.padHigh.push_back(padding());
  }
  // Long rows: several whole tiles between the first and the last.
  if (rank < 3 && b.random.chance(rank == 1 ? 30 : 12))
    w.input.back() += b.randomWidth();
  if (b.isLarge)
    for (int64_t &size : w.input)
      size += rank == 1 ? b.random.between(100, 1000)
                        : b.random.between(4, rank == 2 ? 48 : 10);
  return w;
}

Channels fuzz::randomChannels(GraphBuilder &b, size_t rank) {
  Channels c;
  if (b.random.chance(10)) {
    // One or two filters for each channel.
    c.groups = b.randomWidth();
    c.outputs = c.groups * b.random.between(1, 2);
    return c;
  }
  c.groups = b.random.chance(20) ? b.random.between(2, 3) : 1;
  c.inputs = b.random.pick<int64_t>({1, 2, 3, 5, 8, 16, 17});
  if (rank < 3 && b.random.chance(20))
    c.inputs = b.randomWidth();
  c.outputs = c.groups * b.randomWidth();
  return c;
}

void fuzz::setRandomLayouts(GraphBuilder &b, size_t rank,
                            fb::ConvAttrsT &attrs) {
  std::string s = spatialLetters(rank);
  bool channelsLast = b.random.chance(50);
  attrs.input_layout = channelsLast ? "N" + s + "C" : "NC" + s;
  attrs.output_layout =
      b.random.chance(90) == channelsLast ? "N" + s + "C" : "NC" + s;
  attrs.kernel_layout =
      b.random.pick<std::string>({"OI" + s, s + "IO", s + "IO", "O" + s + "I"});
}
