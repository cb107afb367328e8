//===- CallStream.cpp - Streams of calls of a graph -----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "stream/CallStream.h"

#include "tandem/Support/Json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

namespace tandem::bench {

using tiering::PolicyOptions;
using tiering::Replay;
using tiering::ReplayMachine;
using tiering::ReplaySignature;

namespace {

constexpr std::array<std::string_view, 5> kKinds = {"constant", "zipf", "drift",
                                                    "bursts", "adversarial"};

size_t callsFor(const SignatureCosts &costs, double length) {
  return static_cast<size_t>(
      std::max(1.0, std::round(length * costs.breakEvenCalls())));
}

using Costs = std::span<const SignatureCosts>;

CallStream makeConstant(Costs costs, double length) {
  return CallStream(callsFor(costs[0], length));
}

CallStream makeZipf(Costs costs, double length, std::mt19937_64 &random) {
  std::vector<double> weights;
  double sum = 0;
  for (size_t k = 1; k <= costs.size(); ++k)
    sum += weights.emplace_back(1.0 / static_cast<double>(k));
  std::discrete_distribution<size_t> draw(weights.begin(), weights.end());
  CallStream calls(static_cast<size_t>(
      std::ceil(sum * static_cast<double>(callsFor(costs[0], length)))));
  for (StreamCall &call : calls)
    call.signature = draw(random);
  return calls;
}

CallStream makeDrift(Costs costs, double length, std::mt19937_64 &random) {
  std::vector<size_t> inOrder;
  for (size_t s = 0; s < costs.size(); ++s)
    inOrder.insert(inOrder.end(), callsFor(costs[s], length), s);
  // Each call takes its signature from around its place; on the whole each
  // signature keeps its number of calls.
  const auto reach = static_cast<double>(inOrder.size() / costs.size()) / 2;
  std::vector<std::pair<double, size_t>> places;
  for (size_t i = 0; i < inOrder.size(); ++i)
    places.emplace_back(
        static_cast<double>(i) +
            std::uniform_real_distribution<>(-reach, reach)(random),
        inOrder[i]);
  std::sort(places.begin(), places.end());
  CallStream calls;
  for (const auto &[place, signature] : places)
    calls.push_back({signature, 0});
  return calls;
}

CallStream makeBursts(Costs costs, double length) {
  CallStream calls;
  std::vector<size_t> left;
  for (const SignatureCosts &one : costs)
    left.push_back(callsFor(one, length));
  bool isDone = false;
  while (!isDone) {
    isDone = true;
    for (size_t s = 0; s < costs.size(); ++s) {
      const size_t burst = std::min(left[s], callsFor(costs[s], 0.125));
      for (size_t i = 0; i < burst; ++i)
        calls.push_back(
            {s, i > 0 ? 0 : static_cast<double>(burst) * costs[s].eagerNs});
      left[s] -= burst;
      isDone &= left[s] == 0;
    }
  }
  return calls;
}

CallStream makeAdversarial(Costs costs, ReplayMachine machine,
                           const PolicyOptions &policy) {
  std::vector<ReplaySignature> signatures;
  for (const SignatureCosts &one : costs)
    signatures.push_back(one.replaySignature());
  Replay replay(machine, policy, signatures);
  CallStream calls;
  for (size_t s = 0; s < costs.size(); ++s) {
    // What the policy never compiles must end, too.
    for (size_t left = callsFor(costs[s], 16); left > 0; --left) {
      calls.push_back({s, 0});
      replay.call({s, costs[s].eagerNs, costs[s].compiledNs, 0});
      if (replay.record(s).state == tiering::State::promoted)
        break;
    }
  }
  return calls;
}

} // namespace

ReplaySignature SignatureCosts::replaySignature() const {
  return {compileNs, predictedCompileNs, predictedCompiledNs, std::nullopt,
          predictedEagerNs};
}

double SignatureCosts::breakEvenCalls() const {
  const double gain = compiledNs < eagerNs ? eagerNs - compiledNs : eagerNs;
  return std::ceil(compileNs / std::max(gain, 1.0));
}

std::span<const std::string_view> streamKinds() { return kKinds; }

bool hasLength(std::string_view kind) {
  return kind != "adversarial" && std::ranges::count(kKinds, kind) > 0;
}

CallStream makeStream(std::string_view kind, Costs costs, double length,
                      ReplayMachine machine, const PolicyOptions &policy,
                      uint64_t seed) {
  std::mt19937_64 random(seed);
  if (kind == "zipf")
    return makeZipf(costs, length, random);
  if (kind == "drift")
    return makeDrift(costs, length, random);
  if (kind == "bursts")
    return makeBursts(costs, length);
  if (kind == "adversarial")
    return makeAdversarial(costs, machine, policy);
  return makeConstant(costs, length);
}

//===----------------------------------------------------------------------===//
// Traces
//===----------------------------------------------------------------------===//

using nlohmann::ordered_json;

static Error traceError(size_t line, const std::string &what) {
  return {"line " + std::to_string(line) + ": " + what,
          "trace",
          {},
          "a line is like {\"dims\": {\"n\": 64}, \"gap_ns\": 1000}"};
}

static Expected<measure::DimSizes> parseDims(const ordered_json &dims,
                                             size_t line) {
  measure::DimSizes sizes;
  for (const auto &[name, size] : dims.items()) {
    if (!size.is_number_integer() || size.get<int64_t>() < 1)
      return tl::unexpected(
          traceError(line, "the size of '" + name + "' is no positive number"));
    sizes.emplace_back(name, size.get<int64_t>());
  }
  return sizes;
}

static Status parseCall(const std::string &text, size_t line,
                        StreamTrace &trace) {
  const ordered_json json = ordered_json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("dims") || !json["dims"].is_object())
    return tl::unexpected(
        traceError(line, "this is no JSON object with the object \"dims\""));
  const ordered_json gap = json.value("gap_ns", ordered_json(0));
  if (!gap.is_number() || gap.get<double>() < 0)
    return tl::unexpected(
        traceError(line, "\"gap_ns\" is not a number from 0"));
  TANDEM_ASSIGN_OR_RETURN(measure::DimSizes sizes,
                          parseDims(json["dims"], line));
  auto known = std::ranges::find(trace.signatures, sizes);
  trace.calls.push_back({static_cast<size_t>(known - trace.signatures.begin()),
                         gap.get<double>()});
  if (known == trace.signatures.end())
    trace.signatures.push_back(std::move(sizes));
  return {};
}

Expected<StreamTrace> parseTrace(std::string_view text) {
  StreamTrace trace;
  for (size_t line = 1; !text.empty(); ++line) {
    const size_t end = std::min(text.find('\n'), text.size());
    if (end > 0)
      TANDEM_RETURN_IF_ERROR(
          parseCall(std::string(text.substr(0, end)), line, trace));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (trace.calls.empty())
    return tl::unexpected(traceError(1, "there are no calls"));
  return trace;
}

std::string printTrace(const StreamTrace &trace) {
  std::string text;
  for (const StreamCall &call : trace.calls) {
    ordered_json dims = ordered_json::object();
    for (const auto &[name, size] : trace.signatures[call.signature])
      dims[name] = size;
    text += jsonText({{"dims", dims}, {"gap_ns", call.gapNs}}) + "\n";
  }
  return text;
}

} // namespace tandem::bench
