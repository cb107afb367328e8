//===- GPUCommands.cpp - The commands that are about GPUs -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gpu/GPUCommands.h"

#include "common/Options.h"

namespace tandem::bench {

static void addFigures(CLI::App &app, GPUFiguresOptions &options) {
  CLI::App &command = *app.add_subcommand(
      "gpu", "Measure every figure that has a target on a GPU");
  command.add_option("--device", options.device, "The device to measure")
      ->capture_default_str();
  tools::addPrecision(command, options.precision);
  command
      .add_option("--peers", options.peers,
                  "Show figures of other frameworks from this JSON file")
      ->check(CLI::ExistingFile);
  command.add_option("--filter", options.filter,
                     "Only figures whose name matches this regular expression");
  command.add_option("--calls", options.calls, "Calls per sample")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000));
  tools::addJson(command, options.json);
}

static void addHost(CLI::App &app, HostCostOptions &options) {
  CLI::App &command = *app.add_subcommand(
      "gpu-host", "Measure what a compiled call costs the host where the GPU's "
                  "driver does nothing (needs no GPU)");
  tools::addJson(command, options.json);
}

static void addPrebuiltKernels(CLI::App &app, PrebuiltKernelsOptions &options) {
  CLI::App &command = *app.add_subcommand(
      "gpu-kernels", "Compile the kernels that execute single ops on a GPU, "
                     "and print how many there are, their size and the time "
                     "(needs NVRTC, but no GPU)");
  command.add_option("--arch", options.arch, "What to compile for")
      ->capture_default_str();
  command.add_option("--filter", options.filter,
                     "Only programs whose name contains this");
  command.add_flag("--wide", options.isWide,
                   "Those with 64-bit indices, for the largest tensors");
}

void addGPUCommands(CLI::App &app, GPUCommands &commands) {
  addFigures(app, commands.figures);
  addHost(app, commands.host);
  addPrebuiltKernels(app, commands.prebuilt);
}

std::optional<Expected<bool>>
runGPUCommand(const CLI::App &app, GPUCommands &commands,
              const std::function<tools::RunEnvironment()> &describe) {
  if (app.got_subcommand("gpu")) {
    commands.figures.environment = describe();
    return runGPUFigures(commands.figures);
  }
  if (app.got_subcommand("gpu-host")) {
    commands.host.environment = describe();
    return runHostCost(commands.host);
  }
  if (!app.got_subcommand("gpu-kernels"))
    return std::nullopt;
  if (Status status = runPrebuiltKernels(commands.prebuilt); !status)
    return tl::unexpected<Error>(std::move(status.error()));
  return true;
}

} // namespace tandem::bench
