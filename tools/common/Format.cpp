//===- Format.cpp - Figures for people ------------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Format.h"

#include <algorithm>

namespace tandem::tools {
namespace {

/// Columns a terminal needs for `text` in UTF-8, for characters of width one.
size_t width(std::string_view text) {
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string pad(const std::string &text, size_t to, bool right) {
  std::string spaces(to - std::min(to, width(text)), ' ');
  return right ? spaces + text : text + spaces;
}

void appendLine(std::string &out, std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  out += line + "\n";
}

} // namespace

std::string formatSummary(const measure::Summary &summary) {
  return formatTime(summary.median) + " (p10–p90 " + formatTime(summary.p10) +
         "–" + formatTime(summary.p90) + ", " +
         std::to_string(summary.samples) + " samples)";
}

std::string Table::str() const {
  std::vector<size_t> widths;
  for (size_t i = 0; i < columns.size(); ++i) {
    widths.push_back(width(columns[i].title));
    for (const auto &row : rows)
      if (row.size() == columns.size())
        widths[i] = std::max(widths[i], width(row[i]));
  }
  std::string title, rule, out;
  for (size_t i = 0; i < columns.size(); ++i) {
    title += pad(columns[i].title, widths[i], columns[i].right) + "  ";
    for (size_t j = 0; j < widths[i]; ++j)
      rule += "─";
    rule += "  ";
  }
  appendLine(out, title);
  appendLine(out, rule);
  for (const auto &row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i)
      line += row.size() < columns.size()
                  ? row[i]
                  : pad(row[i], widths[i], columns[i].right) + "  ";
    appendLine(out, line);
  }
  return out;
}

} // namespace tandem::tools
