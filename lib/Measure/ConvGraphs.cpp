//===- ConvGraphs.cpp - Convolutions of lists as graphs -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Measure/ConvShapes.h"

namespace tandem::measure {
namespace {

/// The last `numSpatial` of `values`, as `[1, 1]`.
std::string listOf(const ConvShape &shape, const ConvShape::Spatial &values) {
  std::string text;
  for (int dim = 3 - shape.numSpatial; dim < 3; ++dim)
    text += (text.empty() ? "[" : ", ") + std::to_string(values[dim]);
  return text + "]";
}

TensorType image(DType dtype, const ConvShape &shape, int64_t channels,
                 const ConvShape::Spatial &size, bool channelsLast) {
  TensorType type{dtype, Shape{shape.batch}};
  if (!channelsLast)
    type.shape.push_back(channels);
  for (int dim = 3 - shape.numSpatial; dim < 3; ++dim)
    type.shape.push_back(size[dim]);
  if (channelsLast)
    type.shape.push_back(channels);
  return type;
}

} // namespace

DType weightsTypeFor(DType data) {
  return data == DType::ui8 ? DType::i8 : data;
}

DType resultTypeFor(DType data) { return isInteger(data) ? DType::i32 : data; }

TensorType inputOf(const ConvShape &shape, DType dtype, bool channelsLast) {
  return image(dtype, shape, shape.inputChannels, shape.input, channelsLast);
}

TensorType resultOf(const ConvShape &shape, DType dtype, bool channelsLast) {
  return image(resultTypeFor(dtype), shape, shape.outputChannels, shape.output,
               channelsLast);
}

TensorType kernelOf(const ConvShape &shape, DType dtype, bool channelsLast) {
  TensorType type{weightsTypeFor(dtype), Shape()};
  auto push = [&](std::initializer_list<int64_t> sizes) {
    for (int64_t size : sizes)
      type.shape.push_back(size);
  };
  const int64_t inputs = shape.inputChannelsOfGroup();
  if (!channelsLast)
    push({shape.outputChannels, inputs});
  for (int dim = 3 - shape.numSpatial; dim < 3; ++dim)
    push({shape.kernel[dim]});
  if (channelsLast)
    push({inputs, shape.outputChannels});
  return type;
}

static std::string layoutOf(const ConvShape &shape, bool channelsLast) {
  const std::string spatial = std::string("DHW").substr(3 - shape.numSpatial);
  const std::string images =
      channelsLast ? "N" + spatial + "C" : "NC" + spatial;
  return "<input = \"" + images + "\", kernel = \"" +
         (channelsLast ? spatial + "IO" : "OI" + spatial) + "\", output = \"" +
         images + "\">";
}

/// The attributes of an op that say where its windows are.
static std::string windowsOf(const ConvShape &shape) {
  return " strides = " + listOf(shape, shape.strides) +
         " pad_low = " + listOf(shape, shape.padLow) +
         " pad_high = " + listOf(shape, shape.padHigh) +
         " dilations = " + listOf(shape, shape.dilations) +
         " groups = " + std::to_string(shape.groups);
}

std::string weightsGradientOf(const ConvShape &shape, DType dtype,
                              bool channelsLast) {
  const std::string in = inputOf(shape, dtype, channelsLast).str(),
                    gradient = resultOf(shape, dtype, channelsLast).str(),
                    weights = kernelOf(shape, dtype, channelsLast).str();
  return "func.func @main(%x: " + in + ", %g: " + gradient + ") -> " + weights +
         " {\n  %0 = tandem.conv_backward_weights %x, %g layout = " +
         layoutOf(shape, channelsLast) +
         " window = " + listOf(shape, shape.kernel) + windowsOf(shape) +
         " : (" + in + ", " + gradient + ") -> " + weights +
         "\n  return %0 : " + weights + "\n}\n";
}

std::string graphOf(const ConvShape &shape, DType dtype, bool channelsLast,
                    const std::string &hex, bool withReLU) {
  const std::string in = inputOf(shape, dtype, channelsLast).str();
  const std::string out = resultOf(shape, dtype, channelsLast).str();
  const std::string weights = kernelOf(shape, dtype, channelsLast).str();
  return "func.func @main(%x: " + in + ") -> " + out + " {\n" +
         "  %w = tandem.constant dense<\"0x" + hex + "\"> : " + weights +
         "\n  %0 = tandem.conv %x, %w layout = " +
         layoutOf(shape, channelsLast) + windowsOf(shape) + " : (" + in + ", " +
         weights + ") -> " + out +
         (withReLU ? "\n  %1 = tandem.relu %0 : " + out + "\n  return %1 : "
                   : "\n  return %0 : ") +
         out + "\n}\n";
}

} // namespace tandem::measure
