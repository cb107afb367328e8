//===- HelperPool.h - The processes that compile for this one - -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_REMOTE_HELPERPOOL_H
#define TANDEM_LIB_COMPILER_REMOTE_HELPERPOOL_H

#include "process/HelperProcess.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

namespace tandem {

/// A process that compiles for this one, and the graphs that it has.
class CompileHelper {
public:
  /// Starts the program at `path`. Fails where it is of another version, and
  /// where it is stopped meanwhile.
  static Expected<std::unique_ptr<CompileHelper>>
  start(std::string path, const std::stop_token &stop);
  ~CompileHelper();

  const std::string path;
  const std::unique_ptr<HelperProcess> process;
  /// The processor time that its start took, in nanoseconds.
  double startNs = 0;
  /// The numbers of the graphs that it was sent.
  std::set<uint64_t> graphs;

private:
  CompileHelper(std::string path, std::unique_ptr<HelperProcess> process);
};

/// The helpers of this process: as many as compile at a time, each of which
/// ends when it has had nothing to do for some minutes. A child of fork has
/// none at first. Thread-safe.
class HelperPool {
public:
  static HelperPool &process();

  /// A helper that is idle, or a new one. Where a program could not be started
  /// once, it is not tried again. Fails where `stop` comes before it has
  /// started.
  Expected<std::unique_ptr<CompileHelper>>
  take(const std::string &path, const std::stop_token &stop = {});
  void put(std::unique_ptr<CompileHelper> helper);
  /// What the next `take` is expected to cost, in nanoseconds of processor
  /// time: as much as the last start of a helper where none is idle; 0 before
  /// the first.
  double startNs();

  /// A number for a graph, which helpers are told to forget at the end.
  uint64_t addGraph();
  void forgetGraph(uint64_t graph);

  /// Whether this is the first one to tell that a program cannot be used.
  bool isFirstToTell(const std::string &path);

private:
  HelperPool();
  /// Forgets those that have ended. `mutex` must be held.
  void dropEnded();
  static void tidy(CompileHelper &helper, const std::set<uint64_t> &graphs);

  std::mutex mutex; // Guards all that follows.
  std::vector<std::unique_ptr<CompileHelper>> idle;
  double lastStartNs = 0;
  /// Why programs cannot be used.
  std::map<std::string, Error> unusable;
  std::set<std::string> told;
  std::set<uint64_t> graphs;
  uint64_t lastGraph = 0;
};

/// The program that compiles for others: `option` or, where that is empty, what
/// the environment says, or the one that belongs to this library. Fails where
/// there is none.
Expected<std::string> findCompileHelper(const std::string &option);

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_REMOTE_HELPERPOOL_H
