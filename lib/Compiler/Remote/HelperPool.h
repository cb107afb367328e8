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

/// A helper process that compiles for this process, and the graphs that the
/// helper holds.
class CompileHelper {
public:
  /// Starts the program at `path`. Fails if the program has another version, or
  /// if `stop` is requested before it has started.
  static Expected<std::unique_ptr<CompileHelper>>
  start(std::string path, const std::stop_token &stop);
  ~CompileHelper();

  const std::string path;
  const std::unique_ptr<HelperProcess> process;
  /// The processor time that the start of the helper took, in nanoseconds.
  double startNs = 0;
  /// The numbers of the graphs that were sent to the helper.
  std::set<uint64_t> graphs;

private:
  CompileHelper(std::string path, std::unique_ptr<HelperProcess> process);
};

/// The helpers of this process. There are as many helpers as compile at the
/// same time. A helper ends after it has been idle for some minutes. After a
/// fork, the child process has no helpers at first. Thread-safe.
class HelperPool {
public:
  static HelperPool &process();

  /// Returns an idle helper, or starts one. A program that could not be started
  /// is not tried again. Fails if `stop` is requested before the helper has
  /// started.
  Expected<std::unique_ptr<CompileHelper>>
  take(const std::string &path, const std::stop_token &stop = {});
  void put(std::unique_ptr<CompileHelper> helper);
  /// The expected cost of the next `take`, in nanoseconds of processor time: 0
  /// if a helper is idle, otherwise the cost of the last start; 0 before the
  /// first start.
  double startNs();

  /// A number for a graph, which helpers are told to forget at the end.
  uint64_t addGraph();
  void forgetGraph(uint64_t graph);

  /// Returns true for the first call with this path, so that an unusable
  /// program is reported once.
  bool isFirstToTell(const std::string &path);

private:
  HelperPool();
  /// Forgets idle helpers that have ended. `mutex` must be held.
  void dropEnded();
  static void tidy(CompileHelper &helper, const std::set<uint64_t> &graphs);

  std::mutex mutex; // Guards all that follows.
  std::vector<std::unique_ptr<CompileHelper>> idle;
  double lastStartNs = 0;
  /// The reasons why programs cannot be used, by path.
  std::map<std::string, Error> unusable;
  std::set<std::string> told;
  std::set<uint64_t> graphs;
  uint64_t lastGraph = 0;
};

/// The path of the helper program: `option`; if that is empty, the path that
/// the environment gives; otherwise, the program that belongs to this library.
/// Fails if there is none.
Expected<std::string> findCompileHelper(const std::string &option);

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_REMOTE_HELPERPOOL_H
