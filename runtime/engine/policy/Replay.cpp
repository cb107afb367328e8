//===- Replay.cpp - The policy on a virtual clock -------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "engine/policy/Replay.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tandem::tiering {

Replay::Replay(ReplayMachine machine, PolicyOptions options,
               std::vector<ReplaySignature> signatures)
    : machine(machine), options(options), signatures(std::move(signatures)),
      records(this->signatures.size()) {
  for (size_t i = 0; i < records.size(); ++i) {
    records[i].predictedCompileNs = this->signatures[i].predictedCompileNs;
    records[i].predictedCompiledNs = this->signatures[i].predictedCompiledNs;
    records[i].predictedEagerNs = this->signatures[i].predictedEagerNs;
  }
  nextTickNs = machine.firstTickNs > 0 ? machine.firstTickNs : machine.tickNs;
}

Conditions Replay::conditions() const {
  Conditions conditions;
  conditions.nowNs = clockNs;
  conditions.spareCores = spareCores;
  for (size_t signature : queue)
    conditions.queuedLossRate += lossRate(records[signature], clockNs);
  return conditions;
}

Decision Replay::decisionFor(size_t signature) const {
  PolicyOptions own = options;
  own.compileAtCall =
      signatures[signature].compileAtCall.value_or(options.compileAtCall);
  return decide(records[signature], conditions(), own);
}

/// Starts the queue's best jobs while there are threads, and takes out those
/// whose signatures went quiet.
void Replay::startJobs() {
  while (running.size() < options.compileThreads && !queue.empty()) {
    std::vector<const Record *> jobs;
    for (size_t signature : queue)
      jobs.push_back(&records[signature]);
    const size_t next = *pickNext(jobs, clockNs);
    const size_t signature = queue[next];
    Record &record = records[signature];
    queue.erase(queue.begin() + static_cast<ptrdiff_t>(next));
    if (decisionFor(signature).action == Action::cancel) {
      record.state = State::eager;
      ++totals.cancelled;
      continue;
    }
    record.state = State::compiling;
    running.push_back({signature, signatures[signature].compileNs});
  }
}

double Replay::untilFirstEnd(double share) const {
  double least = std::numeric_limits<double>::infinity();
  for (const Job &job : running)
    least = std::min(least, job.remainingNs);
  return least / share;
}

void Replay::work(double wallNs, double share) {
  clockNs += wallNs;
  for (Job &job : running) {
    // What ends now has exactly nothing left, whatever the rounding.
    const bool ends = job.remainingNs / share <= wallNs;
    job.remainingNs = ends ? 0 : job.remainingNs - wallNs * share;
  }
  std::erase_if(running, [&](const Job &job) {
    if (job.remainingNs > 0)
      return false;
    Record &record = records[job.signature];
    record.state = State::compiled;
    record.compileNs = signatures[job.signature].compileNs;
    ++totals.compiled;
    return true;
  });
  startJobs();
}

Replay::Shares Replay::shares() const {
  constexpr double kForever = std::numeric_limits<double>::infinity();
  if (running.empty())
    return {1, 0, kForever};
  if (machine.tickNs == 0)
    return {machine.callerShare, machine.compileShare, kForever};
  const double ns = nextTickNs - clockNs;
  return isCallersTurn ? Shares{1, 0, ns} : Shares{0, 1, ns};
}

void Replay::passTicks() {
  constexpr double kRoundingNs = 1;
  const double passed = clockNs - nextTickNs + kRoundingNs;
  if (machine.tickNs == 0 || passed < 0)
    return;
  nextTickNs += machine.tickNs * (1 + std::floor(passed / machine.tickNs));
  isCallersTurn = owedNs <= 0;
}

void Replay::idle(double ns) {
  while (ns > 0) {
    const double step = std::min(ns, untilFirstEnd(1));
    work(step, 1);
    ns -= step;
    passTicks();
    isCallersTurn = !running.empty(); // It wakes.
  }
}

void Replay::run(double ns) {
  while (ns > 0) {
    const Shares now = shares();
    const double step =
        std::min({now.ns, untilFirstEnd(now.compile), ns / now.caller});
    const bool isShared = !running.empty();
    work(step, now.compile);
    ns -= step * now.caller;
    if (isShared)
      owedNs += step * (machine.compileShare * now.caller -
                        machine.callerShare * now.compile);
    passTicks();
    if (running.empty()) // Who compiles next wakes then.
      isCallersTurn = false;
  }
}

void Replay::waitForCompiler() {
  while (!running.empty())
    work(untilFirstEnd(machine.compileShare), machine.compileShare);
}

/// Does what the policy says until it says nothing more.
void Replay::decideFor(size_t signature) {
  Record &record = records[signature];
  for (;;) {
    switch (decisionFor(signature).action) {
    case Action::none:
    case Action::capture: // Nothing is captured in a replay.
    case Action::adopt:
    case Action::release:
      return;
    case Action::compile:
      record.state = State::queued;
      queue.push_back(signature);
      startJobs();
      if (machine.callerShare == 0)
        waitForCompiler();
      break;
    case Action::cancel:
      std::erase(queue, signature);
      ++totals.cancelled;
      record.state = State::eager;
      break;
    case Action::promote:
      record.state = State::promoted;
      break;
    case Action::demote:
      record.demote(clockNs);
      ++totals.demoted;
      break;
    case Action::retry:
      record.retry(/*resident=*/true);
      break;
    case Action::refuse:
      record.state = State::refused;
      break;
    }
  }
}

double Replay::call(const ReplayCall &call) {
  idle(call.gapNs);
  spareCores = call.spareCores.value_or(machine.callerShare == 1 ? 1 : 0);
  const double start = clockNs;
  Record &record = records[call.signature];
  record.beginCall(clockNs);
  decideFor(call.signature);
  const bool compiled = record.state == State::promoted;
  run(compiled ? call.compiledNs : call.eagerNs + call.onceNs);
  // Calls are timed as they would be with the machine to themselves: what
  // compiling takes from them is part of its cost, not of e.
  if (compiled)
    record.addCompiled(call.compiledNs);
  else
    record.addEager(call.eagerNs);
  busySumNs += clockNs - start;
  return clockNs - start;
}

} // namespace tandem::tiering
