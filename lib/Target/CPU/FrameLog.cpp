//===- FrameLog.cpp - The largest frame of a process's kernels ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FrameLog.h"

#include "tandem/Support/Environment.h"

#include <atomic>
#include <cstdlib>
#include <fstream>

namespace tandem {
namespace {

/// One short line at once, so that lines of several processes do not mix.
struct Log {
  explicit Log(const char *path) : path(path) {}
  void write() const { std::ofstream(path, std::ios::app) << largest << '\n'; }
  const char *path;
  std::atomic<int64_t> largest{0};
};

Log *openLog() {
  const char *path = lookUp(Variable::frameLog);
  if (!path)
    return nullptr;
  static Log *log = new Log(path);
  std::atexit([] { log->write(); });
  return log;
}

} // namespace

void logFrame(int64_t bytes) {
  static Log *log = openLog();
  if (!log)
    return;
  int64_t largest = log->largest;
  while (bytes > largest && !log->largest.compare_exchange_weak(largest, bytes))
    ;
}

} // namespace tandem
