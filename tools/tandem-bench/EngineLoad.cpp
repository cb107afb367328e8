//===- EngineLoad.cpp - The engine under many threads and new shapes ------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EngineLoad.h"

#include "common/ChildProcess.h"
#include "common/Elements.h"
#include "common/Format.h"
#include "common/Json.h"
#include "common/ProgressLine.h"
#include "common/Tiers.h"

#include "tandem/Measure/Sampler.h"
#include "tandem/Measure/Vary.h"
#include "tandem/Runtime/Compare.h"
#include "tandem/Tandem.h"

#include <atomic>
#include <cstdio>
#include <cstring>
#include <set>
#include <thread>

namespace tandem::bench {
namespace {

using Clock = std::chrono::steady_clock;
using measure::nsSince;

/// The types of the inputs where the first named dim has this size, and other
/// named dims have 16.
Expected<std::vector<TensorType>> typesFor(const Program &program,
                                           int64_t size) {
  measure::DimSizes dims;
  std::set<std::string> seen;
  for (const auto &input : program.input_dims)
    for (const std::string &name : input->names)
      if (!name.empty() && seen.insert(name).second)
        dims.push_back({name, dims.empty() ? size : 16});
  if (dims.empty())
    return fail("engine", "the graph has no named dim to vary");
  return measure::bindDims(program, dims);
}

Expected<std::vector<Tensor>> inputsFor(const Program &program, int64_t size) {
  TANDEM_ASSIGN_OR_RETURN(auto types, typesFor(program, size));
  std::vector<Tensor> inputs;
  for (const TensorType &type : types) {
    TANDEM_ASSIGN_OR_RETURN(inputs.emplace_back(), Tensor::allocate(type));
    fillRandom(inputs.back(), inputs.size());
  }
  return inputs;
}

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

/// The calls per second of all threads together, none of which waits for
/// another one.
double callsPerSecond(Load &load, int threads, double seconds) {
  std::atomic<double> sum{0};
  std::vector<std::thread> workers;
  for (int t = 0; t < threads; ++t)
    workers.emplace_back([&, t] {
      constexpr int64_t kCalls = 1000;
      const Clock::time_point start = Clock::now();
      int64_t calls = 0;
      for (; nsSince(start) < seconds * 1e9; calls += kCalls)
        callInTurn(load, t, kCalls);
      sum += static_cast<double>(calls) / nsSince(start) * 1e9;
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
  const Clock::time_point start = Clock::now();
  result.wrong = callOnThreads(load, options.threads, options.calls);
  const double calls = static_cast<double>(options.calls) * options.threads;
  result.perSecond = calls / nsSince(start) * 1e9;
  load.function->wait();
  result.lost = options.calls * options.threads;
  for (const SignatureReport &signature : load.function->report().signatures)
    result.lost -= static_cast<int64_t>(signature.calls);
  return result;
}

std::vector<std::string> childCommand(const std::string &file, int threads,
                                      int signatures) {
  return {tools::executablePath(), "engine-child", file,
          "--threads=" + std::to_string(threads),
          "--signatures=" + std::to_string(signatures)};
}

/// The calls per second of `processes` processes of `threads` threads each.
Expected<double> rateOf(const EngineLoadOptions &options, int processes,
                        int threads) {
  std::vector<Expected<std::string>> outputs(processes, std::string());
  std::vector<std::thread> waiting;
  for (Expected<std::string> &output : outputs)
    waiting.emplace_back([&] {
      output = tools::runChild(
          childCommand(options.threadsGraph, threads, options.signatures));
    });
  for (std::thread &thread : waiting)
    thread.join();
  double sum = 0;
  for (Expected<std::string> &output : outputs) {
    TANDEM_RETURN_IF_ERROR(output);
    sum += std::strtod(output->c_str(), nullptr);
  }
  return sum;
}

/// The calls per second of two threads over those of two processes: the median
/// of several rounds, in alternation.
Expected<measure::Summary> measureGain(const EngineLoadOptions &options) {
  std::vector<double> ratios;
  for (int round = 0; round < 5; ++round) {
    TANDEM_ASSIGN_OR_RETURN(double apart, rateOf(options, 2, 1));
    TANDEM_ASSIGN_OR_RETURN(double together, rateOf(options, 1, 2));
    ratios.push_back(together / apart);
  }
  return measure::summarize(std::move(ratios));
}

/// Times to first results, in nanoseconds, in ascending order.
struct FirstResults {
  std::vector<double> beside, alone;
};

/// Times the first call of each of `count` shapes from `next` on. The other
/// side takes other sizes, as libraries keep what they have prepared for the
/// whole process, but odd ones as well.
Status timeFirstCalls(Function &function, int count, int64_t &next,
                      std::vector<double> &times) {
  for (int i = 0; i < count; ++i, next += 4) {
    TANDEM_ASSIGN_OR_RETURN(auto inputs, inputsFor(function.program(), next));
    const Clock::time_point start = Clock::now();
    TANDEM_RETURN_IF_ERROR(function.call(inputs));
    times.push_back(nsSince(start));
  }
  return {};
}

/// Keeps the background compiling `function` for sizes that nobody calls.
Status compileOthers(Function &function, int count, int64_t &size) {
  std::vector<std::vector<TensorType>> signatures;
  for (int i = 0; i < count; ++i) {
    TANDEM_ASSIGN_OR_RETURN(signatures.emplace_back(),
                            typesFor(function.program(), ++size));
  }
  return function.compileAhead(signatures);
}

Expected<FirstResults> measureFirstResults(const EngineLoadOptions &options) {
  TieringOptions eagerOnly, choosing;
  eagerOnly.mode = Mode::eager;
  choosing.maxSignatures = eagerOnly.maxSignatures = 1 << 20;
  const std::string &file = options.resultsGraph;
  TANDEM_ASSIGN_OR_RETURN(auto alone,
                          loadFunction(file, "main", {}, eagerOnly));
  TANDEM_ASSIGN_OR_RETURN(auto beside,
                          loadFunction(file, "main", {}, choosing));
  TANDEM_ASSIGN_OR_RETURN(auto other,
                          tools::Companion::start(childCommand(file, 0, 1)));
  FirstResults results;
  tools::ProgressLine line;
  constexpr int kBlock = 50;
  int64_t first = 1, second = 3, others = 100000;
  while (static_cast<int>(results.alone.size()) < options.shapes) {
    line.show("first result " + std::to_string(results.alone.size()));
    other->resume();
    TANDEM_RETURN_IF_ERROR(
        timeFirstCalls(*alone, kBlock, first, results.alone));
    other->pause();
    TANDEM_RETURN_IF_ERROR(compileOthers(*beside, 100, others));
    TANDEM_RETURN_IF_ERROR(
        timeFirstCalls(*beside, kBlock, second, results.beside));
    beside->cancel();
  }
  line.clear();
  std::sort(results.alone.begin(), results.alone.end());
  std::sort(results.beside.begin(), results.beside.end());
  return results;
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

  tools::Table table{{{"", false}, {"measured"}, {"limit"}}};
  nlohmann::ordered_json json;
};

} // namespace

Status runEngineLoad(const EngineLoadOptions &options) {
  Figures figures;
  TANDEM_ASSIGN_OR_RETURN(FirstResults first, measureFirstResults(options));
  for (double q : {0.5, 0.99}) {
    const double beside = measure::quantile(first.beside, q),
                 alone = measure::quantile(first.alone, q);
    const std::string name = q == 0.5 ? "p50" : "p99";
    figures.add("first result, eager alone, " + name, alone,
                tools::formatTime(alone), "");
    figures.addRatio("first result while compiling, " + name, beside / alone,
                     q == 0.5 ? "<= 1.03" : "<= 1.15");
  }
  TANDEM_ASSIGN_OR_RETURN(Load any,
                          makeLoad(options.threadsGraph, 1, Mode::eager));
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
  TANDEM_ASSIGN_OR_RETURN(measure::Summary gain, measureGain(options));
  figures.addRatio("two threads, of two processes", gain.median, ">= 0.92");
  std::printf("%s", figures.table.str().c_str());
  if (options.json.empty())
    return {};
  nlohmann::ordered_json record = {{"tool", "tandem-bench engine"}};
  record["figures"] = std::move(figures.json);
  record.update(tools::toJson(options.environment));
  return tools::writeText(options.json, record.dump() + "\n");
}

static Status compileForEver(const std::string &file) {
  TANDEM_ASSIGN_OR_RETURN(auto graph, Graph::parseFile(file));
  CompileOptions options;
  options.kernelCache = false;
  TANDEM_ASSIGN_OR_RETURN(auto compiler, graph->createCompiler(options));
  Status status;
  runOnOneThread([&] {
    for (int64_t size = 1; status; ++size) {
      auto types = typesFor(*graph->eagerProgram(), 1 + size % 1000);
      status = types ? Status() : tl::unexpected(types.error());
      if (status)
        if (auto compiled = compiler->compile(*types); !compiled)
          status = tl::unexpected(compiled.error());
    }
  });
  return status;
}

Status runEngineChild(const EngineChildOptions &options) {
  if (options.threads == 0)
    return compileForEver(options.file);
  TANDEM_ASSIGN_OR_RETURN(
      Load load, makeLoad(options.file, options.signatures, Mode::compileNow));
  callOnThreads(load, 1, 2 * options.signatures); // All are promoted then.
  std::printf("%.17g\n",
              callsPerSecond(load, options.threads, options.seconds));
  return {};
}

} // namespace tandem::bench
