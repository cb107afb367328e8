//===- tandem-run.cpp - Runs a graph on a tier ----------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Auto.h"
#include "Certify.h"
#include "Coverage.h"
#include "Profile.h"

#include "common/ArgSpec.h"
#include "common/CommandLine.h"
#include "common/CustomCalls.h"
#include "common/Options.h"
#include "common/RunEnvironment.h"

using namespace tandem;
using namespace tandem::tools;

namespace {

void addKernelReports(CLI::App &app, RunOptions &options) {
  app.add_flag("--kernels", options.kernels,
               "Print a row for each kernel of the compiled program: what "
               "compiling took, registers, spills and shared memory, and with "
               "--profile its time in a run");
  addOutputFile(app, "--kernel-report", options.kernelReport,
                "Write the same to FILE, as JSON, with the kernels' source and "
                "assembly where the device has such");
}

/// --check, whose kind can only follow with a "=".
void addCheck(CLI::App &app, RunOptions &options) {
  app.add_flag("--check{outputs}", options.checked,
               "Run every tier and compare it with the reference; exit with 1 "
               "if an element is beyond its error bound. --check=steps also "
               "compares each step by itself, on the operands that it has "
               "read; --check=onnxruntime also the results of all nodes of a "
               "model with ONNX Runtime's, in the Python of --python")
      ->check(CLI::IsMember({"outputs", "steps", "onnxruntime"}));
  app.add_option("--python", options.python,
                 "The Python of --check=onnxruntime")
      ->capture_default_str();
}

/// --profile, whose file can only follow with a "=".
void addProfile(CLI::App &app, RunOptions &options) {
  app.add_flag("--profile", options.profile,
               "Time every step, as many times as --repeat says or " +
                   std::to_string(kProfiledRuns) +
                   ", and print a table; --profile=FILE also writes a trace to "
                   "FILE, for https://ui.perfetto.dev")
      ->excludes("--check")
      ->excludes("--certify");
}

void addCoverage(CLI::App &app, RunOptions &options) {
  app.add_flag("--coverage", options.coverage,
               "Print, for each op of the file, how many of its nodes run as "
               "generated code, by a library or by the reference, are folded "
               "away, or cannot be imported, and why; exit with 1 if one "
               "cannot. Of --tier (default: compiled)")
      ->excludes("--check")
      ->excludes("--certify")
      ->excludes("--profile");
}

void addInputs(CLI::App &app, RunOptions &options) {
  app.add_option("--arg", options.args,
                 std::string("An input, once per input in order: ") +
                     kArgSpecHelp +
                     "; inputs of static type that are left out are random")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--input", options.namedInputs,
                 "An input of a model: NAME=VALUE, with VALUE as for --arg; "
                 "inputs that are left out are random")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--dim", options.dims,
                 "The size of a free dim of a model: NAME=SIZE; 1 where it is "
                 "left out")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--f16-intermediates", options.f16Intermediates,
                 "Type of the results of f16 ops between two contractions: "
                 "f16, so that each op rounds, or f32")
      ->check(CLI::IsMember({"f16", "f32"}))
      ->capture_default_str();
}

void addOptions(CLI::App &app, RunOptions &options) {
  app.add_option("FILE", options.file, "Graph to run (.mlir), or model (.onnx)")
      ->required();
  app.add_option("--func", options.function, "Function to run")
      ->capture_default_str();
  addDevice(app, options.device);
  addCustomCalls(app);
  app.add_option("--tier", options.tier,
                 "reference, eager, compiled, or captured, on devices that can "
                 "capture work (default: eager); auto leaves the choice to the "
                 "engine, call by call (see --repeat)")
      ->check(CLI::IsMember(
          {"reference", "eager", "compiled", "captured", "auto"}));
  addInputs(app, options);
  addTargetOptions(app, options.compile.targetOptions);
  addPrecision(app, options.compile.precision);
  app.add_flag("--fallback,!--no-fallback", options.compile.fallback,
               "If a kernel cannot be compiled, run its ops one by one, with a "
               "warning (default), or fail");
  addOutputFile(app, "--fusion-report", options.compile.fusionReport,
                "Write every fusion decision to FILE, as JSON");
  addDiskCache(app, options.compile);
  app.add_option("--reproducer-dir", options.compile.reproducerDir,
                 "Where kernels that cannot be compiled are written (default: "
                 "$TANDEM_REPRODUCER_DIR, or tandem-reproducers-UID in the "
                 "temporary directory)");
  app.add_option("--fail-kernels", options.compile.failKernels,
                 "Make the compilation of kernels fail: a number, or a regular "
                 "expression for their names")
      ->group(""); // Hidden: for tests and for bisecting.
  app.add_option("--threads", options.threads,
                 "Threads of kernels and libraries (default: all cores)")
      ->check(CLI::Range(1, kMaxThreads));
  app.add_option("--repeat", options.repeat,
                 "Run N more times, print median and p10–p90")
      ->check(CLI::Range(1, 100000000));
  addCheck(app, options);
  app.add_flag("--certify", options.certify,
               "Compare the compiled program with eager as the engine does "
               "before it takes it; exit with 1 if they differ")
      ->excludes("--check");
  app.add_flag("--print", options.print, "Print the outputs' elements");
  app.add_flag("--program", options.program,
               "Print the Program that the tier runs: slots and steps");
  addKernelReports(app, options);
  addProfile(app, options);
  addCoverage(app, options);
  app.add_option("--digits", options.digits, "Significant digits of --print")
      ->capture_default_str()
      ->check(CLI::Range(1, 17));
  app.add_option("--out-dir", options.outDir,
                 "Write each output to DIR/output<i>.npy");
  addOutputFile(app, "--save-program", options.programFile,
                "Write the Program that the tier runs, with its kernels' code "
                "and constants (docs/Debugging.md)");
  addJson(app, options.json);
}

/// What --tier=auto can tell.
void addTiering(CLI::App &app, RunOptions &options) {
  app.add_flag(
      "--explain", options.explain,
      "With --tier=auto, print what was measured and decided, when and "
      "why, and what would change it");
  app.add_flag("--strict", options.strict,
               "With --tier=auto, fail if the compiled program computes "
               "something else than eager, or could not be certified");
  app.add_flag("--compile-ahead", options.compileAhead,
               "With --tier=auto, compile before the first call, whatever it "
               "costs");
  addCompileIn(app, options.compileIn);
  app.add_option("--vary", options.vary,
                 "With --tier=auto, call with random inputs of several shapes "
                 "in turn: sizes of named dims, such as n=8,64;m=50..400:50")
      ->excludes("--arg")
      ->excludes("--input");
  addOutputFile(app, "--events", options.eventFile,
                "With --tier=auto, write all decisions to FILE as JSON lines");
  addOutputFile(app, "--trace", options.traceFile,
                "With --tier=auto, write calls, compilations and decisions to "
                "FILE, for https://ui.perfetto.dev");
}

Status checkCombination(const RunOptions &options) {
  const bool isAuto = options.tier == "auto";
  if (!isAuto && (options.explain || options.strict || options.compileAhead ||
                  !options.vary.empty() || !options.eventFile.empty() ||
                  !options.traceFile.empty()))
    return fail("argument", "--explain, --strict, --compile-ahead, --vary, "
                            "--events and --trace need --tier=auto");
  if (isAuto && (options.check || options.certify || options.program ||
                 !options.outDir.empty() || !options.programFile.empty()))
    return fail("argument",
                "--check, --certify, --program, --save-program and --out-dir "
                "are of a tier, not of --tier=auto");
  if (isAuto && !options.profile.empty())
    return fail("argument", "--profile is of a tier, not of --tier=auto",
                "--trace is of --tier=auto");
  if (isAuto && options.coverage)
    return fail("argument", "--coverage is of a tier, not of --tier=auto");
  if (options.profile.empty() || options.profile == "true")
    return {};
  std::string reason = whyNotWritable(options.profile);
  if (!reason.empty())
    return fail("argument", "--profile: " + reason);
  return {};
}

Expected<bool> runAsAsked(const RunOptions &options) {
  TANDEM_RETURN_IF_ERROR(checkCombination(options));
  if (options.tier == "auto") {
    TANDEM_RETURN_IF_ERROR(runAutomatically(options));
    return true;
  }
  if (options.coverage)
    return printCoverage(options);
  return options.certify ? certify(options) : run(options);
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app{"Runs a Tandem graph on a tier, times it, checks it.",
               "tandem-run"};
  RunOptions options;
  addOptions(app, options);
  addTiering(app, options);
  addLibraries(app);
  addEnvironment(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 1;
  }
  options.check = app.count("--check") > 0;
  dropOtherTargetOptions(options.device, options.compile.targetOptions);
  if (options.threads > 0)
    setNumThreads(options.threads);
  options.environment = describeRunEnvironment(argc, argv);
  return finish(runAsAsked(options));
}
