//===- CheckUpdates.cpp - Random graphs that update inputs ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckUpdates.h"

#include "GraphInputs.h"

#include <cstring>

using namespace tandem;
using namespace tandem::fuzz;

std::vector<InputUpdate> fuzz::findUpdates(const RandomGraph &random) {
  std::vector<InputUpdate> updates;
  // Types of the file that are equal may not be equal here, and the reverse.
  if (random.dynamicSeed)
    return updates;
  const std::vector<int> inputs = random.inputs();
  std::vector<bool> isUpdated(inputs.size(), false);
  for (size_t output = 0; output < random.outputs.size(); ++output)
    for (size_t input = 0; input < inputs.size(); ++input) {
      if (isUpdated[input] || random.nodes[inputs[input]].type !=
                                  random.nodes[random.outputs[output]].type)
        continue;
      isUpdated[input] = true;
      updates.push_back({int64_t(input), int64_t(output)});
      break;
    }
  return updates;
}

/// Copies of the outputs of a call on new inputs.
static Expected<Outputs> call(Function &function, const RandomGraph &random,
                              Tier tier, std::span<const InputUpdate> updates) {
  Stream &stream = function.stream();
  TANDEM_ASSIGN_OR_RETURN(std::vector<Tensor> inputs, makeInputs(random));
  TANDEM_ASSIGN_OR_RETURN(Outputs there, copyToDevice(inputs, stream));
  TANDEM_ASSIGN_OR_RETURN(Outputs outputs, function.call(there, tier));
  for (const InputUpdate &update : updates)
    if (outputs[size_t(update.output)].data() !=
        there[size_t(update.input)].data())
      return fail("check", "output " + std::to_string(update.output) +
                               " is not in the memory of input " +
                               std::to_string(update.input));
  TANDEM_ASSIGN_OR_RETURN(outputs, copyToHost(outputs, stream));
  TANDEM_RETURN_IF_ERROR(stream.synchronize());
  return outputs;
}

/// Calls both functions in one tier and compares the bits of their outputs.
static Status compareCalls(Function &plain, Function &updating,
                           const RandomGraph &random, Tier tier,
                           std::span<const InputUpdate> updates) {
  TANDEM_ASSIGN_OR_RETURN(const Outputs expected,
                          call(plain, random, tier, {}));
  TANDEM_ASSIGN_OR_RETURN(const Outputs actual,
                          call(updating, random, tier, updates));
  for (size_t i = 0; i < expected.size(); ++i)
    if (std::memcmp(expected[i].data(), actual[i].data(),
                    size_t(expected[i].bytes())) != 0)
      return fail("check", std::string(name(tier)) + ": output " +
                               std::to_string(i) +
                               " differs if outputs update inputs");
  return {};
}

Status fuzz::checkUpdates(const RandomGraph &random, const Graph &graph,
                          const CheckOptions &options,
                          const std::string &device) {
  const std::vector<InputUpdate> updates = findUpdates(random);
  if (updates.empty())
    return {};
  TANDEM_ASSIGN_OR_RETURN(std::unique_ptr<Graph> updating,
                          graph.withUpdates(updates));
  const bool isCompiled = device != "none";
  const CompileOptions compile =
      compileOptions(options, isCompiled ? device : std::string());
  TieringOptions tiering;
  tiering.mode = Mode::eager;
  TANDEM_ASSIGN_OR_RETURN(auto before, graph.createFunction(compile, tiering));
  TANDEM_ASSIGN_OR_RETURN(auto after,
                          updating->createFunction(compile, tiering));
  TANDEM_RETURN_IF_ERROR(
      compareCalls(*before, *after, random, Tier::eager, updates));
  return isCompiled
             ? compareCalls(*before, *after, random, Tier::compiled, updates)
             : Status();
}
