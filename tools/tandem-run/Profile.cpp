//===- Profile.cpp - Where the time of a tier goes ------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Profile.h"

#include "Sources.h"

#include "common/Format.h"
#include "common/MeasurementJson.h"

#include "tandem/Tandem.h"
#include "tandem/Target/Target.h"

#include <algorithm>
#include <numeric>

namespace tandem::tools {

using nlohmann::ordered_json;

namespace {

/// The model of a device, with the threads that programs run on.
Expected<DeviceModel> modelOf(const std::string &name) {
  if (name == devices().front().name) {
    TANDEM_ASSIGN_OR_RETURN(DeviceModel host, hostDeviceModel());
    return host.withThreads(numThreads());
  }
  TANDEM_ASSIGN_OR_RETURN(const Target *target, findRunnableTarget(name));
  return findDeviceModel(target->deviceSpec());
}

/// The share of the model's limit that a step reaches; 0 where it has none.
double reached(const StepLimit &limit, double ns) {
  return ns > 0 ? limit.ns / ns : 0;
}

std::string join(const std::vector<std::string> &names, const char *separator) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : separator) + name;
  return text;
}

/// The names for a table, whose rows must end somewhere.
std::string abridge(std::vector<std::string> names) {
  constexpr size_t most = 3;
  if (names.size() <= most)
    return join(names, ", ");
  const size_t left = names.size() - (most - 1);
  // The first and the last tell the most.
  names.erase(names.begin() + (most - 1), names.end() - 1);
  return join({names.begin(), names.end() - 1}, ", ") + ", … " +
         std::to_string(left - 1) + " more …, " + names.back();
}

std::string percent(double share) {
  char text[16];
  std::snprintf(text, sizeof text, "%.1f %%", 100 * share);
  return text;
}

/// The steps by time, those that take the most first.
std::vector<size_t> inOrderOfTime(const TierProfile &profile) {
  std::vector<size_t> order(profile.steps.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return profile.steps[a].time.median > profile.steps[b].time.median;
  });
  return order;
}

/// How many of the steps in `order` have a row of their own: those that make up
/// nearly all of the time, unless they are very many.
size_t countRows(const TierProfile &profile, const std::vector<size_t> &order) {
  constexpr double nearlyAll = 0.98;
  constexpr size_t most = 40;
  double left = profile.stepNs() * nearlyAll;
  size_t rows = 0;
  while (rows < std::min(most, order.size()) && left > 0)
    left -= profile.steps[order[rows++]].time.median;
  // A sum of one is no shorter than the step.
  return order.size() - rows == 1 ? order.size() : rows;
}

std::string describeKind(const StepInfo &step) {
  return step.kind == StepKind::library ? step.provider
                                        : std::string(name(step.kind));
}

std::vector<std::string> rowOf(const TierProfile &profile, size_t index,
                               const std::string &file) {
  const StepInfo &step = profile.steps[index];
  const double ns = profile.steps[index].time.median;
  const StepLimit limit = limitOf(step, profile.device);
  const bool isLimited = limit.ns > 0;
  return {formatTime(ns),
          percent(ns / profile.stepNs()),
          step.name,
          describeKind(step),
          formatBytes(step.bytesRead),
          formatBytes(step.bytesWritten),
          formatCount(step.flops),
          isLimited ? percent(reached(limit, ns)) : "-",
          !isLimited       ? ""
          : limit.isMemory ? "bytes"
                           : "flops",
          abridge(withoutFile(step.sources, file))};
}

/// "… 84 more": the sum of the steps that have no row.
std::vector<std::string> rowOfRest(const TierProfile &profile,
                                   std::span<const size_t> rest) {
  StepInfo sum;
  double ns = 0, limitNs = 0;
  for (size_t index : rest) {
    const StepInfo &step = profile.steps[index];
    ns += profile.steps[index].time.median;
    limitNs += limitOf(step, profile.device).ns;
    sum.bytesRead += step.bytesRead;
    sum.bytesWritten += step.bytesWritten;
    sum.flops += step.flops;
  }
  return {formatTime(ns),
          percent(ns / profile.stepNs()),
          std::to_string(rest.size()) + " more",
          "",
          formatBytes(sum.bytesRead),
          formatBytes(sum.bytesWritten),
          formatCount(sum.flops),
          percent(limitNs / ns),
          "",
          ""};
}

/// "91.2 Gflop/s, 24.1 GB/s of memory".
std::string describeLimits(const DeviceModel &device) {
  char text[96];
  std::snprintf(text, sizeof text, "%.3g Gflop/s of f32, %.3g GB/s of memory",
                device.f32FlopsPerNs, device.memoryBytesPerNs);
  return text;
}

} // namespace

StepLimit limitOf(const StepInfo &step, const DeviceModel &device) {
  if (step.kind == StepKind::view)
    return {};
  const double bytes = double(step.bytesRead) + double(step.bytesWritten);
  const double arithmetic =
      double(step.flops) / device.flopsPerNs(step.elementBytes);
  const double memory = bytes / device.bytesPerNs(bytes);
  return {std::max(arithmetic, memory), memory > arithmetic};
}

Expected<TierProfile> profileTier(const PreparedTier &prepared, Tier tier,
                                  std::span<const Tensor> inputs, int runs,
                                  const std::string &device) {
  TierProfile result;
  TANDEM_ASSIGN_OR_RETURN(result.device, modelOf(device));
  TANDEM_ASSIGN_OR_RETURN(static_cast<Profile &>(result),
                          profileRuns(prepared, tier, inputs, runs));
  return result;
}

std::string formatProfile(const TierProfile &profile, const std::string &file) {
  const std::vector<size_t> order = inOrderOfTime(profile);
  const size_t rows = countRows(profile, order);
  Table table({{"time"},
               {"share"},
               {"step", false},
               {"by", false},
               {"read"},
               {"written"},
               {"flops"},
               {"of limit"},
               {"by its", false},
               {"nodes", false}});
  for (size_t i = 0; i < rows; ++i)
    table.addRow(rowOf(profile, order[i], file));
  if (rows < order.size())
    table.addRow(rowOfRest(profile, std::span(order).subspan(rows)));
  return table.str() + std::to_string(order.size()) + " steps take " +
         formatTime(profile.stepNs()) + ", a call " +
         formatSummary(profile.call) +
         "; limits: " + describeLimits(profile.device) + "\n";
}

/// What is known of a step, for people and programs.
static ordered_json describe(const TierProfile &profile, size_t index,
                             const std::string &file) {
  const StepInfo &step = profile.steps[index];
  const StepLimit limit = limitOf(step, profile.device);
  ordered_json record = {{"step", step.name},
                         {"by", describeKind(step)},
                         {"nodes", withoutFile(step.sources, file)},
                         {"bytes_read", step.bytesRead},
                         {"bytes_written", step.bytesWritten},
                         {"flops", step.flops}};
  if (limit.ns > 0) {
    record["limit_ns"] = limit.ns;
    record["limited_by"] = limit.isMemory ? "bytes" : "flops";
  }
  return record;
}

ordered_json toJson(const TierProfile &profile, const std::string &file) {
  ordered_json steps = ordered_json::array();
  for (size_t i = 0; i < profile.steps.size(); ++i) {
    steps.push_back(describe(profile, i, file));
    steps.back()["time_ns"] = toJson(profile.steps[i].time);
  }
  return steps;
}

/// The format is described in "Trace Event Format" (Google, 2016): complete
/// events (ph X), times in microseconds.
ordered_json traceOf(const TierProfile &profile, const std::string &file) {
  ordered_json entries = ordered_json::array();
  auto add = [&](std::string name, double start, double end,
                 ordered_json args) {
    entries.push_back({{"name", std::move(name)},
                       {"ph", "X"},
                       {"ts", start / 1e3},
                       {"dur", (end - start) / 1e3},
                       {"pid", 1},
                       {"tid", 1},
                       {"args", std::move(args)}});
  };
  std::vector<ordered_json> steps;
  for (size_t i = 0; i < profile.steps.size(); ++i)
    steps.push_back(describe(profile, i, file));
  const double zero =
      profile.stamps.empty() ? 0 : profile.stamps.front().front();
  for (size_t run = 0; run < profile.stamps.size(); ++run) {
    const std::vector<double> &stamps = profile.stamps[run];
    add("run " + std::to_string(run), stamps.front() - zero,
        stamps.back() - zero, ordered_json::object());
    for (size_t i = 0; i < steps.size(); ++i) {
      const std::vector<std::string> &nodes = steps[i]["nodes"];
      add(nodes.empty() ? profile.steps[i].name : abridge(nodes),
          stamps[i] - zero, stamps[i + 1] - zero, steps[i]);
    }
  }
  return {{"traceEvents", std::move(entries)}, {"displayTimeUnit", "ns"}};
}

} // namespace tandem::tools
