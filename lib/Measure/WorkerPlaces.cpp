//===- WorkerPlaces.cpp - Where threads that are measured run -------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Measure/WorkerPlaces.h"

#include <cstdlib>
#include <filesystem>
#include <sched.h>
#include <system_error>
#include <unistd.h>

void tandem::measure::keepWorkersAway() {
  // The processors of the process, asked for before any of its threads has a
  // place.
  static const cpu_set_t all = [] {
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof(set), &set);
    return set;
  }();
  const int own = sched_getcpu();
  if (own < 0 || CPU_COUNT(&all) < 2)
    return;
  cpu_set_t others = all;
  CPU_CLR(own, &others);
  std::error_code ignored;
  for (const auto &entry :
       std::filesystem::directory_iterator("/proc/self/task", ignored)) {
    pid_t thread = std::atoi(entry.path().filename().c_str());
    if (thread != gettid())
      sched_setaffinity(thread, sizeof(others), &others);
  }
}
