//===- tandem-fuzz.cpp - Every tier agrees on random graphs ---------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes random graphs, runs each through reference, eager and compiled, and
// compares every output within the bound that the generator derived for it. A
// failing graph is reduced and printed as a file that tandem-run accepts.
//
//===----------------------------------------------------------------------===//

#include "RandomGraph.h"
#include "tandem/Analysis/MemoryPlan.h"
#include "tandem/Runtime/Compare.h"
#include "tandem/Tandem.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>

using namespace tandem;
using namespace tandem::fuzz;

namespace {

struct Options {
  uint64_t seed = 1;
  int64_t count = 2000;
  int threads = static_cast<int>(std::thread::hardware_concurrency());
  /// To compile for; "none": eager alone is compared.
  std::vector<std::string> devices = {"cpu"};
  bool print = false, winograd = false;
  GraphOptions graph;
};

using Failure = std::optional<std::string>;

Expected<std::vector<Tensor>> makeInputs(const RandomGraph &graph) {
  std::vector<Tensor> inputs;
  for (int i : graph.inputs()) {
    TANDEM_ASSIGN_OR_RETURN(Tensor tensor,
                            Tensor::allocate(graph.nodes[i].type));
    fillRandom(tensor, 1 + inputs.size());
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

Expected<std::vector<Tensor>> runEager(const Graph &graph,
                                       ProviderList providers,
                                       std::span<const Tensor> inputs) {
  ExecutorOptions options;
  options.providers = providers;
  TANDEM_ASSIGN_OR_RETURN(auto executor,
                          Executor::create(graph.eagerProgram(), options));
  std::vector<Tensor> outputs;
  TANDEM_RETURN_IF_ERROR(executor->run(inputs, outputs));
  return outputs;
}

Expected<std::vector<Tensor>> runCompiled(const Graph &graph,
                                          CompileOptions compileOptions,
                                          std::span<const Tensor> inputs) {
  compileOptions.fallback = false; // It would hide what is looked for.
  TANDEM_ASSIGN_OR_RETURN(auto compiler, graph.createCompiler(compileOptions));
  std::vector<TensorType> types;
  for (const Tensor &input : inputs)
    types.push_back(input.type());
  TANDEM_ASSIGN_OR_RETURN(Compiled compiled, compiler->compile(types));
  TANDEM_RETURN_IF_ERROR(checkMemoryPlan(*compiled.program));
  ExecutorOptions options;
  options.kernels = compiled.kernels;
  TANDEM_ASSIGN_OR_RETURN(auto executor,
                          Executor::create(compiled.program, options));
  std::vector<Tensor> outputs;
  int64_t peakBytes = 0;
  TANDEM_RETURN_IF_ERROR(executor->run(inputs, outputs, &peakBytes));
  if (int64_t planned = executor->plannedPeakBytes().value_or(peakBytes);
      planned != peakBytes)
    return fail("memory", "the call held " + std::to_string(peakBytes) +
                              " bytes at its peak, planned are " +
                              std::to_string(planned));
  return outputs;
}

/// Compares with reference; both may be off by the node's bound.
Failure compareOutputs(const RandomGraph &graph, const std::string &tier,
                       const Expected<std::vector<Tensor>> &expected,
                       const Expected<std::vector<Tensor>> &actual) {
  if (!actual)
    return tier + ": " + actual.error().str();
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    const Node &node = graph.nodes[graph.outputs[i]];
    const Tensor &want = (*expected)[i], &got = (*actual)[i];
    if (!(want.type() == got.type()))
      return tier + ": output " + std::to_string(i) + " is " +
             got.type().str() + ", not " + want.type().str();
    Difference diff = compare(want, got, Tolerance{});
    if (diff.mismatches == 0 || diff.maxAbsolute <= 2 * node.error)
      continue;
    char text[256];
    std::snprintf(text, sizeof text,
                  "%s: output %zu, element %lld: %.9g instead of %.9g (off by "
                  "up to %.3g; bound %.3g)",
                  tier.c_str(), i, static_cast<long long>(diff.worstIndex),
                  diff.actual, diff.expected, diff.maxAbsolute, 2 * node.error);
    return text;
  }
  return std::nullopt;
}

Failure check(const RandomGraph &random, const Options &options) {
  auto graph = Graph::parseString(random.toMLIR());
  if (!graph)
    return "parse: " + graph.error().str();
  auto inputs = makeInputs(random);
  if (!inputs)
    return "inputs: " + inputs.error().str();
  auto expected = runEager(**graph, referenceProviders(), *inputs);
  if (!expected)
    return "reference: " + expected.error().str();
  if (Failure failure =
          compareOutputs(random, "eager", expected,
                         runEager(**graph, eagerProviders(), *inputs)))
    return failure;
  for (const std::string &device : options.devices) {
    if (device == "none")
      continue;
    CompileOptions compile;
    compile.device = device;
    if (options.winograd)
      compile.winograd = Winograd::always;
    if (Failure failure =
            compareOutputs(random, "compiled for " + device, expected,
                           runCompiled(**graph, compile, *inputs)))
      return failure;
  }
  return std::nullopt;
}

/// Makes the graph smaller while it still fails: one output, then values
/// replaced by inputs, last to first.
RandomGraph reduce(RandomGraph graph, const Options &options) {
  auto keepIfFailing = [&](RandomGraph candidate) {
    candidate.removeDead();
    if (!check(candidate, options))
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

class Fuzzer {
public:
  explicit Fuzzer(const Options &options) : options(options) {}

  /// The number of failing graphs.
  int64_t run() {
    std::vector<std::thread> workers;
    for (int i = 0; i < options.threads; ++i)
      workers.emplace_back([this] { work(); });
    for (std::thread &worker : workers)
      worker.join();
    return failures;
  }

private:
  void work() {
    for (int64_t i; (i = next++) < options.count;) {
      uint64_t seed = options.seed + static_cast<uint64_t>(i);
      RandomGraph graph = makeRandomGraph(seed, options.graph);
      if (Failure failure = check(graph, options))
        report(seed, *failure, std::move(graph));
    }
  }

  void report(uint64_t seed, const std::string &failure, RandomGraph graph) {
    ++failures;
    RandomGraph reduced = reduce(std::move(graph), options);
    Failure now = check(reduced, options);
    std::lock_guard lock(printing);
    std::printf("// seed %llu: %s\n// reduced: %s\n%s\n",
                static_cast<unsigned long long>(seed), failure.c_str(),
                now.value_or("no longer fails").c_str(),
                reduced.toMLIR().c_str());
    std::fflush(stdout);
  }

  const Options &options;
  std::atomic<int64_t> next{0}, failures{0};
  std::mutex printing;
};

} // namespace

int main(int argc, char **argv) {
  Options options;
  CLI::App app("Runs random graphs on every tier and compares the results.",
               "tandem-fuzz");
  app.add_option("--seed", options.seed, "Seed of the first graph")
      ->capture_default_str();
  app.add_option("--count", options.count, "Graphs, with consecutive seeds")
      ->check(CLI::Range(int64_t(1), std::numeric_limits<int64_t>::max()))
      ->capture_default_str();
  app.add_option("--threads", options.threads, "Graphs at a time")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--device", options.devices,
                 "Devices to compile for: cpu, cuda-host, or none")
      ->delimiter(',')
      ->check(CLI::IsMember({"cpu", "cuda-host", "none"}))
      ->capture_default_str();
  app.add_option("--max-ops", options.graph.maxOps, "Ops in a graph")
      ->check(CLI::Range(3, 10000))
      ->capture_default_str();
  app.add_flag("--winograd", options.winograd,
               "Take Winograd's method wherever it is possible");
  app.add_flag("--print", options.print, "Print the graphs, run nothing");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 1;
  }

  if (options.print) {
    for (int64_t i = 0; i < options.count; ++i)
      std::printf(
          "// seed %llu\n%s\n",
          static_cast<unsigned long long>(options.seed + i),
          makeRandomGraph(options.seed + i, options.graph).toMLIR().c_str());
    return 0;
  }
  setNumThreads(1);
  auto start = std::chrono::steady_clock::now();
  int64_t failures = Fuzzer(options).run();
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  std::printf("seeds %llu..%llu: %lld graphs, %lld mismatches, %.1f s\n",
              static_cast<unsigned long long>(options.seed),
              static_cast<unsigned long long>(options.seed + options.count - 1),
              static_cast<long long>(options.count),
              static_cast<long long>(failures), seconds.count());
  return failures ? 1 : 0;
}
