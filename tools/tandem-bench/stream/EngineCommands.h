//===- EngineCommands.h - The commands that measure the engine  -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_STREAM_ENGINECOMMANDS_H
#define TANDEM_TOOLS_TANDEM_BENCH_STREAM_ENGINECOMMANDS_H

#include "stream/EngineLoad.h"
#include "stream/StreamBench.h"
#include "sweep/Predict.h"

#include "common/CommandLine.h"

#include <functional>
#include <optional>

namespace tandem::bench {

/// The options of those commands.
struct EngineCommands {
  EngineLoadOptions load;
  EngineChildOptions child;
  StreamOptions stream;
  PredictOptions predict;
};

/// Adds the commands. `commands` must live as long as `app`.
void addEngineCommands(CLI::App &app, EngineCommands &commands);

/// Runs the command that was given, if it is one of them; nothing otherwise.
/// `describe` describes the environment.
std::optional<Status>
runEngineCommand(const CLI::App &app, EngineCommands &commands,
                 const std::function<tools::RunEnvironment()> &describe);

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_STREAM_ENGINECOMMANDS_H
