//===- EngineFirstResults.cpp - First results beside compilations ---------===//
//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "stream/EngineFirstResults.h"

#include "common/ChildProcess.h"
#include "common/ProgressLine.h"
#include "common/RunEnvironment.h"

#include "tandem/Measure/Vary.h"
#include "tandem/Runtime/Compare.h"
#include "tandem/Runtime/PhaseTimes.h"
#include "tandem/Tandem.h"

#include <algorithm>
#include <functional>
#include <set>
#include <thread>

namespace tandem::bench {

/// The types of the inputs where the first named dim has this size, and other
/// named dims have 16.
Expected<std::vector<TensorType>> typesFor(const Program &program, int64_t size,
                                           int64_t others) {
  measure::DimSizes dims;
  std::set<std::string> seen;
  for (const auto &input : program.input_dims)
    for (const std::string &name : input->names)
      if (!name.empty() && seen.insert(name).second)
        dims.push_back({name, dims.empty() ? size : others});
  if (dims.empty())
    return fail("engine", "the graph has no named dim to vary");
  return measure::bindDims(program, dims);
}

Expected<std::vector<Tensor>> inputsFor(const Program &program, int64_t size,
                                        int64_t others) {
  TANDEM_ASSIGN_OR_RETURN(auto types, typesFor(program, size, others));
  std::vector<Tensor> inputs;
  for (const TensorType &type : types) {
    TANDEM_ASSIGN_OR_RETURN(inputs.emplace_back(), Tensor::allocate(type));
    fillRandom(inputs.back(), inputs.size());
  }
  return inputs;
}

namespace {

/// One way to get first results, and where their times go.
struct Side {
  Function *function;
  std::function<Status()> begin;
  std::function<void()> end;
  std::vector<double> *times;
};

/// A thread that counts.
class BusyThread {
public:
  void start() {
    thread = std::jthread([](std::stop_token stop) {
      for (volatile int64_t count = 0; !stop.stop_requested();)
        count = count + 1;
    });
  }
  void stop() { thread = {}; }

private:
  std::jthread thread;
};

/// Sizes of the first dim in a block, all of them odd, as libraries prepare
/// less for even ones. Each block of each side has all, and a size of its own
/// of the other dims: libraries keep what they have prepared for the whole
/// process, so that no shape may come again.
constexpr int kBlock = 50;
/// Graphs that are compiled meanwhile: some 50 ms each, more than a block
/// takes. They are waited for, as cancelling them would end the helper, too.
constexpr int kCompiled = 8;

/// Times a block of first calls.
Status timeFirstCalls(Side &side, int64_t others) {
  TANDEM_RETURN_IF_ERROR(side.begin());
  for (int64_t size = 1; size < 2 * kBlock; size += 2) {
    TANDEM_ASSIGN_OR_RETURN(auto inputs,
                            inputsFor(side.function->program(), size, others));
    const Stopwatch watch;
    TANDEM_RETURN_IF_ERROR(side.function->call(inputs));
    side.times->push_back(watch.ns());
  }
  side.end();
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

Status alternate(std::vector<Side> sides, int shapes) {
  tools::ProgressLine line;
  int64_t others = 16;
  for (int done = 0; done < shapes; done += kBlock) {
    line.show("first result " + std::to_string(done));
    for (Side &side : sides)
      TANDEM_RETURN_IF_ERROR(timeFirstCalls(side, ++others));
    // Each side has each of the places, as sizes grow.
    std::rotate(sides.begin(), sides.begin() + 1, sides.end());
  }
  line.clear();
  return {};
}

} // namespace

Expected<FirstResults> measureFirstResults(const std::string &file, int shapes,
                                           CompileIn place) {
  TieringOptions eagerOnly, choosing;
  eagerOnly.mode = Mode::eager;
  choosing.compileIn = place;
  choosing.maxSignatures = eagerOnly.maxSignatures = 1 << 20;
  TANDEM_ASSIGN_OR_RETURN(auto eager,
                          loadFunction(file, "main", {}, eagerOnly));
  TANDEM_ASSIGN_OR_RETURN(auto engine,
                          loadFunction(file, "main", {}, choosing));
  TANDEM_ASSIGN_OR_RETURN(
      auto other, tools::Companion::start({tools::executablePath(),
                                           "engine-child", file, "--compile"}));
  other->pause();
  BusyThread thread;
  int64_t others = 100000;
  FirstResults results;
  std::vector<Side> sides = {
      {eager.get(), [&] { return other->resume(), Status(); },
       [&] { other->pause(); }, &results.alone},
      {eager.get(), [&] { return thread.start(), Status(); },
       [&] { thread.stop(); }, &results.besideThread},
      {engine.get(), [&] { return compileOthers(*engine, kCompiled, others); },
       [&] { engine->wait(); }, &results.besideCompiling}};
  TANDEM_RETURN_IF_ERROR(alternate(std::move(sides), shapes));
  for (const SignatureReport &signature : engine->report().signatures) {
    results.compiled += signature.compileNs > 0;
    results.compiledInHelper +=
        signature.compileNs > 0 && signature.compiledIn == CompileIn::process;
  }
  for (auto *times :
       {&results.alone, &results.besideThread, &results.besideCompiling})
    std::sort(times->begin(), times->end());
  return results;
}

Status compileForEver(const std::string &file) {
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

} // namespace tandem::bench
