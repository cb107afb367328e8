//===- Rates.h - Measuring arithmetic and bandwidth -------------*- C++ -*-===//
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
#include <vector>

namespace tandem::measure {

/// The best of several runs, and the spread of the best five.
struct Best {
  double value = 0;
  /// The ratio of the fifth best time to the best one, less one. It is large on
  /// a busy machine, where no five runs are disturbed equally.
  double spread = 0;

  /// Whether the spread is small enough for the value to be relied on.
  bool isSteady() const;
};

/// Returns the median of `values`, of which there must be at least one. The
/// spread is the distance between the quartiles, relative to the lower
/// quartile.
Best medianOf(std::vector<double> values);

/// Calls `run`, which returns a time, until the best five times agree or about
/// 50 ms have passed, and returns the least.
Best findLeast(const std::function<double()> &run);
/// The same for a `run` that returns a rate; returns the largest.
Best findLargest(const std::function<double()> &run);

/// Operations per nanosecond of the calling thread, with vectors of
/// `vectorBits` bits. A fused multiply-add counts as two operations, and a
/// multiply-add of pairs of bf16 as four.
Best measureFlops(int64_t vectorBits, DType dtype = DType::f32);
/// f32 operations per nanosecond of all threads together, with the widest
/// vectors that the processor has.
Best measureFlopsOfAll();

/// Bytes per nanosecond that c = a * s + b (McCalpin's STREAM triad) reads and
/// writes. measureTriad runs on the calling thread, with three arrays of
/// `bytes` bytes in total. measureTriadOfAll runs on all threads at once, with
/// `bytes` bytes per thread, and adds up their rates.
Best measureTriad(size_t bytes);
Best measureTriadOfAll(size_t bytes);

/// The speed of a chain of triads on all threads with non-temporal stores,
/// relative to ordinary stores; each triad reads what the previous one wrote.
/// `bytes` is the size of a result of all threads together. The value is the
/// median of runs that alternate between the two, the spread the distance of
/// their quartiles. At most 1 where the processor has no non-temporal stores.
Best measureStreaming(size_t bytes);

} // namespace tandem::measure

#endif // TANDEM_MEASURE_RATES_H
