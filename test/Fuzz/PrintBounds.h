//===- PrintBounds.h - The error bounds of a random graph -------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TEST_FUZZ_PRINTBOUNDS_H
#define TANDEM_TEST_FUZZ_PRINTBOUNDS_H

#include "RandomGraph.h"

#include "tandem/Support/Choices.h"

#include <string>

namespace tandem::fuzz {

/// Returns one line of text for each output of a graph, which begins with
/// `prefix`. The line contains the tolerance of certificates and quantiles of
/// the sampled error bounds. utils/compare-bounds.py compares two lists of such
/// lines. Thread-safe.
Expected<std::string> printBounds(const RandomGraph &graph, Precision precision,
                                  const std::string &prefix);

} // namespace tandem::fuzz

#endif // TANDEM_TEST_FUZZ_PRINTBOUNDS_H
