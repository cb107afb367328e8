//===- DeferredRelease.h - Frees after the GPU's work -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_DEVICE_CUDA_DEFERREDRELEASE_H
#define TANDEM_RUNTIME_DEVICE_CUDA_DEFERREDRELEASE_H

#include "tandem/Runtime/Libraries/CUDA.h"

#include <atomic>
#include <functional>
#include <mutex>
#include <vector>

namespace tandem::cuda {

/// Releases code and memory that are no longer referenced, but that enqueued
/// work may still use, once this work is done. Nothing waits for the work,
/// because waiting for a device fails while another thread captures.
/// Thread-safe. The device's context must be current on the calling thread.
class DeferredRelease {
public:
  explicit DeferredRelease(const Driver &driver) : driver(driver) {}

  /// The streams whose work may use what retires.
  void addStream(StreamHandle stream);
  /// `stream` is idle.
  void removeStream(StreamHandle stream);

  /// Calls `release` once all is done that is enqueued now: before this
  /// returns, or in a later call of this or of collect.
  void add(std::function<void()> release);
  /// Releases what can be. Waits for the rest, too, if `waits`.
  void collect(bool waits);

private:
  struct Item {
    /// The ends of the work.
    std::vector<EventHandle> events;
    std::function<void()> release;
  };

  /// Events behind what the streams have to do.
  std::vector<EventHandle> recordEvents();
  bool isDone(Item &item, bool waits) const;

  const Driver &driver;
  std::mutex mutex; // guards streams and items; held for enqueuing events
  std::vector<StreamHandle> streams;
  std::vector<Item> items;
  /// Whether there are items.
  std::atomic<bool> isAny{false};
};

} // namespace tandem::cuda

#endif // TANDEM_RUNTIME_DEVICE_CUDA_DEFERREDRELEASE_H
