//===- ConvShapes.h - Lists of convolutions in benchdnn's form --*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_MEASURE_CONVSHAPES_H
#define TANDEM_MEASURE_CONVSHAPES_H

#include "tandem/Support/Error.h"
#include "tandem/Support/TensorType.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::measure {

/// One convolution. Spatial values are in the order D, H, W; the last
/// `numSpatial` of them are used.
struct ConvShape {
  using Spatial = std::array<int64_t, 3>;

  std::string name;    ///< Without quotes and without `*N`; may be empty.
  int64_t repeats = 1; ///< How often the network has it.
  int line = 0;        ///< In its file, from 1.

  int numSpatial = 0;
  int64_t groups = 1, batch = 2;
  int64_t inputChannels = 0, outputChannels = 0;
  Spatial input{1, 1, 1}, output{1, 1, 1}, kernel{1, 1, 1};
  Spatial strides{1, 1, 1};
  Spatial dilations{1, 1, 1}; ///< 1 is dense, as the dialect has it.
  Spatial padLow{}, padHigh{};

  /// 2 x multiply-adds, those with padding included.
  double flops() const;
  int64_t inputChannelsOfGroup() const { return inputChannels / groups; }
};

/// Reads a list in the form of oneDNN's benchdnn (test/shapes/conv/README.md
/// has it; semantics as in its conv_aux.cpp, `str2desc`). `file` is for
/// locations. The first line that is wrong is an Error of phase "shapes" with
/// `file:line:column`.
Expected<std::vector<ConvShape>> parseConvShapes(std::string_view text,
                                                 const std::string &file);

/// The same, of a file.
Expected<std::vector<ConvShape>> readConvShapes(const std::string &path);

/// What it reads, as NHWC or NCHW, and its weights, as HWIO or OIHW.
TensorType inputOf(const ConvShape &shape, DType dtype, bool channelsLast);
TensorType kernelOf(const ConvShape &shape, DType dtype, bool channelsLast);

/// A graph of the one convolution: @main of its input, with constant weights,
/// whose bytes are `hex`.
std::string graphOf(const ConvShape &shape, DType dtype, bool channelsLast,
                    const std::string &hex);

} // namespace tandem::measure

#endif // TANDEM_MEASURE_CONVSHAPES_H
