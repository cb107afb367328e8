//===- StreamRun.h - A stream under a policy --------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_STREAM_STREAMRUN_H
#define TANDEM_TOOLS_TANDEM_BENCH_STREAM_STREAMRUN_H

#include "compare/InputSets.h"
#include "stream/Hindsight.h"

#include "tandem/Tandem.h"

namespace tandem::bench {

/// Who decides when a signature is compiled.
struct StreamPolicy {
  enum class Kind {
    eager,     ///< Nobody: it never is.
    compile,   ///< Its first call compiles, and waits.
    first,     ///< It is compiled in the background from a given call on.
    automatic, ///< The engine.
    oracle,    ///< Who knows the stream: Hindsight.
  };
  Kind kind = Kind::automatic;
  uint64_t call = 0; ///< Of `first`.
  /// PolicyOptions::spareShare, of `automatic`; the default if not set.
  std::optional<double> spareShare = std::nullopt;

  /// "eager", "compile", "first:2", "auto", "auto:0.01", "oracle".
  std::string name() const;
};
/// Reads such a name; the error (phase "policy") lists them.
Expected<StreamPolicy> parsePolicy(std::string_view text);

/// What streams are run with.
struct StreamBenchmark {
  const Graph *graph = nullptr;
  std::string device;
  /// By signature.
  std::vector<std::vector<TensorType>> types;
  std::vector<InputSets> inputs;
  /// Threads that run calls, and threads that compile.
  int threads = 1, compileThreads = 1;
};

/// A stream as it went. Times in nanoseconds.
struct StreamRun {
  /// The time of each call, as its caller saw it.
  std::vector<double> callNs;
  /// The time of all calls, and of interruptions between two of them.
  double totalNs = 0;
  /// The spare cores that the engine knew of when each call began.
  std::vector<double> spareCores;
  /// What the engine knew at the end, by signature; those that were not called
  /// are empty.
  std::vector<SignatureReport> signatures;
  /// C by signature, of what had not ended, or not begun, by then, too; 0 where
  /// it was not compiled.
  std::vector<double> compileNs;

  /// Compilations that had begun, and those of them that have saved their
  /// callers less than they cost.
  uint64_t compiled() const;
  uint64_t wasted(std::span<const SignatureCosts> costs) const;
};

/// Runs a stream under a policy, with an engine and a compiler that are new and
/// know no kernels.
Expected<StreamRun> runStream(const StreamBenchmark &subject,
                              const StreamPolicy &policy,
                              const CallStream &stream,
                              const Hindsight &hindsight);

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_STREAM_STREAMRUN_H
