//===- ConvContenders.cpp - Convolutions of lists, to be timed ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contenders.h"

#include <algorithm>
#include <filesystem>
#include <set>

namespace tandem::bench {
namespace {

using measure::ConvShape;

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

TensorType kernel(DType dtype, const ConvShape &shape, bool channelsLast) {
  TensorType type{dtype, Shape()};
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

std::string layoutOf(const ConvShape &shape, bool channelsLast) {
  const std::string spatial = std::string("DHW").substr(3 - shape.numSpatial);
  const std::string images =
      channelsLast ? "N" + spatial + "C" : "NC" + spatial;
  return "<input = \"" + images + "\", kernel = \"" +
         (channelsLast ? spatial + "IO" : "OI" + spatial) + "\", output = \"" +
         images + "\">";
}

std::string sourceOf(DType dtype, const ConvShape &shape, bool channelsLast,
                     const std::string &hex) {
  const std::string in =
      image(dtype, shape, shape.inputChannels, shape.input, channelsLast).str();
  const std::string out =
      image(dtype, shape, shape.outputChannels, shape.output, channelsLast)
          .str();
  const std::string weights = kernel(dtype, shape, channelsLast).str();
  return "func.func @main(%x: " + in + ") -> " + out + " {\n" +
         "  %w = tandem.constant dense<\"0x" + hex + "\"> : " + weights +
         "\n  %0 = tandem.conv %x, %w layout = " +
         layoutOf(shape, channelsLast) +
         " strides = " + listOf(shape, shape.strides) +
         " pad_low = " + listOf(shape, shape.padLow) +
         " pad_high = " + listOf(shape, shape.padHigh) +
         " dilations = " + listOf(shape, shape.dilations) +
         " groups = " + std::to_string(shape.groups) + " : (" + in + ", " +
         weights + ") -> " + out + "\n  return %0 : " + out + "\n}\n";
}

Contender contenderOf(DType dtype, const ConvShape &shape,
                      const std::string &list, bool channelsLast) {
  Contender contender;
  contender.list = list;
  contender.name =
      shape.name.empty() ? list + ":" + std::to_string(shape.line) : shape.name;
  contender.flops = shape.flops();
  contender.input =
      image(dtype, shape, shape.inputChannels, shape.input, channelsLast);
  contender.weights = kernel(dtype, shape, channelsLast);
  contender.source = [dtype, shape, channelsLast](const std::string &hex) {
    return sourceOf(dtype, shape, channelsLast, hex);
  };
  contender.library = [shape, channelsLast](WeightsForm form,
                                            const Tensor &weights) {
    return LibraryCall::conv(shape, channelsLast, form, weights);
  };
  return contender;
}

} // namespace

Expected<std::vector<Contender>>
convContenders(const ConvSelection &selection) {
  const bool channelsLast = selection.layout != "nchw";
  std::vector<Contender> contenders;
  for (const std::string &file : selection.files) {
    TANDEM_ASSIGN_OR_RETURN(std::vector<ConvShape> shapes,
                            measure::readConvShapes(file));
    // Lists repeat a shape under another name where only the batch differs.
    std::set<std::string> seen;
    for (ConvShape &shape : shapes) {
      if (selection.batch > 0)
        shape.batch = selection.batch;
      if (shape.name.find(selection.filter) == std::string::npos ||
          !seen.insert(sourceOf(selection.dtype, shape, channelsLast, ""))
               .second)
        continue;
      contenders.push_back(contenderOf(selection.dtype, shape,
                                       std::filesystem::path(file).filename(),
                                       channelsLast));
    }
  }
  if (contenders.empty())
    return fail("shapes",
                selection.filter.empty()
                    ? "the lists are empty"
                    : "no shape's name contains '" + selection.filter + "'");
  return contenders;
}

} // namespace tandem::bench
