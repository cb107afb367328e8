//===- HumanReadable.cpp - Human-readable numbers -------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Support/HumanReadable.h"

#include <cmath>
#include <cstdio>

namespace tandem {

/// Three significant digits without an exponent.
static std::string threeDigits(double value) {
  int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

std::string formatTime(double ns) {
  if (!std::isfinite(ns))
    return "?";
  if (ns < 0.005)
    return "0 ns";
  struct Unit {
    const char *name;
    double ns;
  };
  for (Unit unit : {Unit{"ns", 1}, Unit{"µs", 1e3}, Unit{"ms", 1e6}})
    if (ns < 999.5 * unit.ns)
      return threeDigits(ns / unit.ns) + " " + unit.name;
  return threeDigits(ns / 1e9) + " s";
}

std::string formatBytes(int64_t bytes) {
  if (bytes < 1024)
    return std::to_string(bytes) + " B";
  double value = static_cast<double>(bytes);
  for (const char *unit : {"KiB", "MiB", "GiB"}) {
    value /= 1024;
    if (value < 1000)
      return threeDigits(value) + " " + unit;
  }
  return threeDigits(value / 1024) + " TiB";
}

std::string formatCount(int64_t count) {
  if (count < 10000)
    return std::to_string(count);
  double value = static_cast<double>(count);
  for (const char *unit : {"k", "M", "G"}) {
    value /= 1000;
    if (value < 999.5)
      return threeDigits(value) + unit;
  }
  return threeDigits(value / 1000) + "T";
}

} // namespace tandem
