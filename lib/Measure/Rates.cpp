//===- Rates.cpp - How fast a core computes and reads ---------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Measure/Rates.h"

#include "tandem/Measure/Copy.h"
#include "tandem/Measure/Peak.h"
#include "tandem/Measure/Sampler.h"
#include "tandem/Measure/Statistics.h"
#include "tandem/Runtime/Executor.h"
#include "tandem/Runtime/Workers.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <vector>

namespace tandem::measure {
namespace {

/// So many of the fastest runs are to agree, to this; no more runs are made
/// than it takes, at most so many, or for so long once there are five.
constexpr size_t kAgreeing = 5, kMaxRuns = 400;
constexpr double kAgreement = 0.03, kMaxNs = 50e6;
/// Runs that are further apart say nothing.
constexpr double kLargestSpread = 0.15;
/// A run moves at least so many bytes: some 20 us at the speed of a nearest
/// cache.
constexpr size_t kLeastBytes = 4 << 20;

/// Pairs of runs of which the median is taken.
constexpr size_t kPairs = 9;

typedef float Vector __attribute__((vector_size(64)));

template <Stores stores>
[[gnu::always_inline]] inline void triad(Vector *to, const Vector *a,
                                         const Vector *b, size_t size) {
  const Vector factor = Vector{} + 0.5F;
  for (size_t i = 0; i < size; ++i)
    if constexpr (stores == Stores::streaming)
      __builtin_nontemporal_store(a[i] * factor + b[i], to + i);
    else
      to[i] = a[i] * factor + b[i];
}

using Triad = void (*)(Vector *, const Vector *, const Vector *, size_t);

#if defined(__x86_64__)
template <Stores stores>
__attribute__((target("avx512f"))) void triad512(Vector *to, const Vector *a,
                                                 const Vector *b, size_t size) {
  triad<stores>(to, a, b, size);
}
template <Stores stores>
__attribute__((target("avx2,fma"))) void
triad256(Vector *to, const Vector *a, const Vector *b, size_t size) {
  triad<stores>(to, a, b, size);
}
#endif
template <Stores stores>
void triad128(Vector *to, const Vector *a, const Vector *b, size_t size) {
  triad<stores>(to, a, b, size);
}

/// With the widest vectors: what memory can do does not depend on whose code
/// asks for it.
template <Stores stores> Triad widestTriad() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f"))
    return triad512<stores>;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return triad256<stores>;
#endif
  return triad128<stores>;
}

/// Three arrays of one thread.
class Arrays {
public:
  explicit Arrays(size_t bytes)
      : size(std::max<size_t>(1, bytes / 3 / sizeof(Vector))),
        passes(1 + kLeastBytes / bytes), memory(3 * size + kApart) {
    for (size_t i = 0; i < memory.size(); ++i)
      memory[i] = Vector{} + float(i % 7);
  }

  /// Bytes a nanosecond.
  double run(Stores stores = Stores::cached) {
    const Triad triad = stores == Stores::streaming
                            ? widestTriad<Stores::streaming>()
                            : widestTriad<Stores::cached>();
    Vector *a = memory.data(), *b = a + size + kApart / 2, *to = b + size;
    auto start = std::chrono::steady_clock::now();
    for (size_t pass = 0; pass < passes; ++pass) {
      triad(to, a, b, size);
      std::swap(a, to); // What is read was written before.
    }
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return double(3 * size * sizeof(Vector) * passes) / nsSince(start);
  }

private:
  /// So that rows of two arrays do not compete for a set of a cache.
  static constexpr size_t kApart = 10;
  size_t size, passes;
  std::vector<Vector> memory;
};

} // namespace

bool Best::isSteady() const { return spread <= kLargestSpread; }

Best medianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {quantile(values, 0.5),
          quantile(values, 0.75) / quantile(values, 0.25) - 1};
}

Best findLeast(const std::function<double()> &run) {
  std::vector<double> times;
  auto start = std::chrono::steady_clock::now();
  Best best;
  do {
    times.push_back(run());
    if (times.size() < kAgreeing)
      continue;
    std::partial_sort(times.begin(), times.begin() + kAgreeing, times.end());
    best = {times[0], times[kAgreeing - 1] / times[0] - 1};
    if (best.spread <= kAgreement || nsSince(start) > kMaxNs)
      break;
  } while (times.size() < kMaxRuns);
  return best;
}

Best findLargest(const std::function<double()> &run) {
  Best least = findLeast([&] { return 1 / run(); });
  return {1 / least.value, least.spread};
}

Best measureFlops(int64_t vectorBits, DType dtype) {
  return findLargest([=] { return measurePeakOfCore(vectorBits, dtype); });
}

Best measureFlopsOfAll() {
  return findLargest([] { return measurePeakFma(); });
}

Best measureTriad(size_t bytes) {
  Arrays arrays(bytes);
  return findLargest([&] { return arrays.run(); });
}

namespace {
/// The arrays of all threads, of `bytes` bytes for each thread.
class ArraysOfAll {
public:
  explicit ArraysOfAll(size_t bytes) {
    for (int i = 0; i < numThreads(); ++i)
      arrays.emplace_back(bytes);
    speeds.resize(arrays.size());
  }

  /// Bytes a nanosecond.
  double run(Stores stores = Stores::cached) {
    runTasks(
        std::ssize(arrays),
        [&](int64_t i) { speeds[i] = arrays[i].run(stores); },
        tbb::static_partitioner());
    return std::accumulate(speeds.begin(), speeds.end(), 0.0);
  }

private:
  std::vector<Arrays> arrays;
  std::vector<double> speeds;
};
} // namespace

Best measureTriadOfAll(size_t bytes) {
  ArraysOfAll arrays(bytes);
  return findLargest([&] { return arrays.run(); });
}

Best measureStreaming(size_t bytes) {
  ArraysOfAll arrays(3 * bytes / static_cast<size_t>(numThreads()));
  std::vector<double> gains;
  for (size_t i = 0; i < kPairs; ++i) {
    double cached = arrays.run(Stores::cached);
    gains.push_back(arrays.run(Stores::streaming) / cached);
  }
  return medianOf(std::move(gains));
}

} // namespace tandem::measure
