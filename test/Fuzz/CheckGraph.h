//===- CheckGraph.h - Runs a random graph on every tier ---------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TEST_FUZZ_CHECKGRAPH_H
#define TANDEM_TEST_FUZZ_CHECKGRAPH_H

#include "RandomGraph.h"

#include <optional>
#include <string>
#include <vector>

namespace tandem::fuzz {

struct CheckOptions {
  /// To run on, eager and compiled; "none": eager alone, on the default one.
  std::vector<std::string> devices = {"cpu"};
  /// Threads of kernels and of eager ops, which may be more than there are
  /// processors.
  int threads = 1;
  /// Kernels that do not compile become op steps, with a warning.
  bool fallback = false;
  /// Winograd's method wherever it is possible.
  bool winograd = false;
  /// The option "byte-sums" of the CPU's target.
  std::string byteSums = "auto";
  /// Whether kernels multiply by integers and scales wherever that is possible.
  bool scaledWeights = false;
  /// Contractions in kernels wherever that is possible, whatever the library
  /// would take.
  bool generated = false;
  /// Whether to certify compiled programs beside eager, too, of outputs whose
  /// tolerance is derived without data.
  bool certify = false;
  /// Whether to call the engine many times instead, with changes of tier forced
  /// (CheckEngine.h).
  bool engine = false;
  /// Whether to check the graph with its gradients (CheckGradients.h), and
  /// these in f64 by differences.
  bool gradients = false;
  /// Whether to call the graph instead with outputs that update inputs
  /// (CheckUpdates.h).
  bool updates = false;
};

/// What certificates of right programs came to.
struct CertificateCounts {
  int64_t passed = 0, provisional = 0;
  /// Certificates that the tolerance alone would refuse, so that the error
  /// bounds decide, and those of them that the bounds do not decide either.
  int64_t leftToBounds = 0, undecided = 0;
  /// Outputs, and those whose tolerance is the largest that there is.
  int64_t outputs = 0, weakOutputs = 0;

  CertificateCounts &operator+=(const CertificateCounts &other);
};

/// What the engine did with the graphs that were called.
struct EngineCounts {
  int64_t calls = 0, compiledCalls = 0, capturedCalls = 0;
  /// Changes of tier, and calls whose outputs differ from eager's in some bit.
  int64_t promotions = 0, demotions = 0, captures = 0, changed = 0;
  /// Signatures that stay eager because nothing could certify them.
  int64_t undecided = 0;

  EngineCounts &operator+=(const EngineCounts &other);
};

/// How the gradients compared with differences.
struct DifferenceCounts {
  int64_t agree = 0, undecided = 0;
  /// Graphs with an op that has no gradient.
  int64_t refused = 0;

  DifferenceCounts &operator+=(const DifferenceCounts &other);
};

struct CheckResult {
  /// What is wrong; nothing where all outputs agree.
  std::optional<std::string> failure;
  /// What could not be certified although it is right; nothing in most cases.
  std::optional<std::string> undecided;
  /// Wrong results could pass (Difference::isWeak): the graph says nothing.
  bool isWeak = false;
  /// Outputs that were compared, of all tiers, and their elements.
  int64_t outputs = 0, elements = 0;
  CertificateCounts certificates;
  EngineCounts engine;
  DifferenceCounts differences;
};

/// Runs the graph on reference, with error bounds, and on every other tier.
/// Thread-safe, where all threads use the same CheckOptions::threads.
CheckResult checkGraph(const RandomGraph &graph, const CheckOptions &options);

/// Makes a failing graph smaller while it fails: one output, then values
/// replaced by inputs, last to first.
RandomGraph reduceGraph(RandomGraph graph, const CheckOptions &options);

} // namespace tandem::fuzz

#endif // TANDEM_TEST_FUZZ_CHECKGRAPH_H
