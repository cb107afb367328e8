//===- Environment.h - The machine and build of a measurement ---*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_COMMON_ENVIRONMENT_H
#define TANDEM_TOOLS_COMMON_ENVIRONMENT_H

#include "tandem/Support/Error.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::tools {

/// Where a figure was measured: what every result file says besides the figure.
struct Environment {
  std::string cpu, os;
  /// Of the calling thread's core; empty where there is one kind alone
  /// (tandem/Measure/CoreKind.h).
  std::string coreKind;
  int cores = 0; ///< Logical processors this process may use.
  int threads = 0;
  int64_t memoryBytes = 0;
  int64_t cacheBytes = 0; ///< Last level.
  /// Name and version: tandem, llvm, onednn, onetbb, compiler.
  std::vector<std::pair<std::string, std::string>> versions;
  std::string command;
  std::string time; ///< UTC, ISO 8601.
};

/// Call after setNumThreads.
Environment describeEnvironment(int argc, const char *const *argv);

/// The kinds of core that the calling thread was on when the environment was
/// described and is on now: one, two ("cpu_core, cpu_atom"), or none.
std::string coreKinds(const Environment &environment);

/// "PROCESSOR, 2 threads", and on which kinds of core: a line above figures.
std::string headingOf(const Environment &environment);

/// Path of this executable; empty where the system does not tell.
std::string executablePath();
/// A file installed beside the binaries, as `bin/../share/tandem/<name>`.
std::string sharePath(std::string_view name);

/// Text for `path`, atomically; "-" is standard output.
Status writeText(const std::string &path, std::string_view text);

/// Prints `error: …` to standard error; returns exit code 1.
int report(const Error &error);

} // namespace tandem::tools

#endif // TANDEM_TOOLS_COMMON_ENVIRONMENT_H
