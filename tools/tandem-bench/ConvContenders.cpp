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

Contender contenderOf(DType dtype, const ConvShape &shape,
                      const std::string &list, bool channelsLast) {
  Contender contender;
  contender.list = list;
  contender.name =
      shape.name.empty() ? list + ":" + std::to_string(shape.line) : shape.name;
  contender.flops = shape.flops();
  contender.input = measure::inputOf(shape, dtype, channelsLast);
  contender.weights = measure::kernelOf(shape, dtype, channelsLast);
  contender.source = [dtype, shape, channelsLast](const std::string &hex) {
    return measure::graphOf(shape, dtype, channelsLast, hex);
  };
  contender.library = [shape, channelsLast](Formats formats,
                                            const Tensor &weights) {
    return LibraryCall::conv(shape, channelsLast, formats, weights);
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
          !seen.insert(
                   measure::graphOf(shape, selection.dtype, channelsLast, ""))
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
