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
                                   std::span<const TensorType> inputs) {
  TANDEM_ASSIGN_OR_RETURN(PreparedTier prepared,
                          tandem::compileTier(compiler, inputs));
  printWarnings(prepared.warnings);
  return prepared;
}

/// "fuse", or "kernels 12 of 45".
static std::string describe(const CompileProgress &progress) {
  std::string text = "compile: " + std::string(progress.phase);
  if (progress.total)
    text += " " + std::to_string(progress.done) + " of " +
            std::to_string(progress.total);
  return text;
}

void showProgress(CompileOptions &options, ProgressLine &line) {
  options.progress = [&line](const CompileProgress &progress) {
    line.showLate(describe(progress));
  };
}

GraphTiers::GraphTiers(const Graph &graph, CompileOptions options,
                       bool dispatchOnly)
    : graph(graph), options(std::move(options)), dispatchOnly(dispatchOnly) {}

GraphTiers::~GraphTiers() = default;

Expected<Function *> GraphTiers::functionOf(Tier tier) {
  const bool compiles = tier == Tier::compiled || tier == Tier::captured;
  std::unique_ptr<Function> &function = compiles ? compiled : interpreted;
  if (function)
    return function.get();
  ExecutorOptions executor;
  executor.dispatchOnly = dispatchOnly;
  std::shared_ptr<Compiler> compiler;
  if (compiles) {
    CompileOptions compile = options;
    compile.progress = [this](const CompileProgress &progress) {
      if (line)
        line->showLate(describe(progress));
    };
    TANDEM_ASSIGN_OR_RETURN(compiler, graph.createCompiler(std::move(compile)));
  } else {
    TANDEM_ASSIGN_OR_RETURN(Device * device, findDevice(options.device));
    executor.stream = &device->defaultStream();
    executor.libraries.precision = options.precision;
  }
  function = std::make_unique<Function>(graph.eagerProgram(),
                                        std::move(compiler), executor);
  return function.get();
}

Expected<PreparedPtr> GraphTiers::prepare(std::span<const TensorType> inputs,
                                          Tier tier) {
  ProgressLine shown;
  line = &shown;
  const Expected<PreparedPtr> prepared = functionOf(tier).and_then(
      [&](Function *function) { return function->prepare(inputs, tier); });
  line = nullptr;
  if (prepared)
    printWarnings((*prepared)->warnings);
  return prepared;
}

void printWarnings(const std::vector<Warning> &warnings) {
  for (const Warning &warning : warnings)
    std::fprintf(stderr, "%s\n", warning.str().c_str());
}

} // namespace tandem::tools
