//===- OneThread.cpp - Small primitives on one thread -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OneThread.h"
#include "OpenMP.h"

#include "tandem/Runtime/Provider.h"
#include "tandem/Runtime/Workers.h"

using namespace tandem;
using namespace tandem::onednn;

OneThread::OneThread(bool wanted) {
  const OpenMP &omp = openMP();
  wanted |= lacksWorkers();
  if (!wanted)
    letIdleWorkersSleep();
  if (!wanted || !omp.getMaxThreads || !omp.setNumThreads)
    return;
  before = omp.getMaxThreads();
  omp.setNumThreads(1);
}

OneThread::~OneThread() {
  if (before != 0)
    openMP().setNumThreads(before);
}
