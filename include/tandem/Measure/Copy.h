//===- Copy.h - How fast memory is ------------------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_MEASURE_COPY_H
#define TANDEM_MEASURE_COPY_H

#include <cstddef>

namespace tandem::measure {

/// Two ways to write, of which either may be the faster one: it depends on the
/// size, the machine and the C library.
enum class Stores {
  cached,    ///< memcpy and memset.
  streaming, ///< Past the caches, which then need not read what is overwritten.
};

/// Copies `bytes`, shared out over the threads that numThreads() allows.
/// Streaming is as cached where the processor has no such stores.
void copyOnAllThreads(void *target, const void *source, size_t bytes,
                      Stores stores);
/// Sets `bytes` to zero, likewise.
void clearOnAllThreads(void *target, size_t bytes, Stores stores);

} // namespace tandem::measure

#endif // TANDEM_MEASURE_COPY_H
