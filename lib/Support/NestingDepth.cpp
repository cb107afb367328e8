//===- NestingDepth.cpp - How deep the brackets of a text go --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Support/NestingDepth.h"

#include <algorithm>

using namespace tandem;

namespace {

/// Reads a text as MLIR's lexer divides it, as far as brackets need.
class Scanner {
public:
  explicit Scanner(std::string_view text) : text(text) {}

  /// The position of the first bracket or sign that goes too deep; npos where
  /// there is none.
  size_t findTooDeep() {
    while (position < text.size()) {
      size_t at = position;
      step();
      if (depth > kMaxNestingDepth || signs > kMaxNestingDepth)
        return at;
    }
    return std::string_view::npos;
  }

private:
  char next() const {
    return position + 1 < text.size() ? text[position + 1] : '\0';
  }
  /// To the first of `stops` from here on, or to the end.
  void skipTo(const char *stops) {
    position = std::min(text.find_first_of(stops, position), text.size());
  }
  /// From a quote to behind the one that ends the string; none goes beyond its
  /// line.
  void skipString() {
    for (++position; position < text.size(); ++position) {
      skipTo("\"\\\n");
      if (position == text.size())
        return;
      if (text[position] != '\\')
        break;
      ++position;
    }
    ++position;
  }
  void step();

  std::string_view text;
  size_t position = 0;
  int depth = 0, signs = 0;
};

void Scanner::step() {
  char c = text[position];
  bool isArrow = c == '-' && next() == '>';
  bool isComparison = (c == '<' || c == '>') && next() == '=';
  if (c != '-' && c != ' ' && c != '\t' && c != '\n' && c != '\r' && c != '/')
    signs = 0;
  if (c == '"')
    return skipString();
  if (c == '/' && next() == '/')
    return skipTo("\n");
  position += isArrow || isComparison ? 2 : 1;
  if (isArrow || isComparison)
    return;
  if (c == '-')
    ++signs;
  else if (c == '(' || c == '[' || c == '{' || c == '<')
    ++depth;
  else if (c == ')' || c == ']' || c == '}' || c == '>')
    depth = std::max(depth - 1, 0);
}

} // namespace

Status tandem::checkNesting(std::string_view text, std::string_view file) {
  // Bytecode's magic number, which no text begins with.
  if (text.starts_with("ML\xefR"))
    return {};
  size_t at = Scanner(text).findTooDeep();
  if (at == std::string_view::npos)
    return {};
  std::string_view before = text.substr(0, at);
  size_t line = std::count(before.begin(), before.end(), '\n') + 1;
  size_t column = at - (before.rfind('\n') + 1) + 1; // npos + 1 is 0.
  return tl::unexpected(
      Error{"nested more than " + std::to_string(kMaxNestingDepth) + " deep",
            "parse",
            std::string(file) + ":" + std::to_string(line) + ":" +
                std::to_string(column),
            {}});
}
