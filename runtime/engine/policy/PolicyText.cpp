//===- PolicyText.cpp - The policy's decisions in words -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "engine/policy/Policy.h"

#include <cstdio>

namespace tandem::tiering {

std::string_view name(Action action) {
  switch (action) {
  case Action::none:
    return "none";
  case Action::compile:
    return "compile";
  case Action::cancel:
    return "cancel";
  case Action::promote:
    return "promote";
  case Action::demote:
    return "demote";
  case Action::retry:
    return "retry";
  case Action::refuse:
    return "refuse";
  case Action::capture:
    return "capture";
  case Action::adopt:
    return "adopt";
  case Action::release:
    return "release";
  }
  return "";
}

namespace {

/// How the numbers of a reason are written.
enum class Unit { none, time, bytes, count };

/// A sentence with up to two places for `have` and `need`.
struct Template {
  const char *format;
  Unit unit;
};

Template templateForCapture(Reason reason) {
  switch (reason) {
  case Reason::toBeCaptured:
    return {"%s compiled calls timed; tried as captured work after %s",
            Unit::count};
  case Reason::capturing:
    return {"being prepared as captured work", Unit::none};
  case Reason::comparing:
    return {"%s captured calls timed beside compiled ones; judged after %s",
            Unit::count};
  case Reason::capturedFaster:
    return {"captured takes %s a call, compiled %s", Unit::time};
  case Reason::capturedSlower:
    return {"captured takes %s, and is not faster than compiled, which takes "
            "%s",
            Unit::time};
  case Reason::capturedKept:
    return {"captured takes %s (10th percentile); runs compiled if that "
            "reaches compiled's %s (90th)",
            Unit::time};
  default:
    return {"", Unit::none};
  }
}

Template templateForReady(double eagerNs) {
  return {eagerNs > 0 ? "compiled is expected to take %s a call, eager takes %s"
                      : "compiled is expected to take %s a call, and eager "
                        "has not been timed",
          Unit::time};
}

Template templateFor(const Decision &decision) {
  const bool acts = decision.action != Action::none;
  switch (decision.reason) {
  case Reason::firstCall:
    return {"eager has not been timed yet", Unit::none};
  case Reason::notPredicted:
    return {"the cost of compiling is not predicted yet", Unit::none};
  case Reason::predictedSlower:
    return {"eager takes %s a call, and compiled is expected to take %s",
            Unit::time};
  case Reason::fixedCall:
    return {"call %s of the signature; compiles at call %s, whatever it costs",
            Unit::count};
  case Reason::loss:
    return {acts ? "eager has lost %s, and compiling is worth %s"
                 : "eager has lost %s; compiles when that reaches %s",
            Unit::time};
  case Reason::waiting:
    return {"waits for a compile thread; silent for %s, cancelled after %s",
            Unit::time};
  case Reason::quiet:
    return {"silent for %s, of at most %s: likely to have ended", Unit::time};
  case Reason::compiling:
    return {"being compiled", Unit::none};
  case Reason::ready:
    return templateForReady(decision.need);
  case Reason::undecided:
    return {"not certified yet: called %s times, other inputs are tried from "
            "call %s on",
            Unit::count};
  case Reason::overMemory:
    return {"the program needs %s, and all may have %s", Unit::bytes};
  case Reason::fewSamples:
    return {"%s compiled calls timed; judged after %s", Unit::count};
  case Reason::notSlower:
    return {"compiled takes %s (10th percentile); goes back if that reaches "
            "eager's %s (90th)",
            Unit::time};
  case Reason::measuredSlower:
    return {"compiled takes %s (10th percentile), eager %s (90th)", Unit::time};
  case Reason::remembered:
    return {"was not faster; eager has lost %s since, tried again at %s",
            Unit::time};
  case Reason::lossSinceDemotion:
    return {"eager has lost %s since the demotion, enough to try again at %s",
            Unit::time};
  case Reason::toBeCaptured:
  case Reason::capturing:
  case Reason::comparing:
  case Reason::capturedFaster:
  case Reason::capturedSlower:
  case Reason::capturedKept:
    return templateForCapture(decision.reason);
  case Reason::refused:
    return {"there is no program that may be used", Unit::none};
  }
  return {"", Unit::none};
}

std::string format(const char *format, double value) {
  char text[48];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}

std::string render(Unit unit, double value) {
  switch (unit) {
  case Unit::none:
    return "";
  case Unit::count:
    return format("%.0f", value);
  case Unit::bytes:
    return format("%.1f MiB", value / (1 << 20));
  case Unit::time:
    break;
  }
  if (value >= 1e6 || value <= -1e6)
    return format("%.3g ms", value / 1e6);
  return format("%.3g us", value / 1e3);
}

} // namespace

std::string describe(const Decision &decision) {
  const auto [format, unit] = templateFor(decision);
  char text[256];
  std::snprintf(text, sizeof(text), format, render(unit, decision.have).c_str(),
                render(unit, decision.need).c_str());
  return text;
}

} // namespace tandem::tiering
