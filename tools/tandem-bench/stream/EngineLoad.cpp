//===- EngineLoad.cpp - The engine under many threads and new shapes ------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "stream/EngineLoad.h"

#include "stream/EngineFirstResults.h"

#include "common/ChildProcess.h"
#include "common/Format.h"
#include "common/MeasurementJson.h"
#include "common/Tiers.h"

#include "tandem/Measure/Sampler.h"
#include "tandem/Runtime/PhaseTimes.h"
#include "tandem/Tandem.h"

#include <atomic>
#include <cstdio>
#include <cstring>
#include <sched.h>
#include <thread>

namespace tandem::bench {
namespace {

/// A function and inputs of several signatures.
struct Load {
  std::unique_ptr<Function> function;
  std::vector<std::vector<Tensor>> inputs;
  /// By signature, what each of both tiers computes.
  std::vector<std::vector<Tensor>> eager, compiled;
};

Expected<Load> makeLoad(const std::string &file, int signatures, Mode mode) {
  Load load;
  TieringOptions tiering;
  tiering.mode = mode;
  TANDEM_ASSIGN_OR_RETURN(load.function,
                          loadFunction(file, "main", {}, tiering));
  for (int i = 1; i <= signatures; ++i) {
    TANDEM_ASSIGN_OR_RETURN(load.inputs.emplace_back(),
                            inputsFor(load.function->program(), i));
    TANDEM_ASSIGN_OR_RETURN(
        load.eager.emplace_back(),
        load.function->call(load.inputs.back(), Tier::eager));
    TANDEM_ASSIGN_OR_RETURN(
        load.compiled.emplace_back(),
        load.function->call(load.inputs.back(), Tier::compiled));
  }
  return load;
}

bool hasBits(const std::vector<Tensor> &tensors,
             const std::vector<Tensor> &expected) {
  for (size_t i = 0; i < expected.size(); ++i)
    if (tensors[i].type() != expected[i].type() ||
        std::memcmp(tensors[i].data(), expected[i].data(),
                    static_cast<size_t>(expected[i].bytes())) != 0)
      return false;
  return true;
}

/// Calls all signatures in turn, from the one with the number `first`; returns
/// how many calls failed or gave what neither tier computes.
int64_t callInTurn(Load &load, size_t first, int64_t calls) {
  int64_t wrong = 0;
  for (int64_t i = 0; i < calls; ++i) {
    const size_t which =
        (static_cast<size_t>(i) * 7 + first) % load.inputs.size();
    auto outputs = load.function->call(load.inputs[which]);
    wrong += !outputs || !(hasBits(*outputs, load.compiled[which]) ||
                           hasBits(*outputs, load.eager[which]));
  }
  return wrong;
}

/// The same on `threads` threads, `calls` calls each.
int64_t callOnThreads(Load &load, int threads, int64_t calls) {
  std::atomic<int64_t> wrong{0};
  std::vector<std::thread> workers;
  for (int t = 0; t < threads; ++t)
    workers.emplace_back([&, t] { wrong += callInTurn(load, t, calls); });
  for (std::thread &worker : workers)
    worker.join();
  return wrong;
}

/// Binds the calling thread to one of the processors that it may use: Linux may
/// leave two busy threads on one of them for as long as a window, and then what
/// is measured is that.
void stayOn(int processor) {
  cpu_set_t allowed, one;
  CPU_ZERO(&one);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
    return;
  processor %= CPU_COUNT(&allowed);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &allowed) && processor-- == 0)
      CPU_SET(cpu, &one);
  sched_setaffinity(0, sizeof one, &one);
}

/// The calls per second of all threads together, none of which waits for
/// another one, on processors from the one with the number `first` on. The
/// first fifth, in which caches get warm, is not counted.
double callsPerSecond(Load &load, int threads, int first, double seconds) {
  std::atomic<double> sum{0};
  std::vector<std::thread> workers;
  for (int t = 0; t < threads; ++t)
    workers.emplace_back([&, t] {
      constexpr int64_t kCalls = 1000;
      stayOn(first + t);
      const Stopwatch whole;
      while (whole.ns() < seconds * 0.2e9)
        callInTurn(load, t, kCalls);
      const Stopwatch watch;
      int64_t calls = 0;
      for (; whole.ns() < seconds * 1e9; calls += kCalls)
        callInTurn(load, t, kCalls);
      sum += static_cast<double>(calls) / watch.ns() * 1e9;
    });
  for (std::thread &worker : workers)
    worker.join();
  return sum;
}

struct ThreadsResult {
  int64_t lost = 0, wrong = 0;
  double perSecond = 0;
};

Expected<ThreadsResult> measureThreads(const EngineLoadOptions &options) {
  TANDEM_ASSIGN_OR_RETURN(
      Load load,
      makeLoad(options.threadsGraph, options.signatures, Mode::automatic));
  ThreadsResult result;
  const Stopwatch watch;
  result.wrong = callOnThreads(load, options.threads, options.calls);
  const double calls = static_cast<double>(options.calls) * options.threads;
  result.perSecond = calls / watch.ns() * 1e9;
  load.function->wait();
  result.lost = options.calls * options.threads;
  for (const SignatureReport &signature : load.function->report().signatures)
    result.lost -= static_cast<int64_t>(signature.calls);
  return result;
}

using Children = std::vector<std::unique_ptr<tools::Dialogue>>;

Expected<Children> startChildren(const EngineLoadOptions &options, int count) {
  Children children;
  for (int i = 0; i < count; ++i) {
    TANDEM_ASSIGN_OR_RETURN(
        children.emplace_back(),
        tools::Dialogue::start(
            {tools::executablePath(), "engine-child", options.threadsGraph,
             "--signatures=" + std::to_string(options.signatures)}));
  }
  for (auto &child : children)
    TANDEM_RETURN_IF_ERROR(child->hear()); // It is ready.
  return children;
}

/// The calls per second of these processes together, which begin at the same
/// time, on `threads` threads each, all on processors of their own.
Expected<double> rateOf(std::span<const Children::value_type> children,
                        int threads) {
  int first = 0;
  for (auto &child : children)
    child->say(std::to_string(threads) + " " +
               std::to_string(std::exchange(first, first + threads)));
  double sum = 0;
  for (auto &child : children) {
    TANDEM_ASSIGN_OR_RETURN(std::string rate, child->hear());
    sum += std::strtod(rate.c_str(), nullptr);
  }
  return sum;
}

/// Calls per second of two threads and of two processes, over those of one
/// process, and of each other: by round, in alternation.
struct Gains {
  std::vector<double> threads, processes, ofEachOther;
};

Expected<Gains> measureGains(const EngineLoadOptions &options) {
  TANDEM_ASSIGN_OR_RETURN(const Children both, startChildren(options, 2));
  const auto first = std::span(both).first(1);
  Gains gains;
  for (int round = 0; round < options.rounds; ++round) {
    TANDEM_ASSIGN_OR_RETURN(double one, rateOf(first, 1));
    TANDEM_ASSIGN_OR_RETURN(double apart, rateOf(both, 1));
    TANDEM_ASSIGN_OR_RETURN(double together, rateOf(first, 2));
    gains.threads.push_back(together / one);
    gains.processes.push_back(apart / one);
    gains.ofEachOther.push_back(together / apart);
  }
  return gains;
}

/// Figures, as a table and as JSON.
class Figures {
public:
  void add(const std::string &name, double value, const std::string &text,
           const std::string &limit) {
    table.addRow({name, text, limit});
    json[name] = value;
  }
  void addRatio(const std::string &name, double value,
                const std::string &limit) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3f", value);
    add(name, value, text, limit);
  }
  /// The median of several, with their 10th and 90th percentile.
  void addRatios(const std::string &name, std::vector<double> values,
                 const std::string &limit) {
    const measure::Summary summary = measure::summarize(std::move(values));
    char text[64];
    std::snprintf(text, sizeof text, "%.3f (%.3f-%.3f)", summary.median,
                  summary.p10, summary.p90);
    add(name, summary.median, text, limit);
  }

  tools::Table table{{{"", false}, {"measured"}, {"limit"}}};
  nlohmann::ordered_json json;
};

} // namespace

static void addFirstResults(Figures &figures, const FirstResults &first) {
  for (double q : {0.5, 0.99}) {
    const double alone = measure::quantile(first.alone, q),
                 thread = measure::quantile(first.besideThread, q),
                 compiling = measure::quantile(first.besideCompiling, q);
    const std::string of = q == 0.5 ? ", p50" : ", p99";
    figures.add("first result, eager alone" + of, alone,
                tools::formatTime(alone), "");
    figures.addRatio("  beside a thread that counts" + of, thread / alone, "");
    figures.addRatio("  while compiling" + of, compiling / alone,
                     q == 0.5 ? "<= 1.03" : "<= 1.15");
    figures.addRatio("  while compiling, of a thread that counts" + of,
                     compiling / thread, "");
  }
}

Status runEngineLoad(const EngineLoadOptions &options) {
  Figures figures;
  TANDEM_ASSIGN_OR_RETURN(FirstResults first,
                          measureFirstResults(options.resultsGraph,
                                              options.shapes,
                                              options.compileIn));
  addFirstResults(figures, first);
  TANDEM_ASSIGN_OR_RETURN(Load any,
                          makeLoad(options.threadsGraph, 1, Mode::eager));
  figures.add("programs compiled meanwhile", double(first.compiled),
              std::to_string(first.compiled) + ", " +
                  std::to_string(first.compiledInHelper) +
                  " in a helper process",
              "");
  const double wait = any.function->report().longestLockWaitNs;
  figures.add("longest wait for a lock", wait, tools::formatTime(wait),
              "<= 100 µs");
  TANDEM_ASSIGN_OR_RETURN(ThreadsResult threads, measureThreads(options));
  figures.add("lost calls", double(threads.lost), std::to_string(threads.lost),
              "0");
  figures.add("wrong outputs", double(threads.wrong),
              std::to_string(threads.wrong), "0");
  figures.add("calls per second", threads.perSecond,
              tools::formatCount(static_cast<int64_t>(threads.perSecond)), "");
  TANDEM_ASSIGN_OR_RETURN(Gains gains, measureGains(options));
  figures.addRatios("two processes, of one", gains.processes, "");
  figures.addRatios("two threads, of one", gains.threads, "");
  figures.addRatios("two threads, of two processes", gains.ofEachOther,
                    ">= 0.92");
  std::printf("%s", figures.table.str().c_str());
  if (options.json.empty())
    return {};
  nlohmann::ordered_json record = {{"tool", "tandem-bench engine"}};
  record["figures"] = std::move(figures.json);
  record.update(tools::toJson(options.environment));
  return tools::writeText(options.json, jsonText(record) + "\n");
}

Status runEngineChild(const EngineChildOptions &options) {
  if (options.mustCompile)
    return compileForEver(options.file);
  TANDEM_ASSIGN_OR_RETURN(
      Load load, makeLoad(options.file, options.signatures, Mode::compileNow));
  callOnThreads(load, 1, 2 * options.signatures); // All are promoted then.
  std::puts("ready");
  std::fflush(stdout);
  for (int threads = 0, first = 0;
       std::scanf("%d %d", &threads, &first) == 2;) {
    std::printf("%.17g\n",
                callsPerSecond(load, threads, first, options.seconds));
    std::fflush(stdout);
  }
  return {};
}

} // namespace tandem::bench
