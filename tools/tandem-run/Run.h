//===- Run.h - Running a graph on a tier ------------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_RUN_RUN_H
#define TANDEM_TOOLS_TANDEM_RUN_RUN_H

#include "common/RunEnvironment.h"
#include "common/Tiers.h"

#include <string>
#include <vector>

namespace tandem::tools {

/// The options of tandem-run.
struct RunOptions {
  bool checksSteps() const { return check && checked != "outputs"; }

  std::string file, function = "main", device = tools::defaultDevice();
  /// The tier. If empty, the eager tier on the CPU, and the compiled tier on
  /// other devices.
  std::string tier;
  std::vector<std::string> args;
  /// The inputs and the sizes of free dims of models, as NAME=VALUE.
  std::vector<std::string> namedInputs, dims;
  /// The same as ImportOptions::f16Intermediates.
  std::string f16Intermediates = "f16";
  int threads = 0, repeat = 0, digits = 5;
  /// What --check compares: "outputs", "steps", or "onnxruntime".
  std::string checked = "outputs";
  /// The Python that has ONNX Runtime.
  std::string python = "python3";
  bool check = false, certify = false, print = false, program = false;
  bool kernels = false, coverage = false;
  CompileOptions compile;
  std::string outDir, programFile, kernelReport, json;
  /// Whether to time every step: empty where not, "true" where there is to be
  /// no trace, otherwise the file of the trace.
  std::string profile;
  /// Options of --tier=auto.
  bool explain = false, strict = false, compileAhead = false;
  std::string vary, eventFile, traceFile;
  CompileIn compileIn = CompileIn::process;
  RunEnvironment environment;
};

/// Runs the graph as the options say. Returns false where --check found an
/// output with an element beyond its error bound, otherwise true.
Expected<bool> run(const RunOptions &options);

} // namespace tandem::tools

#endif // TANDEM_TOOLS_TANDEM_RUN_RUN_H
