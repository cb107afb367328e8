//===- TierCases.h - Graphs on which tiers are compared ---------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_COMPARE_TIERCASES_H
#define TANDEM_TOOLS_TANDEM_BENCH_COMPARE_TIERCASES_H

#include <cstdint>
#include <string>
#include <vector>

namespace tandem::bench {

/// A graph on which the tiers are compared.
struct TierCase {
  /// The name: "exp f32 8x8192".
  std::string name;
  /// The MLIR text of one function, main, with static dims.
  std::string source;
};

/// A case for each op, in each of its dtypes, on 16 to 2^20 elements in long,
/// wide and tall shapes, in both layouts where it has one, and with broadcast
/// operands.
std::vector<TierCase> makeOpCases();

/// The random graphs of tandem-fuzz for `count` seeds from `seed` on.
std::vector<TierCase> makeRandomCases(uint64_t seed, int count);

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_COMPARE_TIERCASES_H
