//===- Coverage.cpp - How each node of a graph is executed ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Coverage.h"

#include "Remote/SerializedGraph.h"

#include "tandem/Runtime/Profile.h"
#include "tandem/Runtime/Program/ProgramLoops.h"
#include "tandem/Support/HumanReadable.h"
#include "tandem/Tandem.h"
#include "tandem/Target/CPU/MakeCPUOptions.h"

#include <algorithm>
#include <map>

namespace tandem {

std::string_view name(Execution execution) {
  switch (execution) {
  case Execution::folded:
    return "folded";
  case Execution::generated:
    return "generated";
  case Execution::library:
    return "library";
  case Execution::reference:
    return "reference";
  case Execution::notReached:
    return "not reached";
  case Execution::refused:
    return "refused";
  }
  __builtin_unreachable();
}

bool Coverage::isComplete() const {
  return std::none_of(nodes.begin(), nodes.end(), [](const auto &node) {
    return node.execution == Execution::refused;
  });
}

namespace {

Execution executionOf(StepKind kind) {
  switch (kind) {
  case StepKind::kernel:
    return Execution::generated;
  case StepKind::library:
    return Execution::library;
  case StepKind::reference:
    return Execution::reference;
  case StepKind::view:
    return Execution::folded;
  }
  __builtin_unreachable();
}

/// The nodes of a model, or the ops of another graph.
std::vector<NodeCoverage> nodesOf(const Graph &graph) {
  std::vector<NodeCoverage> nodes;
  for (const ModelNode &node : graph.nodes()) {
    NodeCoverage &added = nodes.emplace_back();
    added.location = node.location;
    added.op = node.op;
    added.ops = node.ops;
    added.reason = node.refusal;
    if (!node.refusal.empty())
      added.execution = Execution::refused;
    else if (node.isBehindRefusal)
      added.execution = Execution::notReached;
  }
  if (!nodes.empty())
    return nodes;
  forEachStep(*graph.eagerProgram(), [&](const fb::StepT &step) {
    if (!step.op)
      return;
    NodeCoverage &added = nodes.emplace_back();
    added.location = step.location;
    added.op = tandem::name(step.op->kind);
  });
  return nodes;
}

/// Prepares a tier as a Function does, but without the disk cache.
Expected<PreparedTier> prepare(const Graph &graph, Tier tier,
                               std::span<const TensorType> inputs,
                               CompileOptions options) {
  if (tier == Tier::captured)
    return fail("argument", "captured work has no steps",
                "the compiled tier executes the same steps");
  if (tier == Tier::compiled) {
    options.diskCache = false;
    TANDEM_ASSIGN_OR_RETURN(std::unique_ptr<Compiler> compiler,
                            graph.createCompiler(std::move(options)));
    return compileTier(*compiler, inputs);
  }
  ExecutorOptions executor;
  TANDEM_ASSIGN_OR_RETURN(Device * device, findDevice(options.device));
  executor.stream = &device->defaultStream();
  executor.libraries = libraryOptions(options);
  return interpretTier(graph.eagerProgram(), tier, std::move(executor));
}

/// The steps of a program by the locations of the ops that they execute.
class StepsByLocation {
public:
  explicit StepsByLocation(const std::vector<StepInfo> &steps) {
    for (const StepInfo &step : steps)
      for (const std::string &source : step.sources)
        byLocation[source].push_back(&step);
  }

  /// The step that executes a node and is furthest from generated code; null if
  /// nothing executes the node. Several ops of a graph may have one location,
  /// so a step of the node's own op comes first.
  const StepInfo *find(const NodeCoverage &node) const {
    const auto found = byLocation.find(node.location);
    if (found == byLocation.end())
      return nullptr;
    std::vector<const StepInfo *> steps;
    for (const StepInfo *step : found->second)
      if (mayExecute(*step, node.op))
        steps.push_back(step);
    if (steps.empty())
      steps = found->second;
    return *std::max_element(
        steps.begin(), steps.end(), [](const StepInfo *a, const StepInfo *b) {
          return executionOf(a->kind) < executionOf(b->kind);
        });
  }

private:
  /// Op steps are called by their ops, such as "conv+relu".
  static bool mayExecute(const StepInfo &step, const std::string &op) {
    return step.kind == StepKind::kernel || step.name == "loop" ||
           ("+" + step.name + "+").find("+" + op + "+") != std::string::npos;
  }

  std::map<std::string, std::vector<const StepInfo *>> byLocation;
};

/// Says why nodes of a compiled program are not generated code.
class Reasons {
public:
  Reasons(const std::vector<Warning> &warnings,
          const std::vector<ContractionEstimate> &estimates)
      : estimates(estimates) {
    for (const Warning &warning : warnings)
      for (const std::string &source : warning.sources)
        failures[source] = warning.message;
  }

  std::string find(const NodeCoverage &node) const {
    if (auto failure = failures.find(node.location); failure != failures.end())
      return failure->second;
    const bool isContraction =
        node.step.starts_with("conv") || node.step.starts_with("matmul");
    for (const ContractionEstimate &estimate : estimates)
      if (isContraction && estimate.location == node.location &&
          estimate.isLibrary)
        return "the library is estimated to take " +
               formatTime(estimate.libraryNs) + ", and generated code " +
               formatTime(estimate.generatedNs);
    if (node.op == "custom_call")
      return "the op calls a function that the program registered";
    return "no kernel was planned for this op, so that a provider executes it";
  }

private:
  const std::vector<ContractionEstimate> &estimates;
  std::map<std::string, std::string> failures;
};

/// The estimates by which the compiler chose the library for steps; none for
/// other devices.
Expected<std::vector<ContractionEstimate>>
estimatesOf(const Graph &graph, std::span<const TensorType> inputs,
            CompileOptions options, const std::vector<StepInfo> &steps) {
  moveFormerOptions(options);
  const Expected<CPUOptions> given = parseCPUOptions(options.targetOptions);
  const bool isPredicted =
      given && given->contractions == Contractions::predict &&
      (options.device.empty() || options.device == devices().front().name);
  if (!isPredicted ||
      std::none_of(steps.begin(), steps.end(), [](const StepInfo &step) {
        return step.kind == StepKind::library;
      }))
    return std::vector<ContractionEstimate>();
  return graph.estimateContractions(inputs, options);
}

} // namespace

Expected<Coverage> Graph::coverage(std::span<const TensorType> inputs,
                                   const CompileOptions &options,
                                   Tier tier) const {
  TANDEM_ASSIGN_OR_RETURN(PreparedTier prepared,
                          prepare(*this, tier, inputs, options));
  TANDEM_ASSIGN_OR_RETURN(std::vector<StepInfo> steps,
                          describeSteps(*prepared.executor, inputs));
  const StepsByLocation stepsOf(steps);
  std::vector<ContractionEstimate> estimates;
  if (tier == Tier::compiled) {
    TANDEM_ASSIGN_OR_RETURN(estimates,
                            estimatesOf(*this, inputs, options, steps));
  }
  const Reasons reasons(prepared.warnings, estimates);
  Coverage coverage{tier, nodesOf(*this)};
  for (NodeCoverage &node : coverage.nodes) {
    // Results of refused nodes may be inputs of the graph.
    const bool mayRun = node.execution == Execution::folded && node.ops > 0;
    const StepInfo *step = mayRun ? stepsOf.find(node) : nullptr;
    if (!step || step->kind == StepKind::view)
      continue;
    node.execution = executionOf(step->kind);
    node.step = step->name;
    node.provider = step->provider;
    if (tier == Tier::compiled && node.execution != Execution::generated)
      node.reason = reasons.find(node);
  }
  return coverage;
}

} // namespace tandem
