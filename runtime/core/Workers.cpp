//===- Workers.cpp - Whether a process has workers ------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/Workers.h"

#include <atomic>
#include <pthread.h>

static std::atomic<bool> isForked{false};

bool tandem::lacksWorkers() {
  [[maybe_unused]] static const int isRegistered =
      pthread_atfork(nullptr, nullptr, [] { isForked = true; });
  return isForked.load(std::memory_order_relaxed);
}
