//===- ProgressLine.h - A line that shows the progress ----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_COMMON_PROGRESSLINE_H
#define TANDEM_TOOLS_COMMON_PROGRESSLINE_H

#include <chrono>
#include <cstdio>
#include <mutex>
#include <string>
#include <unistd.h>

namespace tandem::tools {

/// A line on standard error that shows the progress and is rewritten in place.
/// Does nothing unless standard error is a terminal.
class ProgressLine {
public:
  ~ProgressLine() { clear(); }
  void show(const std::string &text) {
    if (isTerminal)
      std::fprintf(stderr, "\r\033[K%s", text.c_str());
  }
  void clear() {
    if (isTerminal)
      std::fprintf(stderr, "\r\033[K");
  }

  /// The same, from any thread, once the line is a second old: what takes less
  /// needs no line.
  void showLate(const std::string &text) {
    if (!isTerminal ||
        std::chrono::steady_clock::now() - begin < std::chrono::seconds(1))
      return;
    std::lock_guard<std::mutex> lock(mutex);
    show(text);
  }

private:
  const std::chrono::steady_clock::time_point begin =
      std::chrono::steady_clock::now();
  std::mutex mutex; // held while writing late
  bool isTerminal = isatty(STDERR_FILENO);
};

} // namespace tandem::tools

#endif // TANDEM_TOOLS_COMMON_PROGRESSLINE_H
