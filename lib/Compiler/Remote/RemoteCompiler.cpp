//===- RemoteCompiler.cpp - Compiles in helper processes ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Remote/RemoteCompiler.h"

using namespace tandem;

RemoteCompiler::RemoteCompiler(std::shared_ptr<CompilerState> given,
                               std::unique_ptr<CompileLayer> below)
    : state(std::move(given)), below(std::move(below)),
      client(state->graph, state->config) {}

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

Expected<Compiled> RemoteCompiler::take(const HelperOutcome::Answer &answer,
                                        ProgramRequest &request,
                                        std::span<const KnownConstant> known,
                                        PhaseTimes &times) {
  for (const auto &phase : answer.content.phases)
    times.add(phase->phase, phase->ns);
  Expected<Compiled> compiled = fail("read", "the entry on disk is gone");
  if (answer.entry)
    compiled =
        state->store.unpack(answer.entry.get(), request.key(), known, times);
  else if (std::optional<Compiled> stored =
               state->store.find(request.key(), times))
    compiled = std::move(*stored);
  if (!compiled)
    return compiled;
  addDetails(answer.content, *compiled);
  constants.add(*compiled->program, *state->graph->eager);
  return compiled;
}

Expected<Compiled> RemoteCompiler::compile(ProgramRequest &request) {
  if (request.how.in != CompileIn::process)
    return below->compile(request);
  const Stopwatch watch;
  const auto expected = state->forecast.expect(request.inputs);
  const std::vector<KnownConstant> known = constants.held();
  HelperOutcome outcome =
      client.compile(request.key(), request.inputs, known, request.how.stop);
  if (outcome.error)
    return tl::unexpected(std::move(*outcome.error));
  if (outcome.answer) {
    PhaseTimes times;
    Expected<Compiled> compiled = take(*outcome.answer, request, known, times);
    if (compiled) {
      state->forecast.observe(expected, compiled->kernelCounts,
                              outcome.answer->content.compile_ns);
      compiled->phases = times.take();
      compiled->wallNs = watch.ns();
      compiled->helperProblem = std::move(outcome.problem);
      return compiled;
    }
    outcome.problem = "what the helper process sent cannot be used: " +
                      compiled.error().message;
  }
  TANDEM_ASSIGN_OR_RETURN(Compiled compiled, below->compile(request));
  compiled.wallNs = watch.ns();
  compiled.helperProblem = std::move(outcome.problem);
  return compiled;
}
