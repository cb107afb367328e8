//===- Rates.h - How fast a core computes and reads -------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_MEASURE_RATES_H
#define TANDEM_MEASURE_RATES_H

#include "tandem/Support/TensorType.h"

#include <cstddef>
#include <cstdint>
#include <functional>

namespace tandem::measure {

/// The best of several runs, and how far apart the best five are.
struct Best {
  double value = 0;
  /// The time of the fifth over that of the first, less one. What a busy
  /// machine disturbs is not the same five times.
  double spread = 0;

  /// Whether it can be relied on.
  bool isSteady() const;
};

/// The least of what `run` returns, which are times: of as many runs as it
/// takes for the best five to agree, or of those in some 50 ms.
Best findLeast(const std::function<double()> &run);
/// The largest of what `run` returns, which are rates.
Best findLargest(const std::function<double()> &run);

/// f32 operations a nanosecond of the calling thread, in vectors of so many
/// bits: a fused multiply-add counts two, one of pairs of bf16 four.
Best measureFlops(int64_t vectorBits, DType dtype = DType::f32);
/// Of all threads together, in the widest vectors there are.
Best measureFlopsOfAll();

/// Bytes a nanosecond, read and written, of c = a * s + b (McCalpin's STREAM
/// triad) on arrays that together have so many bytes: of the calling thread,
/// and of all threads together, on so many bytes each.
Best measureTriad(size_t bytes);
Best measureTriadOfAll(size_t bytes);

/// How many times as fast all threads compute triads whose results are stored
/// past the caches, where each reads what the one before wrote: results have so
/// many bytes, of all threads together. The median of runs in turn; the spread
/// is the distance of their quartiles. No more than 1 where the processor has
/// no such stores.
Best measureStreaming(size_t bytes);

} // namespace tandem::measure

#endif // TANDEM_MEASURE_RATES_H
