//===- Format.h - Formatting of measurements --------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_COMMON_FORMAT_H
#define TANDEM_TOOLS_COMMON_FORMAT_H

#include "tandem/Measure/Statistics.h"
#include "tandem/Support/HumanReadable.h"

#include <string>
#include <string_view>
#include <vector>

namespace tandem::tools {

using tandem::formatBytes;
using tandem::formatCount;
using tandem::formatTime;

/// A summary: "12.3 µs (p10–p90 12.1 µs–13.0 µs, 50 samples)".
std::string formatSummary(const measure::Summary &summary);

/// A table of text whose columns are as wide as their contents.
class Table {
public:
  /// A column's title and whether its cells are aligned to the right.
  struct Column {
    std::string title;
    bool right = true;
  };
  explicit Table(std::vector<Column> columns) : columns(std::move(columns)) {}
  /// Adds a row: one cell per column, or a single cell that spans the table.
  void addRow(std::vector<std::string> cells) {
    rows.push_back(std::move(cells));
  }
  /// The text of the table: titles, a rule and the rows, with two spaces
  /// between columns.
  std::string str() const;

private:
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
};

} // namespace tandem::tools

#endif // TANDEM_TOOLS_COMMON_FORMAT_H
