//===- Staging.h - Copies between a GPU and the host ------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_DEVICE_CUDA_STAGING_H
#define TANDEM_RUNTIME_DEVICE_CUDA_STAGING_H

#include "Context.h"

#include <array>

namespace tandem::cuda {

/// Copies through a few buffers of pinned memory in turn, which a GPU reads and
/// writes by itself while the host fills or empties another. Thread-safe: one
/// copy after the other.
class Staging {
public:
  Staging(Context &context, StreamHandle stream)
      : context(context), stream(stream) {}
  /// The stream is idle.
  ~Staging();

  /// `from` is read before this returns.
  Status toDevice(void *to, const void *from, size_t bytes);
  /// Waits until `to` is written.
  Status toHost(void *to, const void *from, size_t bytes);

private:
  struct Buffer {
    void *pinned = nullptr;
    /// When its last copy is done.
    EventHandle event = nullptr;
    bool isInUse = false;
    /// The host memory that the copy is to go to; null if there is none.
    void *target = nullptr;
    size_t bytes = 0;
  };

  /// The next, no longer in use.
  Expected<Buffer *> take();
  /// Waits for its copy.
  Status settle(Buffer &buffer);
  Status check(Result result, std::string_view what) {
    return context.check(result, "execute", what);
  }
  Status enqueued(Buffer &buffer, Result result);
  /// Into buffers, and from those that are used again to the host.
  Status enqueueToHost(void *to, const void *from, size_t bytes);

  Context &context;
  const StreamHandle stream;
  std::mutex mutex; // guards the rest; held during a copy
  std::array<Buffer, 4> buffers;
  size_t next = 0;
};

} // namespace tandem::cuda

#endif // TANDEM_RUNTIME_DEVICE_CUDA_STAGING_H
