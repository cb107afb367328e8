//===- ChildProcess.h - Running a command for its output --------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_COMMON_CHILDPROCESS_H
#define TANDEM_TOOLS_COMMON_CHILDPROCESS_H

#include "tandem/Support/Error.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::tools {

/// Runs a command, waits for it, and returns its standard output. The first of
/// `words` is the executable, looked for in $PATH where it is not a path. Fails
/// where the command cannot be started, returns a non-zero exit code, or is
/// killed. Its standard error is passed through.
Expected<std::string> runChild(const std::vector<std::string> &words);

/// A child process that is spoken to, line by line.
class Dialogue {
public:
  /// Starts a command. `words` as for runChild.
  static Expected<std::unique_ptr<Dialogue>>
  start(const std::vector<std::string> &words);
  /// Kills it, if it has not ended.
  ~Dialogue();
  Dialogue(const Dialogue &) = delete;
  Dialogue &operator=(const Dialogue &) = delete;

  /// Writes a line to its standard input.
  void say(std::string_view line);
  /// The next line of its standard output, without the end. Fails where it ends
  /// before that.
  Expected<std::string> hear();

private:
  Dialogue(int child, int socket) : child(child), socket(socket) {}
  const int child, socket;
};

/// A child process that runs, with breaks, as long as this object lives.
class Companion {
public:
  /// Starts a command. `words` as for runChild.
  static Expected<std::unique_ptr<Companion>>
  start(const std::vector<std::string> &words);
  /// Kills it.
  ~Companion();
  Companion(const Companion &) = delete;
  Companion &operator=(const Companion &) = delete;

  void pause();
  void resume();

private:
  explicit Companion(int child) : child(child) {}
  const int child;
};

} // namespace tandem::tools

#endif // TANDEM_TOOLS_COMMON_CHILDPROCESS_H
