//===- SharedOpenMP.cpp - Work on the program's OpenMP threads ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/SharedOpenMP.h"

#include "tandem/Runtime/Executor.h"
#include "tandem/Runtime/Workers.h"

#include <atomic>
#include <dlfcn.h>
#include <unistd.h>

using namespace tandem;

static std::atomic<const SharedOpenMP *> shared{nullptr};
static thread_local bool isAlone = false;

const SharedOpenMP *tandem::sharedOpenMP() {
  if (lacksWorkers())
    return nullptr;
  return shared.load(std::memory_order_acquire);
}

const SharedOpenMP *tandem::sharedOpenMPOfThisThread() {
  const SharedOpenMP *library = sharedOpenMP();
  if (!library)
    return nullptr;
  static thread_local const bool isFirst = gettid() == getpid();
  return isFirst ? library : nullptr;
}

bool SharedOpenMP::isWithoutWorkers() { return isAlone; }

void SharedOpenMP::endWorkers() const {
  constexpr int kSoft = 1; // omp_pause_soft
  pauseResource(kSoft, getInitialDevice());
}

template <typename F>
static bool find(void *library, F &function, const char *name) {
  function = reinterpret_cast<F>(dlsym(library, name));
  return function != nullptr;
}

bool tandem::shareOpenMP(const std::string &library) {
  void *handle = dlopen(library.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (!handle)
    return false;
  // LLVM's library has the functions of libgomp, too, but others of its own.
  const bool isLLVM = dlsym(handle, "__kmpc_fork_call") != nullptr;
  SharedOpenMP found;
  if (isLLVM || !find(handle, found.parallel, "GOMP_parallel") ||
      !find(handle, found.getThreadNum, "omp_get_thread_num") ||
      !find(handle, found.getNumThreads, "omp_get_num_threads") ||
      !find(handle, found.getMaxThreads, "omp_get_max_threads") ||
      !find(handle, found.getInitialDevice, "omp_get_initial_device") ||
      !find(handle, found.pauseResource, "omp_pause_resource")) {
    dlclose(handle);
    return false;
  }
  // Once: the functions of a process do not change.
  static const SharedOpenMP &kept = *new SharedOpenMP(found);
  shared = &kept;
  return true;
}

WithoutWorkers::WithoutWorkers() : before(isAlone) { isAlone = true; }

WithoutWorkers::~WithoutWorkers() { isAlone = before; }
