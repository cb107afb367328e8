//===- ComparisonResult.cpp - Ratios of a comparison's times --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compare/Comparison.h"

#include <algorithm>

namespace tandem::bench {

std::optional<double>
ComparisonResult::over(const std::optional<measure::Summary> &other) const {
  if (!generated || !other)
    return std::nullopt;
  return other->median / generated->median;
}

bool ComparisonResult::isSlowerThanEager() const {
  return chosenOverEager > 1.05 && (chosenOverEager - 1) * eager.median > 1000;
}

std::optional<double> ComparisonResult::scaling() const {
  if (!generated || !oneThread)
    return std::nullopt;
  return oneThread->median / generated->median;
}

double ComparisonResult::shareOfLimit() const {
  return std::max(flops / peakFlopsPerNs, copyNs) / chosen.median;
}

static std::optional<double>
errorOf(double predicted, const std::optional<measure::Summary> &measured) {
  if (predicted == 0 || !measured)
    return std::nullopt;
  return predicted / measured->median;
}

std::optional<double> ComparisonResult::generatedError() const {
  return errorOf(predictedGeneratedNs, generated);
}

std::optional<double> ComparisonResult::libraryError() const {
  return errorOf(predictedLibraryNs, blocked);
}

} // namespace tandem::bench
