//===- StreamTable.cpp - The tables of streams, and their lines -----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "stream/StreamBench.h"

#include "common/Format.h"
#include "common/MeasurementJson.h"

#include <algorithm>
#include <cstdio>

namespace tandem::bench {

using nlohmann::ordered_json;

namespace {

std::string number(const char *format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

/// A ratio; "-" where there is none.
std::string ratio(double value) {
  return value > 0 ? number("%.3f", value) : "-";
}

std::string headline(const StreamFigures &stream) {
  std::string text = stream.kind;
  if (stream.length > 0)
    text += number(", %g n*", stream.length);
  return text + ": " + std::to_string(stream.calls) + " calls of " +
         std::to_string(stream.signatures.size()) + " signatures\n";
}

const PolicyFigures *findAuto(const StreamFigures &stream) {
  auto found =
      std::ranges::find(stream.policies, "auto", &PolicyFigures::policy);
  return found == stream.policies.end() ? nullptr : &*found;
}

} // namespace

std::string formatStream(const StreamFigures &stream) {
  tools::Table table({{"policy", false},
                      {"total"},
                      {"p10"},
                      {"p90"},
                      {"/better"},
                      {"regret"},
                      {"first"},
                      {"p50"},
                      {"p99"},
                      {"compiled"},
                      {"wasted"}});
  for (const PolicyFigures &one : stream.policies)
    table.addRow({one.policy, tools::formatTime(one.total.median),
                  tools::formatTime(one.total.p10),
                  tools::formatTime(one.total.p90), ratio(one.overBetter),
                  ratio(one.regret), tools::formatTime(one.first.median),
                  tools::formatTime(one.p50.median),
                  tools::formatTime(one.p99.median),
                  number("%.3g", one.compiled), number("%.3g", one.wasted)});
  std::string text = headline(stream) + table.str();
  text += number("one policy twice: %.3f", stream.twice) +
          number(" ± %.3f", stream.twiceError) +
          number(" (%.0f rounds)", static_cast<double>(stream.rounds));
  if (stream.isVoid)
    text += number(", further from 1 than %g: void", kMaxDeviation);
  if (stream.overReplay > 0)
    text += number("; auto over its replay: %.3f", stream.overReplay);
  if (stream.bound > 0)
    text += number("; bound of its regret: %.3f", stream.bound);
  return text + "\n";
}

std::string formatSummary(const std::vector<StreamFigures> &streams) {
  double worstOverBetter = 0, worstOverReplay = 0;
  std::vector<double> regrets;
  size_t voids = 0;
  for (const StreamFigures &stream : streams) {
    const PolicyFigures *automatic = findAuto(stream);
    voids += stream.isVoid;
    if (!automatic || stream.isVoid)
      continue;
    worstOverBetter = std::max(worstOverBetter, automatic->overBetter);
    worstOverReplay = std::max(worstOverReplay, stream.overReplay);
    regrets.push_back(automatic->regret);
  }
  std::string text = std::to_string(streams.size()) + " streams, " +
                     std::to_string(voids) + " void";
  if (!regrets.empty())
    text += "; auto: at most " + ratio(worstOverBetter) +
            " of the better of eager and compile, and " +
            ratio(worstOverReplay) + " of its replay; median regret " +
            ratio(measure::summarize(regrets).median);
  return text + "\n";
}

std::vector<ordered_json> toRecords(const StreamOptions &options,
                                    const StreamFigures &stream) {
  std::vector<ordered_json> records;
  ordered_json inputs = ordered_json::array();
  std::vector<TensorType> all;
  for (const std::vector<TensorType> &types : stream.signatures) {
    inputs.push_back(tools::toJson(types));
    all.insert(all.end(), types.begin(), types.end());
  }
  for (const PolicyFigures &one : stream.policies) {
    ordered_json record = {{"tool", "tandem-bench stream"},
                           {"graph", options.file},
                           {"function", options.function},
                           {"vary", options.vary},
                           {"device", options.device},
                           {"shapes", stream.kind},
                           {"length", stream.length},
                           {"calls", stream.calls},
                           {"signatures", stream.signatures.size()},
                           {"inputs", inputs},
                           {"dtype", tools::dtypeOf(all)},
                           {"policy", one.policy},
                           {"compile_threads", options.compileThreads},
                           {"total_ns", tools::toJson(one.total)},
                           {"first_ns", tools::toJson(one.first)},
                           {"p50_ns", tools::toJson(one.p50)},
                           {"p99_ns", tools::toJson(one.p99)},
                           {"over_better", one.overBetter},
                           {"regret", one.regret},
                           {"compiled", one.compiled},
                           {"wasted", one.wasted},
                           {"over_replay", stream.overReplay},
                           {"regret_bound", stream.bound},
                           {"twice", stream.twice},
                           {"twice_error", stream.twiceError},
                           {"rounds", stream.rounds},
                           {"void", stream.isVoid}};
    record.update(tools::toJson(options.environment));
    records.push_back(std::move(record));
  }
  return records;
}

} // namespace tandem::bench
