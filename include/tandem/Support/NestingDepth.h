//===- NestingDepth.h - A limit on the nesting of brackets ------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_SUPPORT_NESTINGDEPTH_H
#define TANDEM_SUPPORT_NESTINGDEPTH_H

#include "tandem/Support/Error.h"

#include <string_view>

namespace tandem {

/// The deepest nesting of brackets that a graph's text may have.
inline constexpr int kMaxNestingDepth = 256;

/// Checks `text` before MLIR's parser reads it: the parser calls itself for
/// every opening bracket, and would overflow the stack. Fails, at the bracket
/// that goes too deep, where brackets outside strings and comments are nested
/// deeper than kMaxNestingDepth. Signs before an operand count as brackets,
/// because the parser recurses on them too. `file` is the name of the text in
/// the error's location. Bytecode, which the parser reads without recursion,
/// always passes.
Status checkNesting(std::string_view text, std::string_view file);

/// The most loops that may be within each other.
inline constexpr int kMaxLoopDepth = 8;

} // namespace tandem

#endif // TANDEM_SUPPORT_NESTINGDEPTH_H
