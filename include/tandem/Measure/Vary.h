//===- Vary.h - Which shapes a sweep visits ---------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_MEASURE_VARY_H
#define TANDEM_MEASURE_VARY_H

#include "tandem/Runtime/Program.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tandem::measure {

/// The sizes that one named dim takes.
struct DimRange {
  std::string name;
  std::vector<int64_t> sizes;
};

/// One size per varied dim, in the order of the ranges.
using DimSizes = std::vector<std::pair<std::string, int64_t>>;

/// Parses `N=1,8,64;L=50..400:50`: per dim a list of sizes and of inclusive
/// ranges `first..last[:step]` (step 1 by default). Errors (phase "vary") quote
/// the part that is wrong.
Expected<std::vector<DimRange>> parseVary(std::string_view text);

/// The most shapes one sweep may have.
inline constexpr size_t kMaxShapes = 4096;

/// The cartesian product, last dim fastest; {{}} for no range. An error where
/// there are more than kMaxShapes.
Expected<std::vector<DimSizes>>
cartesianProduct(const std::vector<DimRange> &ranges);

/// The inputs' types of `program` with its named dims set to `sizes`. An error
/// where a name is unknown or a dynamic dim stays without a size.
Expected<std::vector<TensorType>> bindDims(const Program &program,
                                           const DimSizes &sizes);

/// "N=8 L=100".
std::string toString(const DimSizes &sizes);

} // namespace tandem::measure

#endif // TANDEM_MEASURE_VARY_H
