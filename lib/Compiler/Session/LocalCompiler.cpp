//===- LocalCompiler.cpp - Compiles in this process -----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session/LocalCompiler.h"

#include "Calibration/BackgroundCalibration.h"

#include "tandem/Support/Clocks.h"

#include <algorithm>

namespace tandem {

LocalCompiler::LocalCompiler(std::shared_ptr<CompilerState> given,
                             bool recordsCosts)
    : state(std::move(given)), recordsCosts(recordsCosts) {
  if (state->config.target->isHost())
    calibration = BackgroundCalibration::share();
  WarmUpThread::prepare();
}

Status LocalCompiler::start() {
  TANDEM_ASSIGN_OR_RETURN(auto session, createSession());
  sessions.put(std::move(session));
  return {};
}

Expected<std::unique_ptr<CompilerSession>> LocalCompiler::createSession() {
  std::call_once(once, [&] { warmer.start(*state->config.target); });
  return CompilerSession::create(state->graph, state->config);
}

/// The time that other threads have worked on a compilation.
static double othersNs(const Compiled &compiled) {
  double sum = 0;
  for (const PhaseTime &phase : compiled.phases)
    sum += phase.ns;
  return std::max(0.0, sum - compiled.wallNs);
}

Expected<Compiled>
LocalCompiler::compileRecorded(CompilerSession &session,
                               std::span<const TensorType> inputs) {
  const auto expected = state->forecast.expect(inputs);
  const double start = threadNs();
  TANDEM_ASSIGN_OR_RETURN(Compiled compiled, session.compile(inputs));
  state->forecast.observe(expected, compiled.kernelCounts,
                          threadNs() - start + othersNs(compiled));
  return compiled;
}

Expected<Compiled> LocalCompiler::compile(ProgramRequest &request) {
  const Stopwatch watch;
  PhaseTimes times;
  std::unique_ptr<CompilerSession> session = sessions.take();
  if (!session) {
    PhaseTimer timer(times, "start compiler");
    TANDEM_ASSIGN_OR_RETURN(session, createSession());
  }
  TANDEM_ASSIGN_OR_RETURN(Compiled compiled,
                          recordsCosts
                              ? compileRecorded(*session, request.inputs)
                              : session->compile(request.inputs));
  // The next compilation creates a session in place of a worn-out one.
  if (!session->needsReset())
    sessions.put(std::move(session));
  times.add(compiled.phases);
  compiled.phases = times.take();
  compiled.wallNs = watch.ns();
  return compiled;
}

} // namespace tandem
