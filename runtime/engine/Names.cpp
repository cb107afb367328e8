//===- Names.cpp - The names of modes, states and events ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/Tiering.h"

using namespace tandem;

std::span<const Mode> tandem::allModes() {
  static constexpr Mode modes[] = {Mode::eager, Mode::compile, Mode::automatic,
                                   Mode::compileNow};
  return modes;
}

std::string_view tandem::name(Mode mode) {
  switch (mode) {
  case Mode::eager:
    return "eager";
  case Mode::compile:
    return "compile";
  case Mode::automatic:
    return "auto";
  case Mode::compileNow:
    return "compile-now";
  }
  return "";
}

std::optional<Mode> tandem::parseMode(std::string_view text) {
  for (Mode mode : allModes())
    if (text == name(mode))
      return mode;
  return std::nullopt;
}

std::string_view tandem::name(CompileIn place) {
  return place == CompileIn::process ? "process" : "thread";
}

std::optional<CompileIn> tandem::parseCompileIn(std::string_view text) {
  for (CompileIn place : {CompileIn::process, CompileIn::thread})
    if (text == name(place))
      return place;
  return std::nullopt;
}

std::string_view tandem::name(SignatureState state) {
  switch (state) {
  case SignatureState::eager:
    return "eager";
  case SignatureState::queued:
    return "queued";
  case SignatureState::compiling:
    return "compiling";
  case SignatureState::compiled:
    return "compiled";
  case SignatureState::provisional:
    return "provisional";
  case SignatureState::promoted:
    return "promoted";
  case SignatureState::demoted:
    return "demoted";
  case SignatureState::refused:
    return "refused";
  }
  return "";
}

std::string_view tandem::name(EventKind kind) {
  switch (kind) {
  case EventKind::seen:
    return "seen";
  case EventKind::queued:
    return "queued";
  case EventKind::cancelled:
    return "cancelled";
  case EventKind::compiling:
    return "compiling";
  case EventKind::compiled:
    return "compiled";
  case EventKind::failed:
    return "failed";
  case EventKind::certified:
    return "certified";
  case EventKind::provisional:
    return "provisional";
  case EventKind::undecided:
    return "undecided";
  case EventKind::contradicted:
    return "contradicted";
  case EventKind::promoted:
    return "promoted";
  case EventKind::demoted:
    return "demoted";
  case EventKind::capturing:
    return "capturing";
  case EventKind::captured:
    return "captured";
  case EventKind::uncaptured:
    return "uncaptured";
  case EventKind::evicted:
    return "evicted";
  }
  return "";
}
