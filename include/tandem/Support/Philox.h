//===- Philox.h - Counter-based random numbers ------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Philox4x32-10 (J. Salmon, M. Moraes, R. Dror and D. Shaw, Parallel random
// numbers: as easy as 1, 2, 3, SC'11).
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_SUPPORT_PHILOX_H
#define TANDEM_SUPPORT_PHILOX_H

#include <array>
#include <cstdint>

namespace tandem {

/// The constants of a round: two words of the counter are multiplied by the
/// factors, and the words of the key grow by the increments.
struct Philox {
  static constexpr int kRounds = 10;
  static constexpr uint32_t kFactors[2] = {0xD2511F53, 0xCD9E8D57};
  static constexpr uint32_t kIncrements[2] = {0x9E3779B9, 0xBB67AE85};
};

/// Returns the four random words of block `counter`.
constexpr std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter,
                                         std::array<uint32_t, 2> key) {
  for (int round = 0; round < Philox::kRounds; ++round) {
    const uint64_t first = uint64_t(Philox::kFactors[0]) * counter[0],
                   second = uint64_t(Philox::kFactors[1]) * counter[2];
    counter = {uint32_t(second >> 32) ^ counter[1] ^ key[0], uint32_t(second),
               uint32_t(first >> 32) ^ counter[3] ^ key[1], uint32_t(first)};
    key[0] += Philox::kIncrements[0];
    key[1] += Philox::kIncrements[1];
  }
  return counter;
}

} // namespace tandem

#endif // TANDEM_SUPPORT_PHILOX_H
