//===- OneThread.cpp - Small primitives on one thread -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OneThread.h"

#include <dlfcn.h>

using namespace tandem::onednn;

namespace {
/// The functions of the OpenMP library that oneDNN has brought, whichever that
/// is: another one must not be linked beside it.
struct OpenMP {
  int (*getMaxThreads)() = find<int (*)()>("omp_get_max_threads");
  void (*setNumThreads)(int) = find<void (*)(int)>("omp_set_num_threads");

  template <typename F> static F find(const char *name) {
    return reinterpret_cast<F>(dlsym(RTLD_DEFAULT, name));
  }
};
} // namespace

static const OpenMP &openMP() {
  static const OpenMP functions;
  return functions;
}

OneThread::OneThread(bool wanted) {
  const OpenMP &omp = openMP();
  if (!wanted || !omp.getMaxThreads || !omp.setNumThreads)
    return;
  before = omp.getMaxThreads();
  omp.setNumThreads(1);
}

OneThread::~OneThread() {
  if (before != 0)
    openMP().setNumThreads(before);
}
