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

/// The maximum nesting depth of brackets in the text of a graph.
inline constexpr int kMaxNestingDepth = 256;

/// Checks the nesting depth of `text` before MLIR's parser reads the text. The
/// parser recurses at every opening bracket, so deeply nested text would
/// overflow the stack. Fails if brackets outside of strings and comments are
/// nested deeper than kMaxNestingDepth. Consecutive signs before an operand
/// count like brackets, because the parser recurses at each sign too. The
/// location of the error is that of the first bracket or sign that is too deep,
/// with `file` as the name of the file. Bytecode always passes, because the
/// parser reads bytecode without recursion.
Status checkNesting(std::string_view text, std::string_view file);

/// The maximum nesting depth of loops.
inline constexpr int kMaxLoopDepth = 8;

} // namespace tandem

#endif // TANDEM_SUPPORT_NESTINGDEPTH_H
