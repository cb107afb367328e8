//===- Vary.h - The shapes that a sweep measures ----------------*- C++ -*-===//
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

/// A named dim and the sizes that it takes in a sweep.
struct DimRange {
  std::string name;
  std::vector<int64_t> sizes;
};

/// The name and one size of each varied dim, in the order of the ranges.
using DimSizes = std::vector<std::pair<std::string, int64_t>>;

/// Parses the value of `--vary`, such as `N=1,8,64;L=50..400:50`: for each dim,
/// a list of sizes and of inclusive ranges `first..last[:step]` (the step is 1
/// by default). Errors (phase "vary") quote the invalid part.
Expected<std::vector<DimRange>> parseVary(std::string_view text);

/// The most shapes that one sweep may have.
inline constexpr size_t kMaxShapes = 4096;

/// All combinations of the sizes, the last dim varying fastest; a single empty
/// combination where there is no range. Fails for more than kMaxShapes
/// combinations.
Expected<std::vector<DimSizes>>
cartesianProduct(const std::vector<DimRange> &ranges);

/// The types of the inputs of `program` with its named dims set to `sizes`.
/// Fails for an unknown name, and for a dynamic dim that gets no size.
Expected<std::vector<TensorType>> bindDims(const Program &program,
                                           const DimSizes &sizes);

/// The sizes as text: "N=8 L=100".
std::string toString(const DimSizes &sizes);

} // namespace tandem::measure

#endif // TANDEM_MEASURE_VARY_H
