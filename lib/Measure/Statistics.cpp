//===- Statistics.cpp - Medians, spreads, break-even ----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Measure/Statistics.h"

#include <algorithm>
#include <cmath>

namespace tandem::measure {

std::optional<int64_t> breakEvenCalls(double compileCost, double eager,
                                      double compiled) {
  double saved = eager - compiled;
  // Also refuses NaN, and savings so small that the count overflows.
  if (!(saved > 0) || !(compileCost / saved < 9e18))
    return std::nullopt;
  return std::max<int64_t>(
      1, static_cast<int64_t>(std::ceil(compileCost / saved)));
}

Verdict judge(const Summary &eager, const Summary &compiled) {
  if (compiled.p90 < eager.p10)
    return Verdict::compile;
  if (compiled.p10 > eager.p90)
    return Verdict::eager;
  return Verdict::close;
}

std::string_view name(Verdict verdict) {
  switch (verdict) {
  case Verdict::compile:
    return "compile";
  case Verdict::close:
    return "close";
  case Verdict::eager:
    return "eager";
  }
  return "";
}

} // namespace tandem::measure
