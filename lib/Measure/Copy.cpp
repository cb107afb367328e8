//===- Copy.cpp - How fast memory is --------------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Measure/Copy.h"

#include "tandem/Runtime/Executor.h"
#include "tandem/Runtime/Workers.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace tandem::measure {
namespace {

constexpr size_t kLine = 64;

#if defined(__SSE2__)
/// Two pages are copied at a time, line by line in turn, as large copies of
/// glibc's are (sysdeps/x86_64/multiarch/memmove-vec-unaligned-erms.S): two
/// streams of reads keep memory busier than one.
constexpr size_t kPage = 4096;

/// Bytes before the first whole line of `target`.
size_t headOf(const char *target, size_t bytes) {
  return std::min<size_t>(bytes, -reinterpret_cast<uintptr_t>(target) % kLine);
}

void streamLine(char *target, const char *source) {
  for (size_t at = 0; at < kLine; at += sizeof(__m128i))
    _mm_stream_si128(
        reinterpret_cast<__m128i *>(target + at),
        _mm_loadu_si128(reinterpret_cast<const __m128i *>(source + at)));
}

void streamCopy(char *target, const char *source, size_t bytes) {
  size_t done = headOf(target, bytes);
  std::memcpy(target, source, done);
  for (; bytes - done >= 2 * kPage; done += 2 * kPage)
    for (size_t line = done; line < done + kPage; line += kLine)
      for (size_t at : {line, line + kPage}) {
        _mm_prefetch(source + at + 2 * kPage, _MM_HINT_T0);
        streamLine(target + at, source + at);
      }
  _mm_sfence();
  std::memcpy(target + done, source + done, bytes - done);
}

void streamZeros(char *target, size_t bytes) {
  constexpr char zeros[kLine] = {};
  size_t done = headOf(target, bytes);
  std::memset(target, 0, done);
  for (; bytes - done >= kLine; done += kLine)
    streamLine(target + done, zeros);
  _mm_sfence();
  std::memset(target + done, 0, bytes - done);
}
#else
void streamCopy(char *target, const char *source, size_t bytes) {
  std::memcpy(target, source, bytes);
}

void streamZeros(char *target, size_t bytes) { std::memset(target, 0, bytes); }
#endif

/// Calls body(begin, size) on equal shares of `bytes`, one per thread.
template <typename Body> void shareOut(size_t bytes, Body body) {
  auto threads = static_cast<size_t>(numThreads());
  size_t share = (bytes / threads + kLine) & ~(kLine - 1);
  runTasks(
      int64_t(threads),
      [&](int64_t i) {
        size_t begin = std::min(bytes, size_t(i) * share);
        if (begin < bytes)
          body(begin, std::min(bytes, begin + share) - begin);
      },
      tbb::static_partitioner());
}

} // namespace

void copyOnAllThreads(void *target, const void *source, size_t bytes,
                      Stores stores) {
  auto *to = static_cast<char *>(target);
  const auto *from = static_cast<const char *>(source);
  shareOut(bytes, [&](size_t begin, size_t size) {
    if (stores == Stores::streaming)
      streamCopy(to + begin, from + begin, size);
    else
      std::memcpy(to + begin, from + begin, size);
  });
}

void clearOnAllThreads(void *target, size_t bytes, Stores stores) {
  auto *to = static_cast<char *>(target);
  shareOut(bytes, [&](size_t begin, size_t size) {
    if (stores == Stores::streaming)
      streamZeros(to + begin, size);
    else
      std::memset(to + begin, 0, size);
  });
}

} // namespace tandem::measure
