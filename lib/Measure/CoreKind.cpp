//===- CoreKind.cpp - Which kind of core this is --------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Measure/CoreKind.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <optional>
#include <sched.h>
#include <system_error>

namespace tandem::measure {
namespace {

namespace fs = std::filesystem;

/// Whether a list such as "0-3,8" has `cpu`.
bool lists(const fs::path &file, int cpu) {
  std::ifstream list(file);
  for (std::string range; std::getline(list, range, ',');) {
    int first = 0, last = 0;
    const int read = std::sscanf(range.c_str(), "%d-%d", &first, &last);
    if (read >= 1 && first <= cpu && cpu <= (read == 2 ? last : first))
      return true;
  }
  return false;
}

/// Linux has a list of the processors of each kind where these count their
/// events differently, as those of x86 do.
std::string listOf(int cpu, const fs::path &devices) {
  for (const char *name : {"cpu_core", "cpu_atom", "cpu_lowpower"})
    if (lists(devices / name / "cpus", cpu))
      return name;
  return {};
}

/// A figure of each processor, by number.
std::map<int, int64_t> figures(const fs::path &devices, const char *name) {
  std::map<int, int64_t> values;
  std::error_code ignored;
  for (const auto &entry :
       fs::directory_iterator(devices / "system/cpu", ignored)) {
    int cpu = 0;
    int64_t value = 0;
    if (std::sscanf(entry.path().filename().c_str(), "cpu%d", &cpu) == 1 &&
        std::ifstream(entry.path() / name) >> value)
      values[cpu] = value;
  }
  return values;
}

/// The figure of `cpu` and the largest; nothing where all have the same.
std::optional<std::pair<int64_t, int64_t>>
ownAndLargest(int cpu, const std::map<int, int64_t> &values) {
  auto own = values.find(cpu);
  if (own == values.end())
    return std::nullopt;
  auto less = [](const auto &a, const auto &b) { return a.second < b.second; };
  auto [least, most] = std::minmax_element(values.begin(), values.end(), less);
  if (least->second == most->second)
    return std::nullopt;
  return std::pair(own->second, most->second);
}

} // namespace

std::string coreKind(int cpu, const fs::path &devices) {
  if (std::string name = listOf(cpu, devices); !name.empty())
    return name;
  if (auto shares = ownAndLargest(cpu, figures(devices, "cpu_capacity")))
    return "capacity " + std::to_string(shares->first) + " of " +
           std::to_string(shares->second);
  auto kilohertz =
      ownAndLargest(cpu, figures(devices, "cpufreq/cpuinfo_max_freq"));
  if (!kilohertz)
    return {};
  char text[48];
  std::snprintf(text, sizeof text, "%.2g of %.2g GHz",
                1e-6 * static_cast<double>(kilohertz->first),
                1e-6 * static_cast<double>(kilohertz->second));
  return text;
}

std::string currentCoreKind() {
  const int cpu = sched_getcpu();
  return cpu < 0 ? std::string() : coreKind(cpu);
}

} // namespace tandem::measure
