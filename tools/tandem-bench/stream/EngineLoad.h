//===- EngineLoad.h - The engine under load ------------------- -*- C++ -*-===//
//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_STREAM_ENGINELOAD_H
#define TANDEM_TOOLS_TANDEM_BENCH_STREAM_ENGINELOAD_H

#include "common/RunEnvironment.h"

#include "tandem/Runtime/Compiler.h"
#include "tandem/Support/Error.h"

#include <string>

namespace tandem::bench {

/// Options of `tandem-bench engine`.
struct EngineLoadOptions {
  /// A graph for many threads, whose first named dim is varied, and one for
  /// first results, of which two are.
  std::string threadsGraph, resultsGraph;
  /// Threads, calls of each of them, and signatures that they call in turn.
  int threads = 8, signatures = 64;
  int64_t calls = 1000000;
  /// Shapes whose first results are timed, for each of both sides.
  int shapes = 1000;
  /// Rounds in which two threads are compared with two processes.
  int rounds = 100;
  /// The place where the engine compiles.
  CompileIn compileIn = CompileIn::process;
  std::string json;
  tools::RunEnvironment environment;
};

/// Measures, and prints with its limit:
///  - `threads` threads that call `signatures` signatures of one function:
///    calls that are missing in the report, and outputs that neither tier
///    computes;
///  - the calls per second of two threads beside those of two processes, and of
///    both beside those of one;
///  - the time to the first result of shapes that were never seen, while the
///    function compiles others in the background, beside eager alone with an
///    unrelated process compiling;
///  - the longest wait for a lock of the engine.
Status runEngineLoad(const EngineLoadOptions &options);

/// What its child processes do.
struct EngineChildOptions {
  std::string file;
  int signatures = 64;
  /// How long calls are counted.
  double seconds = 0.15;
  /// Whether it compiles shape after shape instead, until it is killed.
  bool mustCompile = false;
};

/// Prints a line when all signatures are compiled. Then, for each number of
/// threads and of the first one's processor that it reads from standard input,
/// prints how many calls per second these threads make together.
Status runEngineChild(const EngineChildOptions &options);

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_STREAM_ENGINELOAD_H
