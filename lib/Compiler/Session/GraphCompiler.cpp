//===- GraphCompiler.cpp - The Compiler of a graph ------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calibration/BackgroundCalibration.h"
#include "Graph/KnownConstants.h"
#include "Prediction/CompileHistory.h"
#include "Remote/HelperClient.h"
#include "Remote/HelperPool.h"
#include "Remote/SerializedGraph.h"
#include "Session/CompilerSession.h"
#include "Session/ProgramStore.h"
#include "Session/WarmUpThread.h"

#include "tandem/Support/Clocks.h"
#include "tandem/Support/ObjectPool.h"

#include <algorithm>
#include <mutex>

namespace tandem {
namespace {

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
  GraphCompiler(std::shared_ptr<const SerializedGraph> graph,
                CompilerConfig given)
      : graph(std::move(graph)), config(std::move(given)),
        store(this->graph, config) {
    if (config.target->isHost())
      calibration = BackgroundCalibration::share();
    WarmUpThread::prepare();
    if (HelperClient::isFor(config))
      client.emplace(this->graph, config);
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
    if (std::optional<Compiled> stored = findStored(inputs, times, watch))
      return std::move(*stored);
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

  Expected<Compiled> compileInHelper(std::span<const TensorType> inputs,
                                     std::stop_token stop) override;

  Prediction predict(std::span<const TensorType> inputs) const override {
    const auto expected = expect(inputs);
    if (!expected)
      return {};
    const double startNs = client ? HelperPool::process().startNs() : 0;
    return {history().compileNs(*expected) + startNs,
            expected->costs.compiledNs, expected->costs.eagerNs};
  }

  ProgramProfile profile(std::span<const TensorType> inputs) override {
    return store.profile(inputs);
  }
  void keepProfile(std::span<const TensorType> inputs,
                   const ProgramProfile &profile) override {
    store.keepProfile(inputs, profile);
  }

  std::string_view source() const override { return bytecodeOf(*graph); }

  Device &device() const override { return **config.target->device(); }
  LibraryOptions libraries() const override {
    return libraryOptions(config.options);
  }

private:
  std::optional<Compiled> findStored(std::span<const TensorType> inputs,
                                     PhaseTimes &times, const Stopwatch &watch);
  /// The program that a helper has answered with, loaded.
  Expected<Compiled> take(const HelperOutcome::Answer &answer,
                          const CacheKey &key,
                          std::span<const TensorType> inputs,
                          std::span<const KnownConstant> known,
                          PhaseTimes &times);
  Expected<Compiled> compileAnew(std::span<const TensorType> inputs,
                                 PhaseTimes &times);
  Expected<std::unique_ptr<CompilerSession>> createSession();
  CompileHistory &history() const {
    return CompileHistory::process(config.target->isHost());
  }
  /// Fails where the types do not fit.
  Expected<CompileHistory::Expectation>
  expect(std::span<const TensorType> inputs) const;

  const std::shared_ptr<const SerializedGraph> graph;
  const CompilerConfig config;
  ProgramStore store;
  /// Lives as long as compilers that it is for.
  std::shared_ptr<BackgroundCalibration> calibration;
  std::once_flag once;
  WarmUpThread warmer;
  ObjectPool<CompilerSession> sessions;
  /// None where programs are always compiled here.
  std::optional<HelperClient> client;
  KnownConstants constants;
};

std::optional<Compiled>
GraphCompiler::findStored(std::span<const TensorType> inputs, PhaseTimes &times,
                          const Stopwatch &watch) {
  std::optional<Compiled> stored = store.find(inputs, times);
  if (!stored)
    return std::nullopt;
  stored->wallNs = watch.ns();
  stored->phases = times.take();
  history().observeStored();
  return stored;
}

/// What an answer tells beside the program.
static void addDetails(const fb::HelperAnswerT &answer, Compiled &compiled) {
  compiled.kernelCounts = {answer.compiled, answer.cached, answer.stored,
                           answer.fell_back};
  compiled.relayoutedBytes = answer.rearranged_bytes;
  for (const auto &warning : answer.warnings)
    compiled.warnings.push_back({warning->message, warning->location,
                                 warning->reproducer, warning->sources});
  compiled.isStored = false;
  compiled.compiledIn = CompileIn::process;
  compiled.helperNs = answer.processor_ns;
}

Expected<Compiled> GraphCompiler::take(const HelperOutcome::Answer &answer,
                                       const CacheKey &key,
                                       std::span<const TensorType> inputs,
                                       std::span<const KnownConstant> known,
                                       PhaseTimes &times) {
  for (const auto &phase : answer.content.phases)
    times.add(phase->phase, phase->ns);
  Expected<Compiled> compiled = fail("read", "the entry on disk is gone");
  if (answer.entry)
    compiled = store.unpack(answer.entry.get(), key, known, times);
  else if (std::optional<Compiled> stored = store.find(inputs, times))
    compiled = std::move(*stored);
  if (!compiled)
    return compiled;
  addDetails(answer.content, *compiled);
  constants.add(*compiled->program, *graph->eager);
  return compiled;
}

Expected<Compiled>
GraphCompiler::compileInHelper(std::span<const TensorType> inputs,
                               std::stop_token stop) {
  TANDEM_RETURN_IF_ERROR(checkInputs(*graph->eager, inputs));
  Stopwatch watch;
  PhaseTimes times;
  if (!client)
    return compile(inputs);
  if (std::optional<Compiled> stored = findStored(inputs, times, watch))
    return std::move(*stored);
  const auto expected = expect(inputs);
  const std::vector<KnownConstant> known = constants.held();
  const CacheKey key = store.keyOf(inputs);
  HelperOutcome outcome = client->compile(key, inputs, known, stop);
  if (outcome.error)
    return tl::unexpected(std::move(*outcome.error));
  Expected<Compiled> compiled = fail("compile", "there is no answer");
  if (outcome.answer) {
    compiled = take(*outcome.answer, key, inputs, known, times);
    if (!compiled)
      outcome.problem = "what the helper process sent cannot be used: " +
                        compiled.error().message;
    else if (expected)
      history().observe(*expected, compiled->kernelCounts,
                        outcome.answer->content.compile_ns);
  }
  if (!compiled)
    compiled = compile(inputs);
  else
    compiled->phases = times.take();
  if (compiled) {
    compiled->wallNs = watch.ns();
    compiled->helperProblem = std::move(outcome.problem);
  }
  return compiled;
}

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
    history().observe(*expected, compiled->kernelCounts,
                      threadNs() - start + othersNs(*compiled));
  // The next compilation makes another in the place of a worn-out one.
  if (!session->needsReset())
    sessions.put(std::move(session));
  return compiled;
}

Expected<CompileHistory::Expectation>
GraphCompiler::expect(std::span<const TensorType> inputs) const {
  TANDEM_ASSIGN_OR_RETURN(FusionSketch sketch,
                          sketchFusion(*graph->eager, inputs));
  auto expected = history().expect(sketch, *graph->eager, config.model,
                                   config.options.kernelCache);
  if (!config.target->isHost())
    predictCallsByModel(sketch, config.model, expected.costs);
  return expected;
}

} // namespace

Expected<std::unique_ptr<Compiler>>
createGraphCompiler(std::shared_ptr<const SerializedGraph> graph,
                    CompileOptions options) {
  TANDEM_ASSIGN_OR_RETURN(CompilerConfig config,
                          CompilerConfig::create(options));
  return createGraphCompiler(std::move(graph), std::move(config));
}

Expected<std::unique_ptr<Compiler>>
createGraphCompiler(std::shared_ptr<const SerializedGraph> graph,
                    CompilerConfig config) {
  const bool mayBeStored = config.disk != nullptr;
  auto compiler =
      std::make_unique<GraphCompiler>(std::move(graph), std::move(config));
  // The compiler may never be needed if programs are kept on disk.
  if (!mayBeStored)
    TANDEM_RETURN_IF_ERROR(compiler->start());
  return compiler;
}

} // namespace tandem
