//===- ConvCases.cpp - Convolutions of lists, to be timed -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComparisonCases.h"

#include <algorithm>
#include <filesystem>
#include <set>

namespace tandem::bench {
namespace {

using measure::ConvShape;

ComparisonCase caseOf(DType dtype, const ConvShape &shape,
                      const std::string &list, bool channelsLast) {
  ComparisonCase comparisonCase;
  comparisonCase.list = list;
  comparisonCase.name =
      shape.name.empty() ? list + ":" + std::to_string(shape.line) : shape.name;
  comparisonCase.flops = shape.flops();
  comparisonCase.input = measure::inputOf(shape, dtype, channelsLast);
  comparisonCase.weights = measure::kernelOf(shape, dtype, channelsLast);
  comparisonCase.source = [dtype, shape, channelsLast](const std::string &hex) {
    return measure::graphOf(shape, dtype, channelsLast, hex);
  };
  comparisonCase.library = [shape, channelsLast](Formats formats,
                                                 const Tensor &weights) {
    return LibraryCall::conv(shape, channelsLast, formats, weights);
  };
  return comparisonCase;
}

} // namespace

Expected<std::vector<ComparisonCase>>
convCases(const ConvSelection &selection) {
  const bool channelsLast = selection.layout != "nchw";
  std::vector<ComparisonCase> cases;
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
      cases.push_back(caseOf(selection.dtype, shape,
                             std::filesystem::path(file).filename(),
                             channelsLast));
    }
  }
  if (cases.empty())
    return fail("shapes",
                selection.filter.empty()
                    ? "the lists are empty"
                    : "no shape's name contains '" + selection.filter + "'");
  return cases;
}

} // namespace tandem::bench
