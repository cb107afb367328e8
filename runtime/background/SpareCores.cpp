//===- SpareCores.cpp - The capacity of this process ----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "background/SpareCores.h"

#include <chrono>
#include <unistd.h>

using namespace tandem::tiering;

static const cpu_set_t atStart = [] {
  cpu_set_t processors;
  CPU_ZERO(&processors);
  sched_getaffinity(0, sizeof processors, &processors);
  return processors;
}();

const cpu_set_t &tandem::tiering::processorsAtStart() { return atStart; }

static std::set<int> numbersOf(const cpu_set_t &processors) {
  std::set<int> numbers;
  for (int number = 0; number < CPU_SETSIZE; ++number)
    if (CPU_ISSET(number, &processors))
      numbers.insert(number);
  return numbers;
}

SpareCores::SpareCores() : monitor("/", numbersOf(atStart)) {}

SpareCores &SpareCores::process() {
  // Never destroyed: threads may ask until the process is gone.
  static auto *cores = new SpareCores;
  return *cores;
}

double SpareCores::count() {
  std::unique_lock lock(mutex, std::try_to_lock);
  if (!lock) // Another thread is asking.
    return latest.load(std::memory_order_relaxed);
  const std::chrono::duration<double, std::nano> now =
      std::chrono::steady_clock::now().time_since_epoch();
  const double spare = monitor.sample(now.count()).spareCores();
  latest.store(spare, std::memory_order_relaxed);
  return spare;
}

void SpareCores::addThisThread() {
  std::lock_guard lock(mutex);
  monitor.addBackgroundThread(gettid());
}

void SpareCores::removeThisThread() {
  std::lock_guard lock(mutex);
  monitor.removeBackgroundThread(gettid());
}

void SpareCores::addProcess(pid_t process) {
  std::lock_guard lock(mutex);
  monitor.addHelper(process);
}

void SpareCores::removeProcess(pid_t process) {
  std::lock_guard lock(mutex);
  monitor.removeHelper(process);
}
