//===- Peak.cpp - The processor's arithmetic limit ------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Measure/Peak.h"

#include "tandem/Measure/Sampler.h"
#include "tandem/Runtime/Executor.h"
#include "tandem/Runtime/Workers.h"

#include <chrono>
#include <vector>

namespace tandem::measure {
namespace {

/// More chains than latency times issue width of any processor (4 x 2), and
/// few enough for 16 registers.
constexpr int kChains = 12;
/// Some 300 us: all threads are at it at the same time for most of it.
constexpr int kRounds = 80000;

/// Inlined into functions that are compiled for one width each.
template <typename Vector> [[gnu::always_inline]] inline void fmaChains() {
  volatile float seed = 0.5f;
  Vector factor = Vector{} + seed, chains[kChains];
  for (Vector &chain : chains)
    chain = Vector{} + seed; // Equal, which a volatile keeps to itself.
  for (int round = 0; round < kRounds; ++round)
#pragma GCC unroll 32
    for (int i = 0; i < kChains; ++i)
      chains[i] = chains[i] * factor + factor;
  Vector sum = factor;
  for (const Vector &chain : chains)
    sum += chain;
  volatile float result = sum[0];
  (void)result;
}

template <size_t bytes> struct VectorOf {
  typedef float type __attribute__((vector_size(bytes)));
};

/// A loop and the products in one of its vectors.
struct FmaLoop {
  void (*run)();
  int lanes;
};

#if defined(__x86_64__)
__attribute__((target("avx512f"))) void fma512() {
  fmaChains<VectorOf<64>::type>();
}
__attribute__((target("avx2,fma"))) void fma256() {
  fmaChains<VectorOf<32>::type>();
}

/// Written out, for no type of a portable compiler stands for pairs of bf16.
__attribute__((target("avx512bf16,avx512f"))) void pairs512() {
  VectorOf<64>::type factor = {}, chains[kChains] = {};
  for (int round = 0; round < kRounds; ++round)
#pragma GCC unroll 32
    for (int i = 0; i < kChains; ++i)
      asm volatile("vdpbf16ps %1, %1, %0" : "+v"(chains[i]) : "v"(factor));
}
#endif
void fma128() { fmaChains<VectorOf<16>::type>(); }

FmaLoop widestLoop(int64_t vectorBits) {
#if defined(__x86_64__)
  if (vectorBits >= 512 && __builtin_cpu_supports("avx512f"))
    return {fma512, 16};
  if (vectorBits >= 256 && __builtin_cpu_supports("avx2") &&
      __builtin_cpu_supports("fma"))
    return {fma256, 8};
#endif
  return {fma128, 4};
}

FmaLoop widestLoop(DType dtype) {
#if defined(__x86_64__)
  if (dtype == DType::bf16 && __builtin_cpu_supports("avx512bf16"))
    return {pairs512, 32};
#endif
  return widestLoop(int64_t(512));
}

double speedOf(const FmaLoop &loop, double ns) {
  return 2.0 * loop.lanes * kChains * kRounds / ns;
}

} // namespace

double measurePeakFma(DType dtype) {
  const FmaLoop loop = widestLoop(dtype);
  const int threads = numThreads();
  std::vector<double> ns(static_cast<size_t>(threads));
  runTasks(
      threads,
      [&](int64_t thread) {
        auto start = std::chrono::steady_clock::now();
        loop.run();
        ns[thread] = nsSince(start);
      },
      tbb::static_partitioner());
  double speed = 0;
  for (double time : ns)
    speed += speedOf(loop, time);
  return speed;
}

double measurePeakOfCore(int64_t vectorBits, DType dtype) {
  const FmaLoop loop =
      dtype == DType::bf16 ? widestLoop(dtype) : widestLoop(vectorBits);
  auto start = std::chrono::steady_clock::now();
  loop.run();
  return speedOf(loop, nsSince(start));
}

} // namespace tandem::measure
