//===- ConvCases.cpp - Convolutions of lists, to be timed -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compare/ComparisonCases.h"

#include <algorithm>
#include <filesystem>
#include <set>

namespace tandem::bench {
namespace {

using measure::ConvShape;

bool isChannelsLast(const ConvSelection &selection) {
  return selection.layout != "nchw";
}

ComparisonCase caseOf(const ConvSelection &selection, const ConvShape &shape,
                      const std::string &list) {
  const DType dtype = selection.dtype;
  const bool channelsLast = isChannelsLast(selection);
  ComparisonCase comparisonCase;
  comparisonCase.list = list;
  comparisonCase.name =
      shape.name.empty() ? list + ":" + std::to_string(shape.line) : shape.name;
  comparisonCase.flops = shape.flops();
  comparisonCase.input = measure::inputOf(shape, dtype, channelsLast);
  comparisonCase.weights = measure::kernelOf(shape, dtype, channelsLast);
  comparisonCase.source = [dtype, shape, channelsLast,
                           withReLU =
                               selection.withReLU](const std::string &hex) {
    return measure::graphOf(shape, dtype, channelsLast, hex, withReLU);
  };
  if (!selection.withReLU)
    comparisonCase.library =
        [dtype, shape, channelsLast](Formats formats, const Tensor &weights) {
          return OneDNNPrimitive::conv(shape, dtype, channelsLast, formats,
                                       weights);
        };
  return comparisonCase;
}

} // namespace

std::string hexOf(const Tensor &tensor) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  const auto *bytes = tensor.as<unsigned char>();
  auto count = static_cast<size_t>(tensor.bytes());
  std::string text(2 * count, '0');
  for (size_t i = 0; i < count; ++i) {
    text[2 * i] = kDigits[bytes[i] >> 4];
    text[2 * i + 1] = kDigits[bytes[i] & 15];
  }
  return text;
}

Expected<std::vector<ComparisonCase>>
convCases(const ConvSelection &selection) {
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
          !seen.insert(measure::graphOf(shape, selection.dtype,
                                        isChannelsLast(selection), ""))
               .second)
        continue;
      cases.push_back(
          caseOf(selection, shape, std::filesystem::path(file).filename()));
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
