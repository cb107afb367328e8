//===- Regex.h - Regular expressions of options -----------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_COMMON_REGEX_H
#define TANDEM_TOOLS_COMMON_REGEX_H

#include "tandem/Support/Error.h"

#include <regex>
#include <string>

namespace tandem::tools {

/// Parses what a user gave as a regular expression. The Error has phase
/// `phase` and quotes the text.
inline Expected<std::regex> parseRegex(const char *phase,
                                       const std::string &text) {
  try {
    return std::regex(text);
  } catch (const std::regex_error &error) {
    return fail(phase,
                "'" + text + "' is no regular expression: " + error.what());
  }
}

} // namespace tandem::tools

#endif // TANDEM_TOOLS_COMMON_REGEX_H
