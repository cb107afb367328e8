//===- Copy.h - Copying memory on all threads -------------------*- C++ -*-===//
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

/// Two ways of writing memory. Which one is faster depends on the size, the
/// machine and the C library.
enum class Stores {
  cached,    ///< memcpy and memset.
  streaming, ///< Non-temporal stores, which bypass the caches.
};

/// Copies `bytes` bytes on as many threads as numThreads() allows. Where the
/// processor has no non-temporal stores, Stores::streaming does the same as
/// Stores::cached.
void copyOnAllThreads(void *target, const void *source, size_t bytes,
                      Stores stores);
/// Sets `bytes` bytes to zero, likewise.
void clearOnAllThreads(void *target, size_t bytes, Stores stores);

} // namespace tandem::measure

#endif // TANDEM_MEASURE_COPY_H
