//===- WorkerPool.h - Threads that share out a kernel -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EXEC_WORKERPOOL_H
#define TANDEM_RUNTIME_EXEC_WORKERPOOL_H

#include <array>
#include <atomic>
#include <cstdint>
#include <pthread.h>
#include <vector>

namespace tandem::exec {

/// Runs kernels of some microseconds on several threads. A worker that has
/// nothing to do looks for work for a while, giving way to whoever wants its
/// processor, and is handed some within half a microsecond; then it sleeps, and
/// is woken only where that pays.
///
/// Each thread begins with a share of its own of the iterations, the same from
/// call to call, so that it finds in its caches what it wrote before; then it
/// takes from the ends of others' shares.
class WorkerPool {
public:
  struct Job {
    void (*body)(void *const *arguments, int64_t begin, int64_t end) = nullptr;
    void *const *arguments = nullptr;
    int64_t extent = 0;
    /// Iterations that are worth handing to another thread: some kGrainNs
    /// (tandem/Runtime/Grain.h) or more.
    int64_t grain = 1;
    /// Of all iterations on one thread, at least.
    double ns = 0;
  };

  /// The one of the process. It lives as long as that, as its threads do.
  static WorkerPool &get();

  /// Calls `job.body` for ranges that make up [0, extent), on the calling
  /// thread and on workers, `threads` in all at most. Returns when all are
  /// done. May be called by several threads at once: while one has the workers,
  /// the others run alone.
  void run(const Job &job, int threads);

private:
  static constexpr int kMaxThreads = 256;
  /// The chunks of a thread that are not taken yet: [low half, high half).
  struct alignas(64) Share {
    std::atomic<uint64_t> chunks{0};
  };

  WorkerPool() = default;
  bool isWorthWaking(int sleeping, int threads, double ns);
  void startWorkers(int count);
  void keepWorkersAway();
  [[noreturn]] void runWorker(int self);
  uint64_t awaitJob(uint64_t last);
  void sleep(uint64_t last);
  void work(int self);
  void runChunks(int64_t begin, int64_t end) const;

  /// Taken by the thread whose kernel the workers run.
  std::atomic_flag isTaken;
  /// The number of the job, whether it may be joined, and how many workers have
  /// joined and not left it (kJob, kOpen).
  alignas(64) std::atomic<uint64_t> state{0};
  /// Of the job: written ahead of `state`.
  Job job;
  int threads = 1;
  std::array<Share, kMaxThreads> shares;
  alignas(64) std::atomic<int> asleep{0};
  std::atomic<uint32_t> wakeUps{0};
  // Guarded by isTaken.
  std::vector<pthread_t> workers;
  /// The processor of the last caller, where no worker may run.
  int avoided = -1;
  double missedNs = 0, lastMissNs = 0;
};

} // namespace tandem::exec

#endif // TANDEM_RUNTIME_EXEC_WORKERPOOL_H
