//===- NestingDepth.h - How deep the brackets of a text go ------*- C++ -*-===//
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

/// How deep brackets may be nested in a graph's text.
inline constexpr int kMaxNestingDepth = 256;

/// To be asked before MLIR's parser reads `text`: it calls itself for every
/// bracket that it opens and would overflow the stack. An error, at the bracket
/// that goes too deep, where brackets outside strings and comments are nested
/// deeper than kMaxNestingDepth; so are signs ahead of one operand, which the
/// parser descends for as well. `file` names the text in the error's location.
/// Bytecode, which the parser reads without recursion, is always right.
Status checkNesting(std::string_view text, std::string_view file);

} // namespace tandem

#endif // TANDEM_SUPPORT_NESTINGDEPTH_H
