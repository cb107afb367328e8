//===- GraphCompiler.cpp - The Compiler of a graph ------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BackgroundCalibration.h"
#include "CompileHistory.h"
#include "CompilerSession.h"
#include "GraphSource.h"
#include "ProgramStore.h"
#include "WarmUpThread.h"

#include "tandem/Support/ObjectPool.h"

#include <algorithm>
#include <ctime>
#include <mutex>

namespace tandem {
namespace {

/// Processor time of the calling thread, in nanoseconds.
double threadNs() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 +
         static_cast<double>(time.tv_nsec);
}

/// What other threads have worked on a compilation.
double othersNs(const Compiled &compiled) {
  double sum = 0;
  for (const PhaseTime &phase : compiled.phases)
    sum += phase.ns;
  return std::max(0.0, sum - compiled.wallNs);
}

/// Keeps a session per thread that has ever compiled at the same time as
/// others. No lock is held while compiling.
class GraphCompiler final : public Compiler {
public:
  GraphCompiler(std::shared_ptr<const GraphSource> graph, CompilerConfig given)
      : graph(std::move(graph)), config(std::move(given)),
        store(this->graph, config) {
    if (config.target->isHost())
      calibration = BackgroundCalibration::share();
    WarmUpThread::prepare();
  }

  /// Starts what the first compilation needs.
  Status start() {
    TANDEM_ASSIGN_OR_RETURN(auto session, createSession());
    sessions.put(std::move(session));
    return {};
  }

  Expected<Compiled> compile(std::span<const TensorType> inputs) override {
    TANDEM_RETURN_IF_ERROR(checkInputs(*graph->eager, inputs));
    Stopwatch watch;
    PhaseTimes times;
    if (std::optional<Compiled> stored = store.find(inputs, times)) {
      stored->wallNs = watch.ns();
      stored->phases = times.take();
      CompileHistory::process().observeStored();
      return std::move(*stored);
    }
    Expected<Compiled> compiled = compileAnew(inputs, times);
    if (!compiled)
      return compiled;
    for (const PhaseTime &phase : compiled->phases)
      times.add(phase.phase, phase.ns);
    compiled->phases = times.take();
    compiled->wallNs = watch.ns();
    store.keep(inputs, *compiled);
    return compiled;
  }

  Prediction predict(std::span<const TensorType> inputs) const override {
    const auto expected = expect(inputs);
    if (!expected)
      return {};
    return {CompileHistory::process().compileNs(*expected),
            expected->costs.compiledNs, expected->costs.eagerNs};
  }

  std::string_view source() const override {
    return graph->bytecode->getMemoryBuffer(graph->bytecode->getMainFileID())
        ->getBuffer();
  }

  Device &device() const override { return **config.target->device(); }
  LibraryOptions libraries() const override {
    return libraryOptions(config.options);
  }

private:
  Expected<Compiled> compileAnew(std::span<const TensorType> inputs,
                                 PhaseTimes &times);
  Expected<std::unique_ptr<CompilerSession>> createSession();
  /// Fails for a target that no coefficients are fitted for, and where the
  /// types do not fit.
  Expected<CompileHistory::Expectation>
  expect(std::span<const TensorType> inputs) const;

  const std::shared_ptr<const GraphSource> graph;
  const CompilerConfig config;
  ProgramStore store;
  /// Lives as long as compilers that it is for.
  std::shared_ptr<BackgroundCalibration> calibration;
  std::once_flag once;
  WarmUpThread warmer;
  ObjectPool<CompilerSession> sessions;
};

Expected<std::unique_ptr<CompilerSession>> GraphCompiler::createSession() {
  std::call_once(once, [&] { warmer.start(*config.target); });
  return CompilerSession::create(graph, config);
}

Expected<Compiled>
GraphCompiler::compileAnew(std::span<const TensorType> inputs,
                           PhaseTimes &times) {
  std::unique_ptr<CompilerSession> session = sessions.take();
  if (!session) {
    PhaseTimer timer(times, "start compiler");
    TANDEM_ASSIGN_OR_RETURN(session, createSession());
  }
  const auto expected = expect(inputs);
  const double start = threadNs();
  Expected<Compiled> compiled = session->compile(inputs);
  if (expected && compiled)
    CompileHistory::process().observe(*expected, compiled->kernelCounts,
                                      threadNs() - start + othersNs(*compiled));
  // The next compilation makes another in the place of a worn-out one.
  if (!session->isWornOut())
    sessions.put(std::move(session));
  return compiled;
}

Expected<CompileHistory::Expectation>
GraphCompiler::expect(std::span<const TensorType> inputs) const {
  if (!config.target->isHost())
    return fail("predict", "costs are predicted for the host only");
  TANDEM_ASSIGN_OR_RETURN(FusionSketch sketch,
                          sketchFusion(*graph->eager, inputs));
  return CompileHistory::process().expect(sketch, *graph->eager, config.model,
                                          config.options.kernelCache);
}

} // namespace

Expected<std::unique_ptr<Compiler>>
createGraphCompiler(std::shared_ptr<const GraphSource> graph,
                    CompileOptions options) {
  TANDEM_ASSIGN_OR_RETURN(CompilerConfig config,
                          CompilerConfig::create(options));
  const bool mayBeStored = config.disk != nullptr;
  auto compiler =
      std::make_unique<GraphCompiler>(std::move(graph), std::move(config));
  // Where programs are kept on disk, it may never be needed.
  if (!mayBeStored)
    TANDEM_RETURN_IF_ERROR(compiler->start());
  return compiler;
}

} // namespace tandem
