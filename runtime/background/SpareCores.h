//===- SpareCores.h - The capacity of this process ------------ -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_BACKGROUND_SPARECORES_H
#define TANDEM_RUNTIME_BACKGROUND_SPARECORES_H

#include "background/Capacity.h"

#include <atomic>
#include <mutex>
#include <sched.h>

namespace tandem::tiering {

/// The processors that the process was started with. Background threads may use
/// all of them, also where the thread that makes them is bound to one: as a
/// rule the one that background work should leave alone.
const cpu_set_t &processorsAtStart();

/// The cores that background threads of this process may use and take nothing
/// from anybody. Thread-safe.
class SpareCores {
public:
  static SpareCores &process();

  /// Returns the number of spare cores, as measured lately
  /// (CapacityMonitor::sample). No call waits for another.
  double count();
  /// Counts the calling thread as one that works in the background, until it
  /// ends.
  void addThisThread();
  void removeThisThread();
  /// Counts a helper process of this one in the same way.
  void addProcess(pid_t process);
  void removeProcess(pid_t process);

private:
  SpareCores();

  std::mutex mutex; // Guards `monitor`.
  CapacityMonitor monitor;
  std::atomic<double> latest{0};
};

} // namespace tandem::tiering

#endif // TANDEM_RUNTIME_BACKGROUND_SPARECORES_H
