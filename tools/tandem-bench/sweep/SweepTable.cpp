//===- SweepTable.cpp - The sweep's table ---------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sweep/Sweep.h"

#include "common/Format.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tandem::bench {
namespace {

using tools::formatBytes;
using tools::formatTime;

/// "12.3 µs ±4%": half the distance from p10 to p90.
std::string withSpread(const measure::Summary &summary) {
  double half = (summary.p90 - summary.p10) / 2;
  char text[32];
  std::snprintf(text, sizeof text, " ±%2.0f%%",
                std::min(99.0, 100 * half / std::max(summary.median, 1e-9)));
  return formatTime(summary.median) + text;
}

std::string ratio(double numerator, double denominator) {
  char text[32];
  double value = numerator / std::max(denominator, 1e-9);
  std::snprintf(text, sizeof text, value < 9.995 ? "%.2fx" : "%.1fx", value);
  return text;
}

std::string calls(std::optional<int64_t> count) {
  return count ? tools::formatCount(*count) : "never";
}

/// The optional columns that some shape has figures for.
struct Columns {
  bool differentiate, captured, disk;
};

Columns columnsOf(const std::vector<ShapeMeasurement> &shapes) {
  auto any = [&](auto member) {
    return std::ranges::any_of(shapes, [=](const ShapeMeasurement &shape) {
      return (shape.*member).has_value();
    });
  };
  return {any(&ShapeMeasurement::differentiateNs),
          any(&ShapeMeasurement::captured), any(&ShapeMeasurement::disk)};
}

std::vector<std::string> rowOf(const ShapeMeasurement &shape,
                               const Columns &columns) {
  std::vector<std::string> row;
  for (const auto &dim : shape.dims)
    row.push_back(std::to_string(dim.second));
  if (!shape.error.empty())
    return {measure::toString(shape.dims) + ": " + shape.error};
  for (std::string cell :
       {withSpread(shape.eager), formatTime(shape.eagerDispatch.median),
        withSpread(shape.compiled),
        ratio(shape.eager.median, shape.compiled.median),
        formatTime(shape.cold.total.median),
        formatTime(shape.warm.total.median),
        formatTime(shape.cached.total.median), calls(shape.breakEven),
        formatBytes(shape.eagerPeakBytes),
        formatBytes(shape.compiledPeakBytes)})
    row.push_back(std::move(cell));
  if (columns.differentiate)
    row.push_back(formatTime(*shape.differentiateNs));
  if (columns.captured)
    row.push_back(shape.captured ? withSpread(*shape.captured) : "never");
  if (shape.disk)
    for (const CompileCost *cost : {&shape.disk->empty, &shape.disk->found})
      row.push_back(formatTime(cost->total.median));
  row.emplace_back(name(shape.verdict));
  return row;
}

} // namespace

std::string formatTable(const std::vector<ShapeMeasurement> &shapes) {
  std::vector<tools::Table::Column> columns;
  if (!shapes.empty())
    for (const auto &dim : shapes[0].dims)
      columns.push_back({dim.first});
  for (const char *title :
       {"eager e", "dispatch", "compiled c", "e/c", "C cold", "C warm", "C hit",
        "n*", "peak e", "peak c"})
    columns.push_back({title});
  const Columns optional = columnsOf(shapes);
  if (optional.differentiate)
    columns.push_back({"differentiate"});
  if (optional.captured)
    columns.push_back({"captured"});
  if (optional.disk)
    for (const char *title : {"cold cache", "warm cache"})
      columns.push_back({title});
  columns.push_back({"verdict", false});
  tools::Table table(std::move(columns));
  for (const ShapeMeasurement &shape : shapes)
    table.addRow(rowOf(shape, optional));
  return table.str();
}

} // namespace tandem::bench
