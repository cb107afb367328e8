//===- EngineCommands.cpp - The commands that measure the engine ----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "stream/EngineCommands.h"

#include "common/Options.h"

namespace tandem::bench {

static void addLoad(CLI::App &app, EngineLoadOptions &options) {
  options.threadsGraph = tools::sharePath("graphs/chain8.mlir");
  options.resultsGraph = tools::sharePath("graphs/conv1d_relu.mlir");
  CLI::App &command = *app.add_subcommand(
      "engine", "Measure the choice of tiers with many threads and signatures, "
                "and first results while others are compiled");
  command.add_option("--threads", options.threads, "Threads that call")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
  command.add_option("--calls", options.calls, "Calls of each thread")
      ->capture_default_str()
      ->check(CLI::Range(int64_t(1), int64_t(1) << 40));
  command
      .add_option("--signatures", options.signatures,
                  "Signatures that are called in turn")
      ->capture_default_str()
      ->check(CLI::Range(1, 512));
  command
      .add_option("--shapes", options.shapes,
                  "Shapes whose first results are timed, on each side")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
  tools::addCompileIn(command, options.compileIn);
  command
      .add_option("--rounds", options.rounds,
                  "Rounds in which two threads and two processes take turns")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  tools::addJson(command, options.json);
}

static void addChild(CLI::App &app, EngineChildOptions &options) {
  CLI::App &command = *app.add_subcommand("engine-child");
  command.group(""); // Hidden: `engine` starts it in processes of their own.
  command.add_option("FILE", options.file)->required();
  command.add_flag("--compile", options.mustCompile);
  command.add_option("--signatures", options.signatures);
}

static void addStream(CLI::App &app, StreamOptions &options) {
  CLI::App &command = *app.add_subcommand(
      "stream", "Run streams of calls under several policies of when to "
                "compile, in alternation, and compare what they take");
  command.add_option("FILE", options.file, "Graph to call (.mlir)")->required();
  command.add_option("--func", options.function, "Function to call")
      ->capture_default_str();
  command.add_option("--vary", options.vary,
                     "Sizes of named dims, as for sweep: the signatures");
  command
      .add_option("--shapes", options.shapes,
                  "Streams: constant, zipf, drift, bursts, adversarial, or a "
                  "file of JSON lines")
      ->delimiter(',')
      ->capture_default_str();
  command
      .add_option("--policy", options.policies,
                  "Policies: eager, compile, first:N, auto, auto:SHARE, oracle")
      ->delimiter(',')
      ->capture_default_str();
  command
      .add_option("--lengths", options.lengths,
                  "Calls of the most frequent signature, in n*")
      ->delimiter(',')
      ->capture_default_str()
      ->check(tools::within(0.001, 1000.0));
  command
      .add_option("--rounds", options.rounds,
                  "Least number of times that each policy has its turn")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  command
      .add_option("--seconds", options.seconds,
                  "Rounds are added to these for so long, for each stream, "
                  "until the policy that runs twice is known to 1 %")
      ->capture_default_str()
      ->check(tools::within(0.0, 3600.0));
  command
      .add_option("--sample-seconds", options.sampleSeconds,
                  "Streams that are shorter are repeated for this long")
      ->capture_default_str()
      ->check(tools::within(0.0, 60.0));
  command
      .add_option("--compile-threads", options.compileThreads,
                  "Threads that compile")
      ->capture_default_str()
      ->check(CLI::Range(1, 4096));
  command
      .add_option("--threads", options.threads,
                  "Threads that run a call (default: the cores that compile "
                  "threads leave)")
      ->check(CLI::Range(1, 4096));
  command.add_option("--seed", options.seed, "Seed of random streams")
      ->capture_default_str();
  tools::addOutputFile(command, "--write-trace", options.writeTrace,
                       "Write the last stream to FILE");
  tools::addJson(command, options.json);
}

static void addPredict(CLI::App &app, PredictOptions &options) {
  CLI::App &command = *app.add_subcommand(
      "predict", "Print what C, c and e are expected to be for each shape, "
                 "without compiling or measuring");
  command.add_option("FILE", options.file, "Graph (.mlir)")->required();
  command.add_option("--func", options.function, "Function")
      ->capture_default_str();
  command.add_option("--vary", options.vary,
                     "Sizes of named dims, as in sweep");
  tools::addJson(command, options.json);
}

void addEngineCommands(CLI::App &app, EngineCommands &commands) {
  addLoad(app, commands.load);
  addChild(app, commands.child);
  addStream(app, commands.stream);
  addPredict(app, commands.predict);
}

std::optional<Status>
runEngineCommand(const CLI::App &app, EngineCommands &commands,
                 const std::function<tools::RunEnvironment()> &describe) {
  if (app.got_subcommand("engine")) {
    commands.load.environment = describe();
    return runEngineLoad(commands.load);
  }
  if (app.got_subcommand("predict"))
    return runPredict(commands.predict);
  if (app.got_subcommand("engine-child"))
    return runEngineChild(commands.child);
  if (app.got_subcommand("stream")) {
    commands.stream.environment = describe();
    return runStreams(commands.stream);
  }
  return std::nullopt;
}

} // namespace tandem::bench
