//===- WorkerPool.cpp - Threads that share out a kernel -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkerPool.h"

#include <algorithm>
#include <chrono>
#include <sched.h>
#include <thread>

namespace tandem::exec {

/// In `state`.
static constexpr uint64_t kOpen = 1 << 16, kJob = 1 << 17;
static constexpr uint64_t kJoined = kOpen - 1;
/// To wake a sleeping thread: what the caller loses to it, and what the thread
/// takes to arrive. Measured on a virtual machine, where it is most.
static constexpr double kWakeNs = 18000;
/// How long a worker looks for work before it sleeps.
static constexpr double kAwakeNs = 500000;
/// Looks between two system calls that give way to other threads.
static constexpr int kLooksAtOnce = 32;

static double nowNs() {
  using namespace std::chrono;
  return static_cast<double>(
      duration_cast<nanoseconds>(steady_clock::now().time_since_epoch())
          .count());
}

static void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::atomic_signal_fence(std::memory_order_seq_cst);
#endif
}

static uint64_t packChunks(uint64_t begin, uint64_t end) {
  return end << 32 | begin;
}

WorkerPool &WorkerPool::get() {
  static auto *pool = new WorkerPool;
  return *pool;
}

//===----------------------------------------------------------------------===//
// The caller
//===----------------------------------------------------------------------===//

void WorkerPool::run(const Job &wanted, int threads) {
  // Chunks are counted in 32 bits.
  int64_t grain = std::max(wanted.grain, (wanted.extent >> 30) + 1);
  int64_t chunks = (wanted.extent + grain - 1) / grain;
  threads = static_cast<int>(
      std::min<int64_t>({threads, chunks, int64_t(kMaxThreads)}));
  if (threads <= 1 || isTaken.test_and_set(std::memory_order_acquire))
    return wanted.body(wanted.arguments, 0, wanted.extent);
  startWorkers(threads - 1);
  int sleeping = std::min(asleep.load(), threads - 1);
  bool wakes = sleeping > 0 && isWorthWaking(sleeping, threads, wanted.ns);
  if (!wakes && sleeping == threads - 1) {
    isTaken.clear(std::memory_order_release);
    return wanted.body(wanted.arguments, 0, wanted.extent);
  }
  keepWorkersAway();
  job = wanted;
  job.grain = grain;
  this->threads = threads;
  for (int64_t i = 0; i < threads; ++i)
    shares[i].chunks.store(
        packChunks(chunks * i / threads, chunks * (i + 1) / threads),
        std::memory_order_relaxed);
  state.store((state.load() / kJob + 1) * kJob + kOpen);
  if (wakes) {
    ++wakeUps;
    wakeUps.notify_all();
  }
  work(0);
  state.fetch_and(~kOpen);
  for (int looks = 1; (state.load(std::memory_order_acquire) & kJoined) != 0;
       ++looks)
    looks % 1024 == 0 ? void(sched_yield()) : relax();
  isTaken.clear(std::memory_order_release);
}

/// Whether the calls of late would have gained more from sleeping threads than
/// it costs to wake them.
bool WorkerPool::isWorthWaking(int sleeping, int threads, double ns) {
  double now = nowNs();
  if (now - lastMissNs > kAwakeNs)
    missedNs = 0;
  lastMissNs = now;
  missedNs += ns / (threads - sleeping) - ns / threads;
  if (missedNs < kWakeNs)
    return false;
  missedNs = 0;
  return true;
}

void WorkerPool::startWorkers(int count) {
  if (static_cast<int>(workers.size()) < count)
    avoided = -1;
  while (static_cast<int>(workers.size()) < count) {
    std::thread worker([this, self = static_cast<int>(workers.size()) + 1] {
      runWorker(self);
    });
    workers.push_back(worker.native_handle());
    worker.detach();
  }
}

/// A kernel of Linux that is a guest takes a processor at rest for one that the
/// host has taken away, and starts a thread that is woken on the processor of
/// the one that woke it, where it waits until that has done all of the work. So
/// workers may run on any processor but the caller's.
void WorkerPool::keepWorkersAway() {
#if defined(__linux__)
  int here = sched_getcpu();
  if (here == avoided || here < 0)
    return;
  avoided = here;
  cpu_set_t allowed;
  if (pthread_getaffinity_np(pthread_self(), sizeof(allowed), &allowed) != 0)
    return;
  CPU_CLR(here, &allowed);
  if (CPU_COUNT(&allowed) > 0)
    for (pthread_t worker : workers)
      pthread_setaffinity_np(worker, sizeof(allowed), &allowed);
#endif
}

//===----------------------------------------------------------------------===//
// A worker
//===----------------------------------------------------------------------===//

void WorkerPool::runWorker(int self) {
  for (uint64_t last = 0;;) {
    uint64_t seen = awaitJob(last);
    last = seen / kJob;
    // Fails where another has joined or left; then the job may be over.
    while ((seen & kOpen) != 0 && seen / kJob == last)
      if (state.compare_exchange_weak(seen, seen + 1,
                                      std::memory_order_acquire)) {
        if (self < threads)
          work(self);
        state.fetch_sub(1, std::memory_order_release);
        break;
      }
  }
}

static bool hasJob(uint64_t state, uint64_t last) {
  return (state & kOpen) != 0 && state / kJob != last;
}

/// The state with a job after `last`.
uint64_t WorkerPool::awaitJob(uint64_t last) {
  double begin = nowNs();
  for (int looks = 1;; ++looks) {
    uint64_t now = state.load(std::memory_order_acquire);
    if (hasJob(now, last))
      return now;
    relax();
    if (looks % kLooksAtOnce != 0)
      continue;
    sched_yield();
    if (nowNs() - begin > kAwakeNs) {
      sleep(last);
      begin = nowNs();
    }
  }
}

void WorkerPool::sleep(uint64_t last) {
  uint32_t before = wakeUps.load();
  ++asleep;
  if (!hasJob(state.load(), last))
    wakeUps.wait(before);
  --asleep;
}

//===----------------------------------------------------------------------===//
// Both
//===----------------------------------------------------------------------===//

void WorkerPool::runChunks(int64_t begin, int64_t end) const {
  job.body(job.arguments, begin * job.grain,
           std::min(end * job.grain, job.extent));
}

/// Takes from the front of its own share, more at first, then from the ends of
/// others'.
void WorkerPool::work(int self) {
  for (int i = 0; i < threads; ++i) {
    std::atomic<uint64_t> &share = shares[(self + i) % threads].chunks;
    uint64_t seen = share.load(std::memory_order_relaxed);
    for (;;) {
      uint64_t begin = seen & UINT32_MAX, end = seen >> 32;
      if (begin >= end)
        break;
      uint64_t count = (end - begin + 7) / 8;
      uint64_t left = i == 0 ? packChunks(begin + count, end)
                             : packChunks(begin, end - count);
      if (!share.compare_exchange_weak(seen, left, std::memory_order_relaxed))
        continue;
      seen = left;
      if (i == 0)
        runChunks(begin, begin + count);
      else
        runChunks(end - count, end);
    }
  }
}

} // namespace tandem::exec
