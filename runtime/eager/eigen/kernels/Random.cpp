//===- Random.cpp - Random words ------------------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Level.h"

#include "tandem/Support/Philox.h"

namespace tandem::eager::TANDEM_LEVEL {
namespace {

/// Blocks that are computed at a time, one in each lane of two vectors.
constexpr int64_t kBlocks = 32;

[[gnu::always_inline]] inline uint32_t highOfProduct(uint32_t a, uint32_t b) {
  return uint32_t(uint64_t(a) * b >> 32);
}

/// The words of kBlocks blocks.
[[gnu::always_inline]] inline void computeBlocks(uint64_t key, uint64_t first,
                                                 uint32_t *out) {
  uint32_t a[kBlocks], b[kBlocks], c[kBlocks], d[kBlocks];
  for (int64_t i = 0; i < kBlocks; ++i) {
    const uint64_t block = first + uint64_t(i);
    a[i] = uint32_t(block);
    b[i] = uint32_t(block >> 32);
    c[i] = d[i] = 0;
  }
  uint32_t low = uint32_t(key), high = uint32_t(key >> 32);
  for (int round = 0; round < Philox::kRounds; ++round) {
    for (int64_t i = 0; i < kBlocks; ++i) {
      const uint32_t lowA = a[i] * Philox::kFactors[0],
                     highA = highOfProduct(a[i], Philox::kFactors[0]);
      const uint32_t lowC = c[i] * Philox::kFactors[1],
                     highC = highOfProduct(c[i], Philox::kFactors[1]);
      a[i] = highC ^ b[i] ^ low;
      b[i] = lowC;
      c[i] = highA ^ d[i] ^ high;
      d[i] = lowA;
    }
    low += Philox::kIncrements[0];
    high += Philox::kIncrements[1];
  }
  for (int64_t i = 0; i < kBlocks; ++i) {
    out[4 * i] = a[i];
    out[4 * i + 1] = b[i];
    out[4 * i + 2] = c[i];
    out[4 * i + 3] = d[i];
  }
}

void randomWords(uint64_t key, uint64_t counter, uint32_t *out, int64_t n) {
  int64_t i = 0;
  for (; i + 4 * kBlocks <= n; i += 4 * kBlocks)
    computeBlocks(key, counter + uint64_t(i) / 4, out + i);
  if (i == n)
    return;
  uint32_t rest[4 * kBlocks];
  computeBlocks(key, counter + uint64_t(i) / 4, rest);
  for (int64_t k = 0; i + k < n; ++k)
    out[i + k] = rest[k];
}

} // namespace

RandomKernel findRandom() { return randomWords; }

} // namespace tandem::eager::TANDEM_LEVEL
