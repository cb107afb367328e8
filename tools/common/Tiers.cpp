//===- Tiers.cpp - A graph made ready to run on a tier --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Tiers.h"

#include "tandem/Measure/Sampler.h"

#include <cstdio>

namespace tandem::tools {

template <typename Choice>
static std::vector<std::pair<std::string, Choice>>
namesOf(std::initializer_list<Choice> choices) {
  std::vector<std::pair<std::string, Choice>> names;
  for (Choice choice : choices)
    names.emplace_back(name(choice), choice);
  return names;
}

std::string defaultDevice() { return std::string(devices().front().name); }

const char *const kContractionsHelp =
    "Who computes convolutions and products that a kernel and the library "
    "both can: predict, measure, generated, library";

const std::vector<std::pair<std::string, Contractions>> &contractionChoices() {
  static const auto choices =
      namesOf({Contractions::predict, Contractions::measure,
               Contractions::generated, Contractions::library});
  return choices;
}

const char *const kWinogradHelp =
    "Where kernels of 3x3 convolutions take fewer products, by Winograd's "
    "method: never, auto, always";

const std::vector<std::pair<std::string, Winograd>> &winogradChoices() {
  static const auto choices =
      namesOf({Winograd::never, Winograd::automatic, Winograd::always});
  return choices;
}

Expected<PreparedTier> compileTier(Compiler &compiler,
                                   std::span<const TensorType> inputs,
                                   bool dispatchOnly) {
  ExecutorOptions options;
  options.dispatchOnly = dispatchOnly;
  TANDEM_ASSIGN_OR_RETURN(
      PreparedTier prepared,
      tandem::compileTier(compiler, inputs, std::move(options)));
  printWarnings(prepared.warnings);
  return prepared;
}

Expected<PreparedTier> prepareTier(const Graph &graph, Tier tier,
                                   std::span<const TensorType> inputs,
                                   const TierOptions &options) {
  if (tier == Tier::compiled) {
    TANDEM_ASSIGN_OR_RETURN(std::unique_ptr<Compiler> compiler,
                            graph.createCompiler(options.compile));
    return compileTier(*compiler, inputs, options.dispatchOnly);
  }
  ExecutorOptions executorOptions;
  executorOptions.dispatchOnly = options.dispatchOnly;
  TANDEM_ASSIGN_OR_RETURN(Device * device, findDevice(options.compile.device));
  executorOptions.stream = &device->defaultStream();
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
