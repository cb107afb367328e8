//===- Tiers.cpp - A graph made ready to run on a tier --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Tiers.h"

#include "common/ProgressLine.h"

#include "tandem/Measure/Sampler.h"

#include <cstdio>

namespace tandem::tools {

std::string defaultDevice() { return std::string(devices().front().name); }

Expected<PreparedTier> compileTier(Compiler &compiler,
                                   std::span<const TensorType> inputs,
                                   bool dispatchOnly, Tier tier) {
  ExecutorOptions options;
  options.dispatchOnly = dispatchOnly;
  options.capture = tier == Tier::captured;
  TANDEM_ASSIGN_OR_RETURN(
      PreparedTier prepared,
      tandem::compileTier(compiler, inputs, std::move(options)));
  printWarnings(prepared.warnings);
  return prepared;
}

/// "fuse", or "kernels 12 of 45".
static std::string describe(const CompileProgress &progress) {
  std::string text(progress.phase);
  if (progress.total)
    text += " " + std::to_string(progress.done) + " of " +
            std::to_string(progress.total);
  return text;
}

void showProgress(CompileOptions &options, ProgressLine &line) {
  options.progress = [&line](const CompileProgress &progress) {
    line.showLate("compile: " + describe(progress));
  };
}

Expected<PreparedTier> prepareTier(const Graph &graph, Tier tier,
                                   std::span<const TensorType> inputs,
                                   const TierOptions &options) {
  if (tier == Tier::compiled || tier == Tier::captured) {
    ProgressLine line;
    CompileOptions compile = options.compile;
    showProgress(compile, line);
    TANDEM_ASSIGN_OR_RETURN(std::unique_ptr<Compiler> compiler,
                            graph.createCompiler(compile));
    return compileTier(*compiler, inputs, options.dispatchOnly, tier);
  }
  ExecutorOptions executorOptions;
  executorOptions.dispatchOnly = options.dispatchOnly;
  TANDEM_ASSIGN_OR_RETURN(Device * device, findDevice(options.compile.device));
  executorOptions.stream = &device->defaultStream();
  executorOptions.libraries.precision = options.compile.precision;
  return interpretTier(graph.eagerProgram(), tier, std::move(executorOptions));
}

void printWarnings(const std::vector<Warning> &warnings) {
  for (const Warning &warning : warnings)
    std::fprintf(stderr, "%s\n", warning.str().c_str());
}

std::vector<TensorType> typesOf(std::span<const Tensor> tensors) {
  std::vector<TensorType> types;
  for (const Tensor &tensor : tensors)
    types.push_back(tensor.type());
  return types;
}

} // namespace tandem::tools
