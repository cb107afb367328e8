//===- SpareCores.cpp - The capacity of this process ----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SpareCores.h"

#include <chrono>
#include <unistd.h>

using namespace tandem::tiering;

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
