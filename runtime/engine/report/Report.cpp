//===- Report.cpp - The events of a function ------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/Tiering.h"
#include "tandem/Support/HumanReadable.h"
#include "tandem/Support/Json.h"

#include <cmath>

using namespace tandem;
using nlohmann::ordered_json;

/// All types if there are at most this many; otherwise, the first kFirst ones.
static constexpr size_t kMostTypes = 12, kFirst = 3;

/// The types of a signature, or their number and bytes and the first types.
static std::string textOf(std::span<const TensorType> types) {
  const bool isLong = types.size() > kMostTypes;
  std::string text;
  for (const TensorType &type : isLong ? types.first(kFirst) : types)
    text += (text.empty() ? "" : ", ") + type.str();
  if (!isLong)
    return "(" + text + ")";
  int64_t bytes = 0;
  for (const TensorType &type : types)
    bytes += type.bytes();
  return "(" + std::to_string(types.size()) + " inputs, " + formatBytes(bytes) +
         ": " + text + ", ...; the JSON report lists all)";
}

static std::string textOf(const CallTime &time) {
  if (time.samples == 0)
    return "not measured";
  return formatTime(time.ns) + " ± " + formatTime(time.spreadNs) + " (" +
         std::to_string(time.samples) + " timed)";
}

std::optional<double> SignatureReport::breakEvenCalls() const {
  const double c = compiled.samples ? compiled.ns : predictedCompiledNs;
  const double cost = compileNs > 0 ? compileNs : predictedCompileNs;
  if (!(eager.samples && c > 0 && cost > 0 && c < eager.ns))
    return std::nullopt;
  return std::ceil(cost / (eager.ns - c));
}

std::string TieringEvent::str() const {
  std::string text = formatTime(ns) + "  " + std::string(name(kind));
  if (tookNs > 0)
    text += " in " + formatTime(tookNs);
  if (!reason.empty())
    text += ": " + reason;
  return text;
}

//===----------------------------------------------------------------------===//
// For people
//===----------------------------------------------------------------------===//

static std::string textOf(const SignatureReport &signature) {
  std::string text =
      textOf(signature.inputs) + "\n  " + std::string(name(signature.state)) +
      ", runs " + std::string(name(signature.tier)) +
      (signature.state == SignatureState::provisional
           ? ", and compiled on inputs like the last that were compared; "
           : "; ") +
      std::to_string(signature.calls) + " calls, " +
      std::to_string(signature.compiledCalls) + " compiled, " +
      (signature.capturedCalls
           ? std::to_string(signature.capturedCalls) + " of them captured, "
           : std::string()) +
      std::to_string(signature.certificates) + " with a certificate\n";
  text += "  eager e        " + textOf(signature.eager) + "\n";
  text += "  compiled c     " + textOf(signature.compiled);
  if (signature.predictedCompiledNs > 0)
    text += ", predicted " + formatTime(signature.predictedCompiledNs);
  if (signature.captured.samples > 0)
    text += "\n  captured       " + textOf(signature.captured) +
            "; capturing cost " + formatTime(signature.captureNs);
  text += "\n  compile cost C ";
  text += signature.compileNs > 0
              ? formatTime(signature.compileNs) + " of processor time, " +
                    formatTime(signature.compileWallNs) + " on the clock" +
                    (signature.compiledIn == CompileIn::process
                         ? ", in a helper process"
                         : "")
              : "not measured";
  if (signature.predictedCompileNs > 0)
    text += ", predicted " + formatTime(signature.predictedCompileNs);
  if (!signature.phases.empty())
    text += "\n  its phases, on the clock";
  for (const PhaseTime &phase : signature.phases)
    text += "\n    " + phase.phase + " " + formatTime(phase.ns);
  std::optional<double> calls = signature.breakEvenCalls();
  text += "\n  pays after n*  " +
          (calls ? formatCount(static_cast<int64_t>(*calls)) + " calls"
                 : std::string("not known")) +
          "\n";
  for (const Warning &warning : signature.warnings)
    text += "  " + warning.str() + "\n";
  for (const TieringEvent &event : signature.events)
    text += "  at " + event.str() + "\n";
  return text + "  next: " + signature.next + "\n";
}

std::string FunctionReport::str() const {
  std::string text = "mode " + std::string(name(mode)) + ", " +
                     std::to_string(signatures.size()) + " signatures, " +
                     std::to_string(evicted) +
                     " forgotten; compiled programs hold " +
                     formatBytes(residentBytes) + "\n";
  for (const SignatureReport &signature : signatures)
    text += textOf(signature);
  return text;
}

//===----------------------------------------------------------------------===//
// For programs
//===----------------------------------------------------------------------===//

static ordered_json jsonOf(std::span<const TensorType> types) {
  ordered_json list = ordered_json::array();
  for (const TensorType &type : types)
    list.push_back(type.str());
  return list;
}

static ordered_json jsonOf(const CallTime &time) {
  return {
      {"ns", time.ns}, {"spread_ns", time.spreadNs}, {"samples", time.samples}};
}

static ordered_json jsonOf(const TieringEvent &event) {
  ordered_json json = {{"ns", event.ns}, {"event", name(event.kind)}};
  if (event.tookNs > 0)
    json["took_ns"] = event.tookNs;
  json["inputs"] = jsonOf(event.inputs);
  if (!event.reason.empty())
    json["reason"] = event.reason;
  return json;
}

static ordered_json jsonOf(const SignatureReport &signature) {
  ordered_json json = {
      {"inputs", jsonOf(signature.inputs)},
      {"state", name(signature.state)},
      {"tier", name(signature.tier)},
      {"calls", signature.calls},
      {"compiled_calls", signature.compiledCalls},
      {"captured_calls", signature.capturedCalls},
      {"certificates", signature.certificates},
      {"undecided_certificates", signature.undecidedCertificates},
      {"eager", jsonOf(signature.eager)},
      {"compiled", jsonOf(signature.compiled)},
      {"captured", jsonOf(signature.captured)},
      {"predicted",
       {{"compile_ns", signature.predictedCompileNs},
        {"compiled_ns", signature.predictedCompiledNs}}},
      {"compile_ns", signature.compileNs},
      {"compile_wall_ns", signature.compileWallNs},
      {"capture_ns", signature.captureNs},
  };
  if (signature.compileNs > 0)
    json["compiled_in"] = name(signature.compiledIn);
  for (const PhaseTime &phase : signature.phases)
    json["phases"][phase.phase] = phase.ns;
  for (const Warning &warning : signature.warnings)
    json["warnings"].push_back(warning.str());
  json["resident_bytes"] = signature.residentBytes;
  if (std::optional<double> calls = signature.breakEvenCalls())
    json["break_even_calls"] = *calls;
  for (const TieringEvent &event : signature.events)
    json["events"].push_back(jsonOf(event));
  json["next"] = signature.next;
  return json;
}

std::string FunctionReport::json() const {
  ordered_json json = {{"mode", name(mode)},
                       {"evicted", evicted},
                       {"resident_bytes", residentBytes},
                       {"signatures", ordered_json::array()}};
  for (const SignatureReport &signature : signatures)
    json["signatures"].push_back(jsonOf(signature));
  return jsonText(json);
}

std::string FunctionReport::eventLines() const {
  std::string lines;
  for (const TieringEvent &event : events)
    lines += jsonText(jsonOf(event)) + "\n";
  return lines;
}
