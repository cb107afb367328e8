//===- tandem-fuzz.cpp - Every tier agrees on random graphs ---------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes random graphs, runs each through reference, eager and compiled, and
// compares every output within its error bounds. A graph whose bounds would let
// wrong results pass is drawn again. A failing graph is reduced and printed as
// a file that tandem-run accepts, or only printed with --first.
//
//===----------------------------------------------------------------------===//

#include "CheckGraph.h"
#include "PrintBounds.h"
#include "common/CommandLine.h"
#include "tandem/Analysis/DeviceModel.h"
#include "tandem/Support/Environment.h"
#include "tandem/Tandem.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <thread>

using namespace tandem;
using namespace tandem::fuzz;

namespace {

struct Options {
  uint64_t seed = 1;
  int64_t count = 2000;
  int jobs = static_cast<int>(std::thread::hardware_concurrency());
  /// Threads of kernels: each graph has one of these.
  std::vector<int> threads = {1, 2, 4};
  bool print = false;
  /// Print the error bounds of the graphs, and compare no results.
  bool bounds = false;
  /// Stop at the first mismatch, and do not reduce it.
  bool first = false;
  bool slowMemory = false;
  GraphOptions graph;
  CheckOptions check;
};

/// What all graphs came to.
struct Totals {
  std::atomic<int64_t> graphs{0}, redrawn{0}, outputs{0}, elements{0};
  std::atomic<int64_t> failures{0};
  CertificateCounts certificates;
  EngineCounts engine;
  DifferenceCounts differences;
};

class Fuzzer {
public:
  Fuzzer(const Options &options, Totals &totals)
      : options(options), totals(totals) {}

  void run();

private:
  void work(size_t share);
  void printSeedBounds(uint64_t seed);
  void checkSeed(uint64_t seed, CheckOptions check);
  void report(uint64_t seed, const std::string &failure,
              const RandomGraph &graph, const CheckOptions &check);

  const Options &options;
  Totals &totals;
  std::atomic<int64_t> next{0};
  std::mutex printing;
};

} // namespace

/// The limit on threads is the process's: graphs of equal limits run together.
void Fuzzer::run() {
  for (size_t share = 0; share < options.threads.size(); ++share) {
    setNumThreads(options.threads[share]);
    next = static_cast<int64_t>(share);
    std::vector<std::thread> workers;
    for (int i = 0; i < options.jobs; ++i)
      workers.emplace_back([this, share] { work(share); });
    for (std::thread &worker : workers)
      worker.join();
  }
}

void Fuzzer::work(size_t share) {
  auto step = static_cast<int64_t>(options.threads.size());
  CheckOptions check = options.check;
  check.threads = options.threads[share];
  for (int64_t i; (i = next.fetch_add(step)) < options.count;) {
    if (options.first && totals.failures)
      return;
    const uint64_t seed = options.seed + static_cast<uint64_t>(i);
    if (options.bounds)
      printSeedBounds(seed);
    else
      checkSeed(seed, check);
  }
}

/// The contractions of a graph with an odd seed may use TF32.
void Fuzzer::printSeedBounds(uint64_t seed) {
  const std::string prefix = "seed=" + std::to_string(seed);
  const auto text =
      printBounds(makeRandomGraph(seed, options.graph),
                  seed % 2 ? Precision::tf32 : Precision::strict, prefix);
  totals.failures += !text;
  std::lock_guard lock(printing);
  std::printf("%s", text ? text->c_str()
                         : (prefix + " " + text.error().str() + "\n").c_str());
}

/// Draws again, by a seed far away, while the graph says nothing. Of even seeds
/// contractions run in kernels that costs would leave to the library.
void Fuzzer::checkSeed(uint64_t seed, CheckOptions check) {
  constexpr uint64_t kStride = uint64_t(1) << 40;
  constexpr int kMaxDraws = 50;
  check.generated = seed % 2 == 0;
  for (int draw = 0; draw < kMaxDraws; ++draw, seed += kStride) {
    RandomGraph graph = makeRandomGraph(seed, options.graph);
    CheckResult result = checkGraph(graph, check);
    totals.outputs += result.outputs;
    totals.elements += result.elements;
    {
      std::lock_guard lock(printing);
      totals.certificates += result.certificates;
      totals.engine += result.engine;
      totals.differences += result.differences;
      if (result.undecided)
        std::printf("// seed %llu: not certified: %s\n",
                    static_cast<unsigned long long>(seed),
                    result.undecided->c_str());
    }
    if (result.failure)
      report(seed, *result.failure, graph, check);
    if (result.failure || !result.isWeak) {
      ++totals.graphs;
      return;
    }
    ++totals.redrawn;
  }
  report(seed, "every graph drawn had bounds that say nothing", {}, check);
}

void Fuzzer::report(uint64_t seed, const std::string &failure,
                    const RandomGraph &graph, const CheckOptions &check) {
  // Graphs that were under way when the first one failed are not reported.
  if (totals.failures++ > 0 && options.first)
    return;
  RandomGraph reduced = graph;
  std::string reducedFailure;
  if (!options.first) {
    reduced = reduceGraph(graph, check);
    reducedFailure =
        std::string("// reduced") +
        (reduced.specialSeed ? " (special values)" : "") + ": " +
        checkGraph(reduced, check).failure.value_or("no longer fails") + "\n";
  }
  std::lock_guard lock(printing);
  std::printf("// seed %llu, %d threads%s%s: %s\n%s%s\n",
              static_cast<unsigned long long>(seed), check.threads,
              check.generated ? ", --target-option contractions=generated" : "",
              graph.specialSeed ? ", special values" : "", failure.c_str(),
              reducedFailure.c_str(), reduced.toMLIR().c_str());
  std::fflush(stdout);
}

/// The devices that there are, and "none".
static std::vector<std::string> deviceNames() {
  std::vector<std::string> names;
  for (const DeviceInfo &device : devices())
    names.emplace_back(device.name);
  names.emplace_back("none");
  return names;
}

static void addOptions(CLI::App &app, Options &options) {
  auto percentage = CLI::Range(0, 100);
  app.add_option("--seed", options.seed, "Seed of the first graph")
      ->capture_default_str();
  app.add_option("--count", options.count, "Graphs, with consecutive seeds")
      ->check(CLI::Range(int64_t(1), std::numeric_limits<int64_t>::max()))
      ->capture_default_str();
  app.add_option("--jobs", options.jobs, "Graphs at a time")
      ->check(CLI::Range(1, kMaxThreads))
      ->capture_default_str();
  app.add_option("--threads", options.threads,
                 "Threads of a graph's kernels, which graphs take in turn")
      ->delimiter(',')
      ->check(CLI::Range(1, kMaxThreads))
      ->capture_default_str();
  app.add_option("--device", options.check.devices,
                 "Devices to run on; none: nothing is compiled")
      ->delimiter(',')
      ->check(CLI::IsMember(deviceNames()))
      ->capture_default_str();
  app.add_option("--max-ops", options.graph.maxOps, "Ops in a graph")
      ->check(CLI::Range(3, 10000))
      ->capture_default_str();
  app.add_option("--large", options.graph.large,
                 "Percentage of graphs beyond the grain of kernels")
      ->check(percentage)
      ->capture_default_str();
  app.add_option("--dynamic", options.graph.dynamic,
                 "Percentage of graphs with unknown dims")
      ->check(percentage)
      ->capture_default_str();
  app.add_option("--special", options.graph.special,
                 "Percentage of graphs with infinities, NaNs, very large and "
                 "subnormal numbers among their inputs")
      ->check(percentage)
      ->capture_default_str();
  app.add_option("--quantized", options.graph.quantized,
                 "Percentage of graphs with layers of quantized numbers")
      ->check(percentage)
      ->capture_default_str();
  app.add_flag("--fallback,!--no-fallback", options.check.fallback,
               "Warn of a kernel that does not compile, in place of failing");
  app.add_flag("--winograd", options.check.winograd,
               "Take Winograd's method wherever it is possible");
  app.add_flag(
      "--scaled-weights", options.check.scaledWeights,
      "Multiply by integers of 8 bits and their scales, not by weights "
      "in f32, wherever it is possible");
  app.add_option("--byte-sums", options.check.byteSums,
                 "The type in which kernels sum products of integers of 8 "
                 "bits: i32, f32 wherever that is exact, or auto")
      ->check(CLI::IsMember({"i32", "auto", "f32"}))
      ->capture_default_str();
  app.add_flag("--certify", options.check.certify,
               "Certify the compiled programs beside eager, too");
  app.add_flag("--engine", options.check.engine,
               "Call each graph 50 times in mode auto, with changes of tier "
               "forced at random calls")
      ->excludes("--certify");
  app.add_flag("--gradients", options.check.gradients,
               "Differentiate each graph, and check the gradients too: in f64 "
               "by differences, and on all tiers")
      ->excludes("--engine");
  app.add_flag("--updates", options.check.updates,
               "Compare calls whose outputs update inputs with calls whose "
               "outputs do not")
      ->excludes("--engine")
      ->excludes("--gradients");
  app.add_flag("--slow-memory", options.slowMemory,
               "Take the costs of this machine with slow memory and small "
               "caches, so that nearly all that can be fused is");
  app.add_flag("--first", options.first,
               "Stop at the first mismatch, and print it as it is");
  app.add_flag("--bounds", options.bounds,
               "Print the tolerances and the error bounds of all outputs, for "
               "utils/compare-bounds.py, and compare no results");
  app.add_flag("--print", options.print, "Print the graphs, run nothing");
}

/// This machine, if reading and writing an array of more than a few kilobytes
/// took a thousand times as long.
static void setSlowMemory() {
  DeviceModel model = detectedDeviceModel();
  model.memoryBytesPerNs /= 1000;
  model.caches = {{int64_t(4) << 10, model.bytesPerNs(4 << 10)}};
  setenv("TANDEM_DEVICE", writeDeviceModel(model).c_str(), /*overwrite=*/1);
}

static void printTotals(const Options &options, const Totals &totals,
                        double seconds) {
  auto number = [](int64_t count) { return static_cast<long long>(count); };
  std::printf(
      "seeds %llu..%llu: %lld graphs, %lld redrawn, %lld outputs and %lld "
      "elements compared, %lld mismatches, %.1f s\n",
      static_cast<unsigned long long>(options.seed),
      static_cast<unsigned long long>(options.seed + options.count - 1),
      number(totals.graphs), number(totals.redrawn), number(totals.outputs),
      number(totals.elements), number(totals.failures), seconds);
  if (options.check.engine) {
    const EngineCounts &engine = totals.engine;
    std::printf("engine: %lld calls, %lld compiled, %lld of them captured; "
                "%lld promotions, %lld demotions, %lld captures; %lld calls "
                "with other bits than before; %lld graphs undecided\n",
                number(engine.calls), number(engine.compiledCalls),
                number(engine.capturedCalls), number(engine.promotions),
                number(engine.demotions), number(engine.captures),
                number(engine.changed), number(engine.undecided));
  }
  if (options.check.gradients)
    std::printf("gradients: %lld agree with differences, %lld undecided; %lld "
                "graphs without a gradient drawn again\n",
                number(totals.differences.agree),
                number(totals.differences.undecided),
                number(totals.differences.refused));
  if (!options.check.certify)
    return;
  const CertificateCounts &certificates = totals.certificates;
  std::printf("certificates: %lld passed, %lld provisional, %lld left to the "
              "error bounds, %lld of them undecided; %lld of %lld outputs with "
              "the largest tolerance\n",
              number(certificates.passed), number(certificates.provisional),
              number(certificates.leftToBounds), number(certificates.undecided),
              number(certificates.weakOutputs), number(certificates.outputs));
}

int main(int argc, char **argv) {
  Options options;
  CLI::App app("Runs random graphs on every tier and compares the results.",
               "tandem-fuzz");
  addOptions(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 1;
  }
  // Memory that a tier before has freed may hold the very results.
  fillAllocations(true);
  allowBackgroundCalibration(false);
  // Compilers are tested.
  setenv(name(Variable::diskCache).data(), "off", /*overwrite=*/1);
  if (options.print) {
    for (int64_t i = 0; i < options.count; ++i)
      std::printf(
          "// seed %llu\n%s\n",
          static_cast<unsigned long long>(options.seed + i),
          makeRandomGraph(options.seed + i, options.graph).toMLIR().c_str());
    return 0;
  }
  if (options.slowMemory)
    setSlowMemory();
  Totals totals;
  auto start = std::chrono::steady_clock::now();
  Fuzzer(options, totals).run();
  if (options.bounds)
    return totals.failures ? 1 : 0;
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  printTotals(options, totals, seconds.count());
  return totals.failures || !totals.elements ? 1 : 0;
}
