//===- Capacity.h - Cores that compiling may use --------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_BACKGROUND_CAPACITY_H
#define TANDEM_RUNTIME_BACKGROUND_CAPACITY_H

#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include <sys/types.h>

namespace tandem::tiering {

/// Cores of the machine from the point of view of this process; means over the
/// last window.
struct Capacity {
  /// Processors that background threads may run on.
  double allowedCores = 1;
  /// Quota of the control groups, the least of all levels.
  double quotaCores = std::numeric_limits<double>::infinity();
  /// The number of allowed processors that nobody used.
  double idleCores = 0;
  /// What this process used: its background threads and helper processes, and
  /// all other threads.
  double backgroundCores = 0, foregroundCores = 0;
  /// Foreground threads that could have run and got no core: the run-queue
  /// delay, which quotas and processors of a host that are taken away add to.
  double waitingThreads = 0;

  /// Cores that background threads may use and take nothing from anybody. What
  /// they use already counts as spare, since it goes on or makes room.
  double spareCores() const;
};

/// The bandwidth limits of a process's control groups, versions 1 and 2, at all
/// levels of its path.
class CgroupQuota {
public:
  /// `root` is put before /proc and /sys.
  explicit CgroupQuota(const std::filesystem::path &root = "/");
  /// The least quota in cores; infinite where there is none. Read anew.
  double cores() const;

private:
  void addLevels(const std::filesystem::path &mount,
                 const std::filesystem::path &group);
  std::vector<std::filesystem::path> groups;
};

/// Watches the processors. Not thread-safe; a sample reads some files of /proc
/// for each thread of the process, so that no caller should wait for it.
class CapacityMonitor {
public:
  /// `root` is put before /proc and /sys, for tests. `atStart` are the
  /// processors that the first background thread will have; none stands for
  /// those of whoever samples.
  explicit CapacityMonitor(std::filesystem::path root = "/",
                           std::set<int> atStart = {});

  /// Counts a thread of this process as background work, which gives way.
  void addBackgroundThread(pid_t thread) { background.insert(thread); }
  void removeBackgroundThread(pid_t thread) { background.erase(thread); }
  /// Counts all threads of another process as such.
  void addHelper(pid_t process) { helpers.insert(process); }
  void removeHelper(pid_t process) { helpers.erase(process); }

  /// The capacity at a time of a monotonic clock, in nanoseconds. Measured anew
  /// after at least ten ticks of the kernel's clock, in which its processor
  /// times count, and not so often that measuring takes over a thousandth of a
  /// core; between, the last one. At first, an estimate from what is runnable.
  const Capacity &sample(double nowNs);

private:
  struct CpuTicks {
    double idle = 0, total = 0;
  };
  /// Nanoseconds that a thread has run, and has waited for a core.
  struct ThreadTimes {
    double run = 0, delay = 0;
  };
  struct Snapshot {
    double nowNs = 0;
    std::map<int, CpuTicks> cpus;
    /// The times of the threads of this process, and of those of its helpers.
    std::map<pid_t, ThreadTimes> threads, helpers;
  };

  /// The processors that a thread may use: /proc/<which>/status.
  std::set<int> readAllowed(const std::string &which) const;
  /// Returns the processors of the background threads. A caller may be bound to
  /// fewer processors, which are not those that compiling would use.
  std::set<int> backgroundProcessors() const;
  std::map<int, CpuTicks> readCpus() const;
  /// The threads of a process: /proc/<which>/task.
  std::map<pid_t, ThreadTimes> readThreads(const std::string &which) const;
  Snapshot take(double nowNs) const;
  /// Idle processors from the number of runnable threads, before there is a
  /// window to count in.
  double guessIdle(const Snapshot &snapshot) const;
  void compare(const Snapshot &before, const Snapshot &after);

  const std::filesystem::path root;
  const std::set<int> atStart;
  CgroupQuota quota;
  std::set<pid_t> background, helpers;
  std::optional<Snapshot> last;
  double nextNs = 0;
  Capacity capacity;
};

} // namespace tandem::tiering

#endif // TANDEM_RUNTIME_BACKGROUND_CAPACITY_H
