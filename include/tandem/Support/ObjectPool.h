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

/// A pool of objects that are expensive to create and that only one thread at a
/// time may use. The pool keeps the objects between uses. Thread-safe. If one
/// thread uses the pool at a time, taking an object and putting it back cost
/// one atomic exchange each. The pool only locks its mutex if several threads
/// use it at the same time.
///
/// With kShares > 1, the pool holds one spare object for each of up to kShares
/// threads. Each of these threads takes the same object that it put back, which
/// is likely to be still in the cache of the thread's core. Use kShares > 1 if
/// one object per thread is acceptable.
template <typename T, int kShares = 1> class ObjectPool {
public:
  ObjectPool() = default;
  ObjectPool(const ObjectPool &) = delete;
  ObjectPool &operator=(const ObjectPool &) = delete;
  ~ObjectPool() {
    for (Share &share : shares)
      delete share.spare.load();
  }

  /// Returns an unused object and transfers its ownership to the caller.
  /// Returns null if neither the spare object of this thread's share nor the
  /// common list has one. Then the caller must create an object.
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

  /// Puts `object`, which must not be null, into the pool for the next use.
  void put(std::unique_ptr<T> object) {
    std::unique_ptr<T> previous(
        ownSpare().exchange(object.release(), std::memory_order_acq_rel));
    if (!previous)
      return;
    std::lock_guard<std::mutex> lock(mutex);
    others.push_back(std::move(previous));
  }

private:
  /// A spare object. If there are several shares, each has its own cache line.
  struct alignas(kShares > 1 ? 64 : alignof(std::atomic<T *>)) Share {
    std::atomic<T *> spare{nullptr};
  };
  std::atomic<T *> &ownSpare() {
    if constexpr (kShares == 1)
      return shares[0].spare;
    return shares[threadNumber() % kShares].spare;
  }

  std::array<Share, kShares> shares;
  /// Protects `others`.
  std::mutex mutex;
  std::vector<std::unique_ptr<T>> others;
};

} // namespace tandem

#endif // TANDEM_SUPPORT_OBJECTPOOL_H
