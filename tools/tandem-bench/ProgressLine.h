//===- ProgressLine.h - A line that shows the progress ----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_PROGRESSLINE_H
#define TANDEM_TOOLS_TANDEM_BENCH_PROGRESSLINE_H

#include <cstdio>
#include <string>
#include <unistd.h>

namespace tandem::bench {

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

private:
  bool isTerminal = isatty(STDERR_FILENO);
};

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_PROGRESSLINE_H
