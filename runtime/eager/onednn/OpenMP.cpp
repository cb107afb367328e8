//===- OpenMP.cpp - The OpenMP library that oneDNN brings -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpenMP.h"

#include <dlfcn.h>

using namespace tandem::onednn;

template <typename F> static void find(F &function, const char *name) {
  function = reinterpret_cast<F>(dlsym(RTLD_DEFAULT, name));
}

static OpenMP findAll() {
  OpenMP functions;
  find(functions.getMaxThreads, "omp_get_max_threads");
  find(functions.setNumThreads, "omp_set_num_threads");
  find(functions.getNumProcs, "omp_get_num_procs");
  find(functions.parallel, "GOMP_parallel");
  return functions;
}

const OpenMP &tandem::onednn::openMP() {
  static const OpenMP functions = findAll();
  return functions;
}
