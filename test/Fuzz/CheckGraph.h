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
  /// Contractions in kernels wherever that is possible, whatever the library
  /// would take.
  bool generated = false;
  /// Whether to certify compiled programs beside eager, too, of outputs whose
  /// tolerance is derived without data.
  bool certify = false;
};

/// What certificates of right programs came to.
struct CertificateCounts {
  int64_t passed = 0, provisional = 0;
  /// Those that the tolerance alone would refuse: the error bounds decide.
  int64_t leftToBounds = 0;
  /// Outputs, and those whose tolerance is the largest that there is.
  int64_t outputs = 0, weakOutputs = 0;

  CertificateCounts &operator+=(const CertificateCounts &other);
};

struct CheckResult {
  /// What is wrong; nothing where all outputs agree.
  std::optional<std::string> failure;
  /// Wrong results could pass (Difference::isWeak): the graph says nothing.
  bool isWeak = false;
  /// Outputs that were compared, of all tiers, and their elements.
  int64_t outputs = 0, elements = 0;
  CertificateCounts certificates;
};

/// Runs the graph on reference, with error bounds, and on every other tier.
/// Thread-safe, where all threads use the same CheckOptions::threads.
CheckResult checkGraph(const RandomGraph &graph, const CheckOptions &options);

/// Makes a failing graph smaller while it fails: one output, then values
/// replaced by inputs, last to first.
RandomGraph reduceGraph(RandomGraph graph, const CheckOptions &options);

} // namespace tandem::fuzz

#endif // TANDEM_TEST_FUZZ_CHECKGRAPH_H
