//===- ContentionTrackedLock.cpp - Locks that measure waiting -------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "background/ContentionTrackedLock.h"

#include "tandem/Runtime/PhaseTimes.h"

#include <atomic>

using namespace tandem;
using namespace tandem::tiering;

static std::atomic<double> longest{0};

double ContentionTrackedLock::longestWaitNs() { return longest; }

void ContentionTrackedLock::waitAndNote() {
  const Stopwatch watch;
  lock();
  const double ns = watch.ns();
  double before = longest;
  while (before < ns && !longest.compare_exchange_weak(before, ns))
    ;
}
