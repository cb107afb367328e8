//===- SharedOpenMP.h - Work on the program's OpenMP threads ----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_SHAREDOPENMP_H
#define TANDEM_RUNTIME_SHAREDOPENMP_H

#include <cstdint>
#include <string>

namespace tandem {

/// The OpenMP library that a program shares with Tandem (shareOpenMP).
class SharedOpenMP {
public:
  /// Calls body(task) for each task in [0, tasks), each on a thread of its own:
  /// the calling thread and OpenMP workers. `body` must not throw.
  template <typename Body> void run(int64_t tasks, const Body &body) const {
    if (isWithoutWorkers()) {
      for (int64_t task = 0; task < tasks; ++task)
        body(task);
      return;
    }
    struct Work {
      const SharedOpenMP &library;
      int64_t tasks;
      const Body &body;
    } work{*this, tasks, body};
    auto runShare = [](void *data) {
      const Work &work = *static_cast<const Work *>(data);
      // A team may have fewer threads than were asked for.
      for (int64_t task = work.library.getThreadNum(); task < work.tasks;
           task += work.library.getNumThreads())
        work.body(task);
    };
    parallel(runShare, &work, unsigned(tasks), /*flags=*/0);
  }

  /// The number of threads that a region of the calling thread has by default.
  int64_t countThreads() const {
    return isWithoutWorkers() ? 1 : getMaxThreads();
  }

  /// Ends the workers that belong to the calling thread. As long as a process
  /// has more OpenMP threads than processors, libgomp lets idle workers sleep
  /// early, and each region must wake them.
  void endWorkers() const;

  /// Whether `function` is omp_get_max_threads of this library.
  bool isLibraryOf(int (*function)()) const {
    return function == getMaxThreads;
  }

private:
  friend bool shareOpenMP(const std::string &library);

  /// Whether a WithoutWorkers of the calling thread exists.
  static bool isWithoutWorkers();

  void (*parallel)(void (*body)(void *), void *data, unsigned threads,
                   unsigned flags);
  int (*getThreadNum)();
  int (*getNumThreads)();
  int (*getMaxThreads)();
  int (*getInitialDevice)();
  int (*pauseResource)(int kind, int device);
};

/// The library of shareOpenMP; null if there is none. Thread-safe.
const SharedOpenMP *sharedOpenMP();

/// Returns the library of shareOpenMP to the program's first thread, and null
/// to all other threads. OpenMP starts workers for each thread that uses it. If
/// several threads used OpenMP, the process would have more OpenMP threads than
/// processors. libgomp would then let idle workers sleep early, and OpenMP
/// would be slower than oneTBB.
const SharedOpenMP *sharedOpenMPOfThisThread();

/// While an object of this class exists, SharedOpenMP runs the tasks of the
/// thread that created the object on that thread only.
class WithoutWorkers {
public:
  WithoutWorkers();
  ~WithoutWorkers();
  WithoutWorkers(const WithoutWorkers &) = delete;
  WithoutWorkers &operator=(const WithoutWorkers &) = delete;

private:
  bool before;
};

} // namespace tandem

#endif // TANDEM_RUNTIME_SHAREDOPENMP_H
