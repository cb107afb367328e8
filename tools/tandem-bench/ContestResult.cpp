//===- ContestResult.cpp - Ratios of a contest's times --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contest.h"

#include <algorithm>

namespace tandem::bench {

std::optional<double>
ContestResult::over(const std::optional<measure::Summary> &other) const {
  if (!generated || !other)
    return std::nullopt;
  return other->median / generated->median;
}

std::optional<double> ContestResult::scaling() const {
  if (!generated || !oneThread)
    return std::nullopt;
  return oneThread->median / generated->median;
}

double ContestResult::shareOfLimit() const {
  return std::max(flops / peakFlopsPerNs, copyNs) / chosen.median;
}

static std::optional<double>
errorOf(double predicted, const std::optional<measure::Summary> &measured) {
  if (predicted == 0 || !measured)
    return std::nullopt;
  return predicted / measured->median;
}

std::optional<double> ContestResult::generatedError() const {
  return errorOf(predictedGeneratedNs, generated);
}

std::optional<double> ContestResult::libraryError() const {
  return errorOf(predictedLibraryNs, blocked);
}

} // namespace tandem::bench
