//===- RunEnvironment.h - Machine and build of a measurement ----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_COMMON_RUNENVIRONMENT_H
#define TANDEM_TOOLS_COMMON_RUNENVIRONMENT_H

#include "tandem/Support/Error.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::tools {

/// The machine and the build with which something was measured. Every result
/// file contains it.
struct RunEnvironment {
  std::string cpu, os;
  /// The kind of the calling thread's core; empty where all cores are of one
  /// kind (tandem/Measure/CoreKind.h).
  std::string coreKind;
  int cores = 0; ///< Logical processors this process may use.
  int threads = 0;
  int64_t memoryBytes = 0;
  int64_t cacheBytes = 0; ///< Size of the last-level cache.
  std::string gpuModel;   ///< Empty where no GPU is measured.
  /// Names and versions: tandem, llvm, onednn, onetbb, compiler.
  std::vector<std::pair<std::string, std::string>> versions;
  std::string command;
  std::string time; ///< UTC, ISO 8601.
};

/// Describes the present environment. To be called after setNumThreads.
RunEnvironment describeRunEnvironment(int argc, const char *const *argv);

/// Returns the versions of Tandem and of the libraries that it uses, one line
/// each: "tandem 0.2.0".
std::string versionText();

/// The kinds of cores that the calling thread was on when the environment was
/// described and is on now: one, two ("cpu_core, cpu_atom"), or none where all
/// cores are of one kind.
std::string coreKinds(const RunEnvironment &environment);

/// A heading for a table of measurements: "PROCESSOR, 2 threads", and the kinds
/// of cores.
std::string headingOf(const RunEnvironment &environment);

/// The path of this executable; empty where the system does not say.
std::string executablePath();
/// The path of an installed file: `bin/../share/tandem/<name>`.
std::string sharePath(std::string_view name);

/// Writes `text` to the file `path`, atomically; "-" stands for standard
/// output.
Status writeText(const std::string &path, std::string_view text);

/// Prints `error: …` to standard error and returns the exit code 1.
int report(const Error &error);
/// The exit code of a tool that has done all: 0, or 1 where something has not
/// passed. An error is reported, also where standard output took not all that
/// was printed.
int finish(const Expected<bool> &passed);

} // namespace tandem::tools

#endif // TANDEM_TOOLS_COMMON_RUNENVIRONMENT_H
