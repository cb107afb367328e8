//===- ObjectPool.h - Objects between two uses ------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_SUPPORT_OBJECTPOOL_H
#define TANDEM_SUPPORT_OBJECTPOOL_H

#include "tandem/Support/ThreadNumber.h"

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace tandem {

/// Keeps objects that are costly to make, and that one thread at a time uses,
/// from one use to the next. Thread-safe. Taking an object and putting it back
/// cost one atomic exchange each where one thread runs at a time; a lock is
/// taken only where several do.
///
/// With several `kShares`, that many threads each find the object that they put
/// back, as long as they are the only ones, and with it what their cache knows
/// of it: for objects of which there may be one for each thread.
template <typename T, int kShares = 1> class ObjectPool {
public:
  ObjectPool() = default;
  ObjectPool(const ObjectPool &) = delete;
  ObjectPool &operator=(const ObjectPool &) = delete;
  ~ObjectPool() {
    for (Share &share : shares)
      delete share.spare.load();
  }

  /// An object that nobody uses; null when this thread's share has none.
  std::unique_ptr<T> take() {
    if (T *object = ownSpare().exchange(nullptr, std::memory_order_acquire))
      return std::unique_ptr<T>(object);
    std::lock_guard<std::mutex> lock(mutex);
    if (others.empty())
      return nullptr;
    std::unique_ptr<T> object = std::move(others.back());
    others.pop_back();
    return object;
  }

  /// Makes `object`, which is not null, ready for the next use.
  void put(std::unique_ptr<T> object) {
    std::unique_ptr<T> previous(
        ownSpare().exchange(object.release(), std::memory_order_acq_rel));
    if (!previous)
      return;
    std::lock_guard<std::mutex> lock(mutex);
    others.push_back(std::move(previous));
  }

private:
  /// A cache line each, if there are several.
  struct alignas(kShares > 1 ? 64 : alignof(std::atomic<T *>)) Share {
    std::atomic<T *> spare{nullptr};
  };
  std::atomic<T *> &ownSpare() {
    if constexpr (kShares == 1)
      return shares[0].spare;
    return shares[threadNumber() % kShares].spare;
  }

  std::array<Share, kShares> shares;
  /// Guards `others`.
  std::mutex mutex;
  std::vector<std::unique_ptr<T>> others;
};

} // namespace tandem

#endif // TANDEM_SUPPORT_OBJECTPOOL_H
