//===- GPUCommands.h - The commands that are about GPUs ------- -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_GPU_GPUCOMMANDS_H
#define TANDEM_TOOLS_TANDEM_BENCH_GPU_GPUCOMMANDS_H

#include "bars/HostCost.h"
#include "gpu/GPUFigures.h"
#include "gpu/PrebuiltKernels.h"

#include "common/CommandLine.h"

#include <functional>
#include <optional>

namespace tandem::bench {

/// The options of those commands.
struct GPUCommands {
  GPUFiguresOptions figures;
  HostCostOptions host;
  PrebuiltKernelsOptions prebuilt;
};

/// Adds the commands. `commands` must live as long as `app`.
void addGPUCommands(CLI::App &app, GPUCommands &commands);

/// Runs the command that was given, if it is one of them; nothing otherwise.
/// `describe` describes the environment.
std::optional<Expected<bool>>
runGPUCommand(const CLI::App &app, GPUCommands &commands,
              const std::function<tools::RunEnvironment()> &describe);

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_GPU_GPUCOMMANDS_H
