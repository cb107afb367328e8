//===- TierCases.h - Graphs of one op, and random ones ----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_TIERCASES_H
#define TANDEM_TOOLS_TANDEM_BENCH_TIERCASES_H

#include <cstdint>
#include <string>
#include <vector>

namespace tandem::bench {

/// A graph on which the tiers are compared.
struct TierCase {
  /// "exp f32 8x8192".
  std::string name;
  /// A file of one function, main; all dims are static.
  std::string source;
};

/// Each op in each of its dtypes, on 16 to 2^20 elements, long, wide and tall,
/// in both layouts where it has one, and with what it broadcasts.
std::vector<TierCase> makeOpCases();

/// tandem-fuzz's graphs of `count` seeds from `seed` on.
std::vector<TierCase> makeRandomCases(uint64_t seed, int count);

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_TIERCASES_H
