//===- HelperProcess.h - A process that works for this one ---- -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_PROCESS_HELPERPROCESS_H
#define TANDEM_RUNTIME_PROCESS_HELPERPROCESS_H

#include "Channel.h"

#include <memory>
#include <mutex>
#include <string>
#include <sys/types.h>

namespace tandem {

/// A process that this one has started, and talks to over a channel. It is a
/// group of its own, so that it gets no signals of the terminal; it has no file
/// of this process open; its standard input and output are empty, and what it
/// writes to its standard error is told where it ends by itself. It ends with
/// the thread that has started it (beginHelper).
class HelperProcess {
public:
  /// Starts the program at `path`.
  static Expected<std::unique_ptr<HelperProcess>>
  start(const std::string &path);
  /// Kills it, if it has not ended.
  ~HelperProcess();
  HelperProcess(const HelperProcess &) = delete;
  HelperProcess &operator=(const HelperProcess &) = delete;

  Channel &channel() { return connection; }
  pid_t pid() const { return process; }
  /// May be called by any thread.
  void kill();
  /// In a child of fork: leaves it to the parent.
  void disown();

  /// How it ended.
  struct End {
    /// Whether that is a fault of the program: a signal such as SIGSEGV, or a
    /// failure that it noticed, and not a signal that somebody sent.
    bool isCrash = false;

    /// "was killed by signal 11 (Segmentation fault)", and the last line that
    /// it wrote.
    std::string text;
  };
  /// Waits for it for some seconds where it has closed its end of the channel,
  /// and kills it otherwise.
  End end();

private:
  HelperProcess(Channel connection, Descriptor errors, pid_t process)
      : connection(std::move(connection)), errors(std::move(errors)),
        process(process) {}
  std::string lastLine() const;

  Channel connection;
  Descriptor errors;
  const pid_t process;
  std::mutex mutex;    // Guards `isThere`.
  bool isThere = true; ///< Until it was waited for; then the number is free.
};

/// What a helper calls first: it ends when its parent does, which must have the
/// number `parent`. Fails where that is gone already.
Status beginHelper(pid_t parent);
/// The descriptor of a helper's end of the channel.
inline constexpr int kHelperSocket = 3;

} // namespace tandem

#endif // TANDEM_RUNTIME_PROCESS_HELPERPROCESS_H
