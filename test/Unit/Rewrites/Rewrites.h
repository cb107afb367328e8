//===- Rewrites.h - One rewrite of the compiler at a time -------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TEST_UNIT_REWRITES_REWRITES_H
#define TANDEM_TEST_UNIT_REWRITES_REWRITES_H

#include "tandem/Support/Error.h"

#include <string>
#include <vector>

namespace tandem::test {

/// The names of all rewrites of graphs: "NegOp: negOfNeg" for a rule of the
/// folder, "Constants" for its folding of constants, "PowToSquare" for a
/// pattern of tandem-simplify, "tandem-split-reductions" for a pass.
std::vector<std::string> rewriteNames();

/// A graph as a rewrite has left it.
struct Rewritten {
  std::string text;
  /// Whether the rewrite has applied anywhere.
  bool hasChanged = false;
};

/// Applies one rewrite, and no other, wherever it applies.
Expected<Rewritten> applyRewrite(const std::string &name,
                                 const std::string &text);

} // namespace tandem::test

#endif // TANDEM_TEST_UNIT_REWRITES_REWRITES_H
