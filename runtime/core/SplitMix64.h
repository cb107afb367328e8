//===- SplitMix64.h - Reproducible random bits ------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_CORE_SPLITMIX64_H
#define TANDEM_RUNTIME_CORE_SPLITMIX64_H

#include <cstdint>

namespace tandem {

/// A reproducible stream of random bits (G. Steele, D. Lea, C. Flood: Fast
/// splittable pseudorandom number generators, OOPSLA 2014).
class SplitMix64 {
public:
  explicit SplitMix64(uint64_t seed) : state(seed) {}
  /// Returns the next 64 bits.
  uint64_t next() {
    uint64_t bits = state += 0x9e3779b97f4a7c15;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
    return bits ^ (bits >> 31);
  }

private:
  uint64_t state;
};

} // namespace tandem

#endif // TANDEM_RUNTIME_CORE_SPLITMIX64_H
