//===- CheckGraph.cpp - Runs a random graph on every tier -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckGraph.h"

#include "CheckEngine.h"
#include "CheckGradients.h"
#include "CheckUpdates.h"
#include "GraphInputs.h"

#include "engine/certificate/Certificate.h"
#include "tandem/ProgramTransforms/MemoryPlan.h"
#include "tandem/Runtime/ErrorBounds.h"
#include "tandem/Tandem.h"

#include <oneapi/tbb/task_arena.h>

#include <cstdio>

using namespace tandem;
using namespace tandem::fuzz;

namespace {

/// One graph on its way through the tiers.
class Checker {
public:
  Checker(const RandomGraph &random, const CheckOptions &options)
      : random(random), options(options) {}

  CheckResult run();

private:
  Status checkTiers();
  Status checkGradients();
  Status compareTiers();
  Status checkEngine();
  Status checkUpdates();
  Expected<Outputs> runEager(std::shared_ptr<const Program> program,
                             const std::string &device) const;
  Expected<Outputs> runCompiled(const std::string &device);
  Status checkCaptured(const Compiled &compiled, Stream &stream);
  Status execute(Executor &executor, Outputs &outputs,
                 int64_t *peakBytes) const;
  void findWeakness();
  Status compareOutputs(const Outputs &actual);
  Status certify(const std::string &device, const Outputs &compiled);

  const RandomGraph &random;
  const CheckOptions &options;
  std::unique_ptr<Graph> graph;
  std::vector<Tensor> inputs;
  std::vector<BoundedTensor> expected;
  CheckResult result;
};

} // namespace

/// In an arena of as many threads as are asked for: oneTBB's own has no more
/// than there are processors.
Status Checker::execute(Executor &executor, Outputs &outputs,
                        int64_t *peakBytes) const {
  Stream &stream = executor.stream();
  TANDEM_ASSIGN_OR_RETURN(Outputs there, copyToDevice(inputs, stream));
  tbb::task_arena arena(options.threads);
  TANDEM_RETURN_IF_ERROR(
      arena.execute([&] { return executor.run(there, outputs, peakBytes); }));
  TANDEM_ASSIGN_OR_RETURN(outputs, copyToHost(outputs, stream));
  return {};
}

Expected<Outputs> Checker::runEager(std::shared_ptr<const Program> program,
                                    const std::string &device) const {
  TANDEM_ASSIGN_OR_RETURN(Device * found, findDevice(device));
  ExecutorOptions executorOptions;
  executorOptions.stream = &found->defaultStream();
  TANDEM_ASSIGN_OR_RETURN(
      auto executor, Executor::create(std::move(program), executorOptions));
  Outputs outputs;
  TANDEM_RETURN_IF_ERROR(execute(*executor, outputs, nullptr));
  return outputs;
}

/// The compiled program as captured work: enqueued step by step at first, then
/// captured, then launched as it is.
Status Checker::checkCaptured(const Compiled &compiled, Stream &stream) {
  ExecutorOptions executorOptions;
  executorOptions.stream = &stream;
  TANDEM_ASSIGN_OR_RETURN(PreparedTier captured,
                          captureTier(compiled, executorOptions));
  Outputs outputs;
  for (int run = 0; run < 3; ++run)
    TANDEM_RETURN_IF_ERROR(execute(*captured.executor, outputs, nullptr));
  if (std::optional<Error> failure = captured.executor->captureFailure())
    return tl::unexpected(std::move(*failure));
  return compareOutputs(outputs);
}

Expected<Outputs> Checker::runCompiled(const std::string &device) {
  TANDEM_ASSIGN_OR_RETURN(
      auto compiler, graph->createCompiler(compileOptions(options, device)));
  TANDEM_ASSIGN_OR_RETURN(Compiled compiled,
                          compiler->compile(typesOf(inputs)));
  TANDEM_RETURN_IF_ERROR(checkMemoryPlan(*compiled.program));
  ExecutorOptions executorOptions;
  executorOptions.kernels = compiled.kernels;
  executorOptions.stream = &compiler->device().defaultStream();
  TANDEM_ASSIGN_OR_RETURN(auto executor,
                          Executor::create(compiled.program, executorOptions));
  Outputs outputs;
  int64_t peakBytes = 0;
  TANDEM_RETURN_IF_ERROR(execute(*executor, outputs, &peakBytes));
  if (int64_t planned = executor->plannedPeakBytes().value_or(peakBytes);
      planned != peakBytes)
    return fail("memory", "the call held " + std::to_string(peakBytes) +
                              " bytes at its peak, planned are " +
                              std::to_string(planned));
  if (compiler->device().canCapture())
    TANDEM_RETURN_IF_ERROR(checkCaptured(compiled, executor->stream()));
  return outputs;
}

/// Whether wrong results could pass: reference compared with itself has the
/// same bounds.
void Checker::findWeakness() {
  for (const BoundedTensor &output : expected)
    result.isWeak |=
        compare(output.value, output.value, output.bounds).isWeak();
}

Status Checker::compareOutputs(const Outputs &actual) {
  for (size_t i = 0; i < expected.size(); ++i) {
    const Tensor &want = expected[i].value, &got = actual[i];
    if (!(want.type() == got.type()))
      return fail("check", "output " + std::to_string(i) + " is " +
                               got.type().str() + ", not " + want.type().str());
    Difference diff = compare(want, got, expected[i].bounds);
    ++result.outputs;
    result.elements += diff.compared;
    if (diff.agrees())
      continue;
    char text[256];
    std::snprintf(text, sizeof text,
                  "output %zu, element %lld: %.9g instead of %.9g, bound %.3g; "
                  "%lld of %lld differ",
                  i, static_cast<long long>(diff.worstIndex), diff.actual,
                  diff.expected, diff.bound,
                  static_cast<long long>(diff.mismatches),
                  static_cast<long long>(diff.compared));
    return fail("check", text);
  }
  return {};
}

/// The certificate of outputs that are known to be right.
Status Checker::certify(const std::string &device, const Outputs &compiled) {
  TANDEM_ASSIGN_OR_RETURN(
      auto certifier,
      tiering::Certifier::create(graph->eagerProgram(), typesOf(inputs)));
  TANDEM_ASSIGN_OR_RETURN(Outputs eager, runEager(certifier.program(), device));
  const tiering::Certificate certificate =
      certifier.certify(inputs, eager, compiled);
  using Verdict = tiering::Certificate::Verdict;
  CertificateCounts &counts = result.certificates;
  counts.passed += certificate.verdict == Verdict::passed;
  counts.provisional += certificate.verdict == Verdict::provisional;
  if (certificate.verdict == Verdict::failed) {
    ++counts.leftToBounds;
    TANDEM_ASSIGN_OR_RETURN(const auto confirmed,
                            certifier.confirm(inputs, eager, compiled));
    if (confirmed.verdict == Verdict::undecided) {
      ++counts.undecided;
      result.undecided = confirmed.str();
    }
  }
  for (size_t i = 0; i < compiled.size(); ++i) {
    const auto elements =
        static_cast<double>(compiled[i].shape().numElements());
    ++counts.outputs;
    counts.weakOutputs += certifier.tolerance().outputs[i].isWeak(elements);
  }
  return {};
}

Status Checker::checkTiers() {
  TANDEM_ASSIGN_OR_RETURN(graph, Graph::parseString(random.toMLIR()));
  TANDEM_ASSIGN_OR_RETURN(inputs, makeInputs(random));
  return compareTiers();
}

/// Graphs that cannot be differentiated say nothing.
Status Checker::checkGradients() {
  TANDEM_ASSIGN_OR_RETURN(graph, Graph::parseString(random.toMLIR()));
  TANDEM_ASSIGN_OR_RETURN(inputs, makeInputs(random));
  auto made = differentiate(random, *graph, inputs);
  if (!made &&
      made.error().message.find("has no gradient") != std::string::npos)
    ++result.differences.refused;
  else if (!made)
    return tl::unexpected(std::move(made.error()));
  result.isWeak = !made || !*made;
  if (result.isWeak)
    return {};
  TANDEM_ASSIGN_OR_RETURN(const DifferenceCheck check,
                          checkDifferences(random));
  result.differences.agree += check.verdict == Differences::agree;
  result.differences.undecided += check.verdict == Differences::undecided;
  if (check.verdict == Differences::disagree)
    return fail("check", "the derivative by differences is " +
                             std::to_string(check.difference) +
                             ", and by the gradients " +
                             std::to_string(check.derivative));
  graph = std::move((*made)->graph);
  inputs = std::move((*made)->inputs);
  return compareTiers();
}

Status Checker::compareTiers() {
  TANDEM_ASSIGN_OR_RETURN(expected,
                          evaluateWithBounds(*graph->eagerProgram(), inputs));
  findWeakness();
  if (result.isWeak)
    return {};
  auto named = [](const std::string &tier) {
    return [tier](Error error) {
      error.message = tier + ": " + error.message;
      return error;
    };
  };
  auto compared = [&](const Outputs &outputs) {
    return compareOutputs(outputs);
  };
  for (const std::string &device : options.devices) {
    const bool isCompiled = device != "none";
    TANDEM_RETURN_IF_ERROR(
        runEager(graph->eagerProgram(), isCompiled ? device : std::string())
            .and_then(compared)
            .map_error(named("eager on " + device)));
    if (!isCompiled)
      continue;
    TANDEM_ASSIGN_OR_RETURN(
        Outputs compiled,
        runCompiled(device).map_error(named("compiled for " + device)));
    TANDEM_RETURN_IF_ERROR(
        compareOutputs(compiled).map_error(named("compiled for " + device)));
    if (options.certify)
      TANDEM_RETURN_IF_ERROR(certify(device, compiled));
  }
  return {};
}

Status Checker::checkEngine() {
  TANDEM_ASSIGN_OR_RETURN(graph, Graph::parseString(random.toMLIR()));
  for (const std::string &device : options.devices)
    TANDEM_RETURN_IF_ERROR(
        fuzz::checkEngine(random, *graph, options, device, result));
  return {};
}

/// Graphs without an output of an input's type say nothing.
Status Checker::checkUpdates() {
  const auto numUpdates = static_cast<int64_t>(findUpdates(random).size());
  result.isWeak = numUpdates == 0;
  TANDEM_ASSIGN_OR_RETURN(graph, Graph::parseString(random.toMLIR()));
  for (const std::string &device : options.devices) {
    TANDEM_RETURN_IF_ERROR(fuzz::checkUpdates(random, *graph, options, device));
    result.outputs += numUpdates;
    result.elements += numUpdates;
  }
  return {};
}

CheckResult Checker::run() {
  if (Status status = options.engine      ? checkEngine()
                      : options.gradients ? checkGradients()
                      : options.updates   ? checkUpdates()
                                          : checkTiers();
      !status)
    result.failure = status.error().str();
  return std::move(result);
}

CertificateCounts &
CertificateCounts::operator+=(const CertificateCounts &other) {
  passed += other.passed;
  provisional += other.provisional;
  leftToBounds += other.leftToBounds;
  undecided += other.undecided;
  outputs += other.outputs;
  weakOutputs += other.weakOutputs;
  return *this;
}

DifferenceCounts &DifferenceCounts::operator+=(const DifferenceCounts &other) {
  agree += other.agree;
  undecided += other.undecided;
  refused += other.refused;
  return *this;
}

EngineCounts &EngineCounts::operator+=(const EngineCounts &other) {
  calls += other.calls;
  compiledCalls += other.compiledCalls;
  capturedCalls += other.capturedCalls;
  promotions += other.promotions;
  demotions += other.demotions;
  captures += other.captures;
  changed += other.changed;
  undecided += other.undecided;
  return *this;
}

CheckResult fuzz::checkGraph(const RandomGraph &graph,
                             const CheckOptions &options) {
  return Checker(graph, options).run();
}

RandomGraph fuzz::reduceGraph(RandomGraph graph, const CheckOptions &options) {
  auto keepIfFailing = [&](RandomGraph candidate) {
    candidate.removeDead();
    if (!checkGraph(candidate, options).failure)
      return false;
    graph = std::move(candidate);
    return true;
  };
  for (int output : std::vector<int>(graph.outputs)) {
    RandomGraph candidate = graph;
    candidate.outputs = {output};
    if (keepIfFailing(std::move(candidate)))
      break;
  }
  for (uint64_t RandomGraph::*seed :
       {&RandomGraph::dynamicSeed, &RandomGraph::specialSeed}) {
    RandomGraph candidate = graph;
    candidate.*seed = 0;
    keepIfFailing(std::move(candidate));
  }
  for (size_t back = 1; back <= graph.nodes.size(); ++back) {
    size_t i = graph.nodes.size() - back;
    if (graph.nodes[i].kind == NodeKind::input)
      continue;
    RandomGraph candidate = graph;
    Node replacement;
    replacement.kind = NodeKind::input;
    replacement.type = graph.nodes[i].type;
    candidate.nodes[i] = std::move(replacement);
    keepIfFailing(std::move(candidate));
  }
  return graph;
}
