//===- LoadCounts.cpp - How much kernels load -----------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/LoadCounts.h"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>

using namespace fake;

namespace {

struct State {
  std::mutex mutex; // guards counts
  std::map<std::string, LoadCounts> counts;
};

/// Printed when the process ends, so never destroyed.
State &state() {
  static auto *state = [] {
    std::atexit([] {
      for (const auto &[kernel, counts] : ::state().counts)
        std::fprintf(stderr,
                     "%s loads %" PRIu64 " times from global and %" PRIu64
                     " times from shared memory\n",
                     kernel.c_str(), counts.global, counts.shared);
    });
    return new State;
  }();
  return *state;
}

} // namespace

bool fake::countsLoads() {
  static const bool isAsked = [] {
    const char *text = std::getenv("FAKE_CUDA_LOADS");
    return text && *text && *text != '0';
  }();
  return isAsked;
}

void fake::addLoads(const std::string &kernel, const LoadCounts &counts) {
  std::lock_guard lock(state().mutex);
  LoadCounts &all = state().counts[kernel];
  all.global += counts.global;
  all.shared += counts.shared;
}
