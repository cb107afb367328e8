//===- TierContest.h - Where the compiled tier loses to eager ---*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_TIERCONTEST_H
#define TANDEM_TOOLS_TANDEM_BENCH_TIERCONTEST_H

#include "common/Environment.h"

#include "tandem/Support/Error.h"

#include <string>
#include <vector>

namespace tandem::bench {

struct TierContestOptions {
  /// Only cases whose name matches this regular expression (ECMAScript).
  std::string filter;
  /// "SEED:COUNT": random graphs in place of the ops.
  std::string random;
  /// Numbers of threads that each case runs on.
  std::vector<int> threads;
  /// Time for both tiers of a case.
  double seconds = 0.03;
  std::string json;
  tools::Environment environment;
};

/// Runs each case on both tiers in alternation and prints those in which the
/// compiled tier takes over 1.05 times as long as eager (the median of paired
/// ratios) and half a microsecond more, twice in a row, the second time
/// measured longer. True where there is none.
Expected<bool> runTierContest(const TierContestOptions &options);

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_TIERCONTEST_H
