//===- RewriteCases.h - The graphs that rewrites are tested on --*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TEST_UNIT_REWRITES_REWRITECASES_H
#define TANDEM_TEST_UNIT_REWRITES_REWRITECASES_H

#include "TestGraph.h"

#include <functional>

namespace tandem::test {

/// A set of element types.
using Types = std::vector<DType>;
Types floatTypes();
Types integerTypes();
Types unsignedTypes();
/// Floats and integers, and with i1 all.
Types numberTypes();
Types allTypes();

struct RewriteCase {
  /// The name of the rewrite, as rewriteNames() has it.
  std::string rewrite;
  /// The element types of graphs to which it must apply, and of others, to
  /// which it need not.
  Types types, others;
  std::function<std::vector<Variant>(DType)> variants;
  /// How far the rewritten graph may be from the other on the reference, and
  /// how far eager and compiled code.
  Agreement rewritten = {}, tiers = {};
  /// Whether the error bounds of the graph say that instead, zeros of either
  /// sign being equal: for sums and normalizations, and for functions of
  /// functions.
  bool isBounded = false, tiersAreBounded = false;
  /// Tells cases of one rewrite from each other.
  std::string note = {};
};

std::vector<RewriteCase> elementwiseCases();
std::vector<RewriteCase> shapeCases();
/// The cases of contractions, windows, reductions, normalizations and loops.
std::vector<RewriteCase> compositeCases();
/// The cases of quantized numbers.
std::vector<RewriteCase> byteCases();

} // namespace tandem::test

#endif // TANDEM_TEST_UNIT_REWRITES_REWRITECASES_H
