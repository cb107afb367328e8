//===- tandem-bench.cpp - What eager costs, what compiling costs ----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bars/Bars.h"
#include "bars/CompileMemory.h"
#include "bars/CompileScaling.h"
#include "compare/ComparisonCases.h"
#include "compare/TierComparison.h"
#include "gpu/GPUCommands.h"
#include "gpu/MeasureDevice.h"
#include "stream/EngineCommands.h"
#include "sweep/Sweep.h"

#include "common/CommandLine.h"
#include "common/CustomCalls.h"
#include "common/Options.h"

#include <map>

using namespace tandem;
using namespace tandem::bench;

namespace {

void addGraphOptions(CLI::App &command, MeasureOptions &options) {
  command.add_option("FILE", options.file, "Graph to measure (.mlir)")
      ->required();
  command.add_option("--func", options.function, "Function to measure")
      ->capture_default_str();
  tools::addDevice(command, options.device);
  tools::addPrecision(command, options.precision);
}

void addThreads(CLI::App &command, int &threads) {
  command
      .add_option("--threads", threads,
                  "Threads of kernels and libraries (default: all cores)")
      ->check(CLI::Range(1, 4096));
}

void addTrain(CLI::App &command, TrainOptions &options) {
  command
      .add_option("--train", options.optimizer,
                  "Measure training steps of this optimizer. The first output "
                  "of the graph is the loss")
      ->check(CLI::IsMember(optimizerNames()));
  command
      .add_option("--parameters", options.parameters,
                  "Numbers or names of the inputs that --train trains, with "
                  "commas between (default: all of f32 or f64 with static "
                  "shapes, except scalars)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->needs("--train");
}

void addSweep(CLI::App &app, SweepOptions &options) {
  CLI::App &command = *app.add_subcommand(
      "sweep", "For each shape, measure eager and compiled time, compile cost "
               "by phase, and the number of calls after which compiling pays");
  addGraphOptions(command, options.measure);
  addThreads(command, options.measure.threads);
  command.add_option("--vary", options.vary,
                     "Sizes of named dims: 'N=1,8,64;L=50..400:50'; every "
                     "combination is measured");
  command
      .add_option("--seconds", options.measure.seconds,
                  "Seconds for measuring the calls of one shape")
      ->capture_default_str()
      ->check(tools::within(0.01, 3600.0));
  command
      .add_option("--cold-runs", options.measure.coldRuns,
                  "Number of new processes that compile each shape")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  command.add_flag(
      "--disk-cache", options.measure.withDiskCache,
      "Measure such processes with the cache on disk, too: when it "
      "is empty, and when it has the program (docs/Cache.md)");
  addTrain(command, options.measure.train);
  tools::addJson(command, options.json);
  tools::addOutputFile(command, "--html", options.html,
                       "Write a report to FILE");
}

void addBars(CLI::App &app, BarsOptions &options) {
  CLI::App &command = *app.add_subcommand(
      "bars", "Compare measured figures with the project's performance bars");
  addThreads(command, options.threads);
  command
      .add_option("--only", options.only,
                  "Measure only these groups, as in a,b")
      ->delimiter(',')
      ->check(CLI::IsMember(barGroups()));
  command.add_option("--seconds", options.seconds, "Seconds for each figure")
      ->capture_default_str()
      ->check(tools::within(0.01, 3600.0));
  tools::addJson(command, options.json);
}

void addComparisonOptions(CLI::App &command, ComparisonOptions &options,
                          int &threads) {
  addThreads(command, threads);
  tools::addTargetOptions(command, options.targetOptions);
  command
      .add_option("--seconds", options.seconds,
                  "Seconds for the figures of each shape")
      ->capture_default_str()
      ->check(tools::within(0.01, 3600.0));
  command
      .add_option_function<std::string>(
          "--data",
          [&options](const std::string &name) {
            options.data =
                name == "cache" ? DataSource::cache : DataSource::memory;
          },
          "Where images come from: from memory, or from the last-level cache "
          "(default: memory)")
      ->check(CLI::IsMember({"memory", "cache"}));
  tools::addJson(command, options.json);
}

/// The types of data that contractions are compared in.
constexpr DType kContractedTypes[] = {DType::f32, DType::bf16, DType::ui8,
                                      DType::i8};

void addDType(CLI::App &command, DType &dtype) {
  command
      .add_option_function<std::string>(
          "--dtype",
          [&dtype](const std::string &text) {
            for (DType each : kContractedTypes)
              if (name(each) == text)
                dtype = each;
          },
          "Element type of the data. Floats are that of all operands and of "
          "the result. Integers have weights of i8 and results of i32; their "
          "speeds are in Gop/s, and the peak is that of f32")
      ->check(CLI::IsMember({"f32", "bf16", "ui8", "i8"}));
}

void addConv(CLI::App &app, ConvSelection &selection,
             ComparisonOptions &options, int &threads) {
  CLI::App &command = *app.add_subcommand(
      "conv", "For each convolution of some lists, measure generated code by "
              "each of its methods, oneDNN in several formats, and what the "
              "compiled tier chooses");
  command
      .add_option(
          "--shapes", selection.files,
          "Lists of convolutions in benchdnn's format (test/shapes/conv)")
      ->required();
  command
      .add_option("--mb", selection.batch,
                  "Batch size that replaces those of the lists (0 keeps them)")
      ->capture_default_str()
      ->check(CLI::Range(0, 4096));
  command
      .add_option("--layout", selection.layout, "Layout of images and kernels")
      ->capture_default_str()
      ->check(CLI::IsMember({"nhwc", "nchw"}));
  command.add_option("--filter", selection.filter,
                     "Only shapes whose name contains this");
  command.add_flag("--relu", selection.withReLU,
                   "Follow each with a ReLU (oneDNN alone is not measured)");
  addDType(command, selection.dtype);
  addComparisonOptions(command, options, threads);
}

void addMatmul(CLI::App &app, std::vector<std::string> &shapes, DType &dtype,
               ComparisonOptions &options, int &threads) {
  CLI::App &command = *app.add_subcommand(
      "matmul", "The same for matrix products with a constant right-hand side");
  shapes = defaultMatmulShapes();
  command
      .add_option("--shapes", shapes,
                  "Shapes: MxNxK, or 512 for a square product")
      ->capture_default_str();
  addDType(command, dtype);
  addComparisonOptions(command, options, threads);
}

Expected<bool> runConv(const ConvSelection &selection,
                       const ComparisonOptions &options) {
  TANDEM_ASSIGN_OR_RETURN(std::vector<ComparisonCase> cases,
                          convCases(selection));
  return runComparisons("tandem-bench conv", cases, options);
}

Expected<bool> runMatmul(const std::vector<std::string> &shapes, DType dtype,
                         const ComparisonOptions &options) {
  std::vector<ComparisonCase> cases;
  for (const std::string &text : shapes) {
    TANDEM_ASSIGN_OR_RETURN(MatmulShape shape, parseMatmulShape(text));
    shape.dtype = dtype;
    cases.push_back(matmulCase(shape));
  }
  return runComparisons("tandem-bench matmul", cases, options);
}

void addTiers(CLI::App &app, TierComparisonOptions &options) {
  options.threads = {1};
  if (numThreads() > 1)
    options.threads.push_back(numThreads());
  CLI::App &command = *app.add_subcommand(
      "tiers", "Run single ops of every kind, dtype and size on both tiers, "
               "and print those in which compiled is slower than eager");
  command.add_option("--filter", options.filter,
                     "Only cases whose name matches this regular expression");
  command.add_option(
      "--random", options.random,
      "SEED:COUNT: run random graphs of tandem-fuzz in place of single ops");
  command
      .add_option("--threads", options.threads,
                  "Numbers of threads to measure each case on (default: one "
                  "and all)")
      ->delimiter(',')
      ->check(CLI::Range(1, 4096));
  command.add_option("--seconds", options.seconds, "Seconds for each case")
      ->capture_default_str()
      ->check(tools::within(0.001, 3600.0));
  tools::addJson(command, options.json);
}

void addDevice(CLI::App &app, DeviceOptions &options) {
  CLI::App &command = *app.add_subcommand(
      "device", "Measure this machine, and store the result for all later "
                "choices between ways to compute");
  command.add_flag("!--no-store", options.store,
                   "Only print the result, do not store it");
  command.add_option("--runs", options.runs, "Number of measurements")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  command.add_option(
      "--shapes", options.shapes,
      "Lists of convolutions in benchdnn's format: report for how many of them "
      "every measurement leads to the same choice");
}

void addScaling(CLI::App &app, ScalingOptions &options) {
  CLI::App &command = *app.add_subcommand(
      "compile-scaling", "Measure the compile cost as a graph grows: in all, "
                         "per kernel, and for fusion");
  addThreads(command, options.threads);
  command.add_option("--ops", options.ops, "Sizes of the graphs, as in 10,100")
      ->delimiter(',')
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
  command
      .add_option("--runs", options.runs,
                  "Number of compilations of each graph")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  tools::addJson(command, options.json);
}

void addCompileMemory(CLI::App &app, CompileMemoryOptions &options) {
  CLI::App &command = *app.add_subcommand(
      "compile-memory", "Measure the memory of the process while it compiles a "
                        "graph for more and more shapes");
  command.add_option("FILE", options.file, "Graph to compile (.mlir)")
      ->required();
  command
      .add_option(
          "--dim", options.dim,
          "The named dim that takes the sizes 1, 2, 3, ...; others are 16")
      ->capture_default_str();
  command
      .add_option("--shapes", options.shapes,
                  "Numbers of shapes after which to report")
      ->delimiter(',')
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000));
}

void addCold(CLI::App &app, MeasureOptions &options,
             std::vector<std::string> &dims, std::string &cacheDir) {
  CLI::App &command = *app.add_subcommand("cold-compile");
  command.group(""); // Hidden: `sweep` starts it in fresh processes.
  addGraphOptions(command, options);
  addThreads(command, options.threads);
  command.add_option("--cache-dir", cacheDir);
  command.add_option("--dims", dims)->allow_extra_args(false);
  addTrain(command, options.train);
}

struct CommandOptions {
  SweepOptions sweep;
  BarsOptions bars;
  ConvSelection convs;
  std::vector<std::string> matmuls;
  DType matmulType = DType::f32;
  ComparisonOptions comparison;
  int comparisonThreads = 0;
  TierComparisonOptions tiers;
  DeviceOptions device;
  GPUCommands gpu;
  ScalingOptions scaling;
  CompileMemoryOptions memory;
  EngineCommands engine;
  MeasureOptions cold;
  std::vector<std::string> coldDims;
  std::string coldCacheDir;
};

void addCommands(CLI::App &app, CommandOptions &options) {
  addSweep(app, options.sweep);
  addBars(app, options.bars);
  addConv(app, options.convs, options.comparison, options.comparisonThreads);
  addMatmul(app, options.matmuls, options.matmulType, options.comparison,
            options.comparisonThreads);
  addTiers(app, options.tiers);
  addDevice(app, options.device);
  addGPUCommands(app, options.gpu);
  addScaling(app, options.scaling);
  addCompileMemory(app, options.memory);
  addEngineCommands(app, options.engine);
  addCold(app, options.cold, options.coldDims, options.coldCacheDir);
}

Expected<bool> toExpected(const Status &status) {
  if (!status)
    return tl::unexpected<Error>(status.error());
  return true;
}

/// Runs the command that was given; says whether all was as it should be.
Expected<bool> run(const CLI::App &app, CommandOptions &options, int argc,
                   char **argv) {
  auto describe = [&] { return tools::describeRunEnvironment(argc, argv); };
  if (app.got_subcommand("sweep")) {
    options.sweep.environment = describe();
    options.sweep.measure.cacheBytes = options.sweep.environment.cacheBytes;
    return sweep(options.sweep);
  }
  if (app.got_subcommand("bars")) {
    options.bars.environment = describe();
    return runBars(options.bars);
  }
  if (app.got_subcommand("conv") || app.got_subcommand("matmul")) {
    options.comparison.environment = describe();
    return app.got_subcommand("conv")
               ? runConv(options.convs, options.comparison)
               : runMatmul(options.matmuls, options.matmulType,
                           options.comparison);
  }
  if (app.got_subcommand("tiers")) {
    options.tiers.environment = describe();
    return runTierComparison(options.tiers);
  }
  if (app.got_subcommand("device")) {
    options.device.environment = describe();
    return toExpected(runDevice(options.device));
  }
  if (app.got_subcommand("compile-scaling")) {
    options.scaling.environment = describe();
    return toExpected(runScaling(options.scaling));
  }
  if (app.got_subcommand("compile-memory"))
    return toExpected(runCompileMemory(options.memory));
  if (auto passed = runGPUCommand(app, options.gpu, describe))
    return *passed;
  if (auto status = runEngineCommand(app, options.engine, describe))
    return toExpected(*status);
  const MeasureOptions &cold = options.cold;
  CompileJob job{cold.file, cold.function,  cold.device, cold.threads,
                 {},        cold.precision, cold.train};
  return toExpected(runColdChild(job, options.coldDims, options.coldCacheDir));
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app{"Measures when compiling a Tandem graph pays.", "tandem-bench"};
  tools::addLibraries(app);
  tools::addCustomCalls(app);
  tools::addEnvironment(app);
  app.require_subcommand(1);
  allowBackgroundCalibration(false); // It would disturb.
  setenv(name(Variable::diskCache).data(), "off", /*overwrite=*/1);
  CommandOptions options;
  addCommands(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 1;
  }
  for (int threads : {options.sweep.measure.threads, options.bars.threads,
                      options.cold.threads, options.comparisonThreads,
                      options.scaling.threads})
    if (threads > 0)
      setNumThreads(threads);
  return tools::finish(run(app, options, argc, argv));
}
