//===- ChildProcess.h - Running a command for its output --------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_CHILDPROCESS_H
#define TANDEM_TOOLS_TANDEM_BENCH_CHILDPROCESS_H

#include "tandem/Support/Error.h"

#include <string>
#include <vector>

namespace tandem::bench {

/// Runs `words` (the first being the executable's path), waits, and returns its
/// standard output. An error where it cannot be started, fails, or is killed;
/// its standard error passes through.
Expected<std::string> runChild(const std::vector<std::string> &words);

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_CHILDPROCESS_H
