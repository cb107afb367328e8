//===- Reports.cpp - What the fake finds, and faults on demand ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reports.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <sstream>

using namespace fake;

namespace {

struct Fault {
  Result result;
  int calls; ///< Until it comes, this one included.
};

struct State {
  std::mutex mutex; // guards the rest
  bool isCollecting = false;
  std::string reports, taken;
  std::multimap<std::string, Fault> faults;

  /// "cuMemAlloc_v2=2@3,kernel=700@1": the third allocation fails with 2.
  State() {
    const char *text = std::getenv("FAKE_CUDA_FAULTS");
    std::istringstream list(text ? text : "");
    for (std::string entry; std::getline(list, entry, ',');) {
      const size_t is = entry.find('='), at = entry.find('@');
      faults.insert({entry.substr(0, is),
                     {std::atoi(entry.c_str() + is + 1),
                      at == entry.npos ? 1 : std::atoi(&entry[at + 1])}});
    }
  }
};

State &state() {
  static auto *state = new State;
  return *state;
}

} // namespace

void fake::report(const std::string &message) {
  std::lock_guard lock(state().mutex);
  if (state().isCollecting) {
    state().reports += message + "\n";
    return;
  }
  std::fprintf(stderr, "fake CUDA: %s\n", message.c_str());
  std::abort();
}

Result fake::injected(const char *function) {
  std::lock_guard lock(state().mutex);
  Result result = kSuccess;
  auto [begin, end] = state().faults.equal_range(function);
  while (begin != end) {
    auto fault = begin++;
    if (--fault->second.calls > 0)
      continue;
    result = fault->second.result;
    state().faults.erase(fault);
  }
  return result;
}

void fakeCUDAFail(const char *function, int result, int count) {
  std::lock_guard lock(state().mutex);
  state().faults.insert({function, {result, count}});
}

const char *fakeCUDACollect() {
  std::lock_guard lock(state().mutex);
  state().isCollecting = true;
  state().taken = std::exchange(state().reports, {});
  return state().taken.c_str();
}

namespace fake {
/// Part of fakeCUDAReset.
void forgetFaults() {
  std::lock_guard lock(state().mutex);
  state().faults.clear();
}
} // namespace fake
