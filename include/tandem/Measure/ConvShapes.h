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

/// The shape of one convolution. Spatial values are in the order D, H, W; only
/// the last `numSpatial` of them are used.
struct ConvShape {
  using Spatial = std::array<int64_t, 3>;

  std::string name;    ///< Without quotes and without `*N`; may be empty.
  int64_t repeats = 1; ///< How often the network contains it.
  int line = 0;        ///< Line number in its file, from 1.

  int numSpatial = 0;
  int64_t groups = 1, batch = 2;
  int64_t inputChannels = 0, outputChannels = 0;
  Spatial input{1, 1, 1}, output{1, 1, 1}, kernel{1, 1, 1};
  Spatial strides{1, 1, 1};
  Spatial dilations{1, 1, 1}; ///< 1 is dense, as in the dialect.
  Spatial padLow{}, padHigh{};

  /// Operations: two per multiply-add, including multiply-adds with padding.
  double flops() const;
  int64_t inputChannelsOfGroup() const { return inputChannels / groups; }
};

/// Parses a list of convolutions in the format of oneDNN's benchdnn, which
/// test/shapes/conv/README.md describes (benchdnn's parser is `str2desc` in
/// conv_aux.cpp). `file` is the name used in error locations. An invalid line
/// gives an Error of phase "shapes" with its `file:line:column`.
Expected<std::vector<ConvShape>> parseConvShapes(std::string_view text,
                                                 const std::string &file);

/// Reads and parses a file in that format.
Expected<std::vector<ConvShape>> readConvShapes(const std::string &path);

/// The element types of the weights and of the result of a contraction whose
/// data has the type `data`: i8 and i32 for ui8 and i8, `data` for floats.
DType weightsTypeFor(DType data);
DType resultTypeFor(DType data);

/// The types of its input (NHWC if `channelsLast`, else NCHW, for two spatial
/// dims), whose elements are `dtype`, of its result in the same layout, and of
/// its weights (HWIO or OIHW).
TensorType inputOf(const ConvShape &shape, DType dtype, bool channelsLast);
TensorType resultOf(const ConvShape &shape, DType dtype, bool channelsLast);
TensorType kernelOf(const ConvShape &shape, DType dtype, bool channelsLast);

/// The MLIR text of a graph of this one convolution, and of a ReLU after it if
/// `withReLU`: a function @main of the input, with constant weights whose bytes
/// are given by `hex`, in hexadecimal digits.
std::string graphOf(const ConvShape &shape, DType dtype, bool channelsLast,
                    const std::string &hex, bool withReLU = false);

/// The MLIR text of a graph of the gradient of this convolution's weights: a
/// function @main of the input and of the gradient of the result.
std::string weightsGradientOf(const ConvShape &shape, DType dtype,
                              bool channelsLast);

} // namespace tandem::measure

#endif // TANDEM_MEASURE_CONVSHAPES_H
