//===- Policy.cpp - When a signature changes its tier ---------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "engine/policy/Policy.h"

#include <algorithm>
#include <cmath>

namespace tandem::tiering {

//===----------------------------------------------------------------------===//
// Record
//===----------------------------------------------------------------------===//

void Record::beginCall(double nowNs) {
  if (calls == 0)
    firstCallNs = countedSinceNs = nowNs;
  else
    longestGapNs = std::max(longestGapNs, nowNs - lastCallNs);
  // Threads may report their calls out of order.
  lastCallNs = calls == 0 ? nowNs : std::max(lastCallNs, nowNs);
  ++calls;
}

void Record::addCalls(uint64_t count, double lastNs) {
  // The single gaps between these calls are not known, only their sum; use the
  // mean.
  const double gap = (lastNs - lastCallNs) / static_cast<double>(count);
  longestGapNs = std::max(longestGapNs, gap);
  lastCallNs = std::max(lastCallNs, lastNs);
  calls += count;
}

void Record::addEager(double ns) {
  // Earlier calls that could not be timed are assumed to have taken as long as
  // this one.
  if (eager.samples() == 0)
    eagerSumNs = static_cast<double>(eagerCalls) * ns;
  ++eagerCalls;
  eagerSumNs += ns;
  eager.add(ns);
}

void Record::addEagerBeside(double ns) {
  addEager(eager.samples() > 0 ? std::min(ns, eager.highNs()) : ns);
}

void Record::addUntimedEager() {
  ++eagerCalls;
  eagerSumNs += eager.ns();
}

void Record::beginTrial(double costNs) {
  capture = Capture::trial;
  captureNs = costNs;
  compiled = captured = TimeEstimate();
}

void Record::addCapturing(double ns) {
  captureNs += std::max(0.0, ns - compiled.ns());
}

bool Record::runsCaptured() const {
  return capture == Capture::chosen ||
         (capture == Capture::trial && captured.samples() < compiled.samples());
}

/// Restarts the counting of the loss. A captured program is dropped with the
/// compiled one, but it is remembered if capturing was slower.
static void startAnew(Record &record, double nowNs) {
  if (record.capture != Capture::rejected)
    record.capture = Capture::unavailable;
  record.countedCalls = record.eagerCalls;
  record.countedSumNs = record.eagerSumNs;
  record.countedSinceNs = nowNs;
}

void Record::addUndecidedCertificate() {
  nextCertificateCall = calls + (uint64_t{16} << 2 * undecidedCertificates++);
}

void Record::demote(double nowNs) {
  state = State::demoted;
  ++demotions;
  startAnew(*this, nowNs);
}

void Record::retry(bool resident) {
  predictedCompiledNs = expectedCompiledNs();
  predictedEagerNs = 0;
  compiled = TimeEstimate();
  state = resident ? State::compiled : State::queued;
}

void Record::dropProgram(double nowNs) {
  residentBytes = 0;
  if (state == State::demoted || state == State::refused)
    return;
  state = State::eager;
  startAnew(*this, nowNs);
}

double Record::expectedCompileNs() const {
  return compileNs > 0 ? compileNs : predictedCompileNs;
}

double Record::correctedCompiledNs() const {
  if (predictedEagerNs <= 0 || eager.ns() <= 0)
    return predictedCompiledNs;
  return predictedCompiledNs * std::sqrt(eager.ns() / predictedEagerNs);
}

double Record::expectedCompiledNs() const {
  if (promoted().samples() == 0)
    return correctedCompiledNs();
  return state == State::demoted ? compiled.lowNs() : promoted().ns();
}

double Record::lossNs() const {
  return (eagerSumNs - countedSumNs) -
         static_cast<double>(eagerCalls - countedCalls) * expectedCompiledNs();
}

//===----------------------------------------------------------------------===//
// Prices and priorities
//===----------------------------------------------------------------------===//

double compilePrice(const Conditions &conditions,
                    const PolicyOptions &options) {
  const double spare = std::clamp(conditions.spareCores, 0.0, 1.0);
  const double displaced =
      conditions.queuedLossRate / std::max(1U, options.compileThreads);
  return std::min(1.0, (1 - spare) + spare * options.spareShare + displaced);
}

double lossRate(const Record &record, double nowNs) {
  const double seen = nowNs - record.countedSinceNs;
  const double span = std::max(0.0, seen) + record.expectedCompileNs();
  return span > 0 ? std::max(0.0, record.lossNs()) / span : 0;
}

double priority(const Record &record, double nowNs) {
  const double cost = record.expectedCompileNs();
  return cost > 0 ? lossRate(record, nowNs) / cost : 0;
}

std::optional<size_t> pickNext(std::span<const Record *const> jobs,
                               double nowNs) {
  auto best = std::max_element(
      jobs.begin(), jobs.end(), [&](const Record *a, const Record *b) {
        return priority(*a, nowNs) < priority(*b, nowNs);
      });
  if (best == jobs.end())
    return std::nullopt;
  return best - jobs.begin();
}

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

/// The loss, with that of the call that begins.
static double lossWithNextCall(const Record &record) {
  return record.lossNs() + record.eager.ns() - record.expectedCompiledNs();
}

/// The loss at which a demoted program is tried again: the cost of compiling
/// and certifying it, doubled for each demotion. A call loses at most e, so a
/// stream that spends the time T eagerly sees at most log2(T/C + 2) demotions.
/// 0 for a program that has never been demoted.
static double retryThreshold(const Record &record) {
  if (record.demotions == 0)
    return 0;
  const double cost = record.expectedCompileNs() + record.eager.ns() +
                      record.expectedCompiledNs();
  return std::ldexp(cost, static_cast<int>(std::min(record.demotions, 2000U)));
}

static Decision decideAtCall(const Record &record,
                             const PolicyOptions &options) {
  const bool isReached = record.calls >= options.compileAtCall;
  return {isReached ? Action::compile : Action::none, Reason::fixedCall,
          static_cast<double>(record.calls),
          static_cast<double>(options.compileAtCall)};
}

static Decision decideCompile(const Record &record,
                              const Conditions &conditions,
                              const PolicyOptions &options) {
  if (options.compileAtCall > 0)
    return decideAtCall(record, options);
  if (record.eager.samples() == 0)
    return {Action::none, Reason::firstCall};
  const double cost = record.expectedCompileNs();
  if (!(cost > 0))
    return {Action::none, Reason::notPredicted};
  const double e = record.eager.ns(), c = record.expectedCompiledNs();
  if (!(c < e))
    return {Action::none, Reason::predictedSlower, e, c};
  const double loss = lossWithNextCall(record);
  const double threshold = std::max(compilePrice(conditions, options) * cost,
                                    retryThreshold(record));
  if (loss < threshold)
    return {Action::none, Reason::loss, loss, threshold};
  return {Action::compile, Reason::loss, loss, threshold};
}

/// Cancels when others wait and the stream of calls is likelier to have ended
/// than not. After n calls, odds of n to 1 that another one comes (Laplace's
/// rule of succession), times exp(-silence/gap) for its not having come yet.
/// The gap is the longest so far, so that bursts do not count as ends. Cancels,
/// too, when it has turned out meanwhile that the program was not faster.
static Decision decideQueued(const Record &record, const Conditions &conditions,
                             const PolicyOptions &options) {
  const double silence = conditions.nowNs - record.lastCallNs;
  const double gap = std::max(record.longestGapNs, record.eager.ns());
  const double patience = gap * std::log1p(static_cast<double>(record.calls));
  const bool isPriced = options.compileAtCall == 0;
  const double loss = lossWithNextCall(record), needed = retryThreshold(record);
  if (isPriced && loss < needed)
    return {Action::cancel, Reason::remembered, loss, needed};
  if (isPriced && conditions.queuedLossRate > 0 && silence > patience)
    return {Action::cancel, Reason::quiet, silence, patience};
  return {Action::none, Reason::waiting, silence, patience};
}

static Decision decidePromotion(const Record &record,
                                const PolicyOptions &options) {
  if (!record.isCertificateDue())
    return {Action::none, Reason::undecided, static_cast<double>(record.calls),
            static_cast<double>(record.nextCertificateCall)};
  if (record.residentBytes > options.maxResidentBytes)
    return {Action::refuse, Reason::overMemory,
            static_cast<double>(record.residentBytes),
            static_cast<double>(options.maxResidentBytes)};
  const double e = record.eager.ns(), c = record.expectedCompiledNs();
  const bool isPriced =
      options.compileAtCall == 0 && record.eager.samples() > 0;
  if (isPriced && !(c < e))
    return {Action::none, Reason::predictedSlower, e, c};
  return {Action::promote, Reason::ready, c, e};
}

static Decision decideDemotion(const Record &record,
                               const PolicyOptions &options) {
  // Compiled ahead of its first call.
  if (record.eager.samples() == 0)
    return {Action::none, Reason::firstCall};
  const uint64_t samples = record.compiled.samples();
  if (samples < options.demotionSamples)
    return {Action::none, Reason::fewSamples, static_cast<double>(samples),
            static_cast<double>(options.demotionSamples)};
  const double low = record.compiled.lowNs(), high = record.eager.highNs();
  if (low >= high)
    return {Action::demote, Reason::measuredSlower, low, high};
  return {Action::none, Reason::notSlower, low, high};
}

/// Decides which of its two tiers a program that is faster than eager runs in;
/// returns `none` if that is settled. In the trial the medians decide. If the
/// medians are equal, the compiled tier is chosen, which holds no memory
/// between calls. Later, the captured tier is dropped when it is slower beyond
/// both spreads.
static Decision decideCapture(const Record &record,
                              const PolicyOptions &options,
                              const Decision &none) {
  const TimeEstimate &captured = record.captured, &compiled = record.compiled;
  const double needed = static_cast<double>(options.captureSamples);
  switch (record.capture) {
  case Capture::unavailable:
  case Capture::rejected:
    return none;
  case Capture::untried:
    return {compiled.samples() < options.captureSamples ? Action::none
                                                        : Action::capture,
            Reason::toBeCaptured, static_cast<double>(compiled.samples()),
            needed};
  case Capture::preparing:
    return {Action::none, Reason::capturing};
  case Capture::trial:
    if (std::min(captured.samples(), compiled.samples()) <
        options.captureSamples)
      return {Action::none, Reason::comparing,
              static_cast<double>(captured.samples()), needed};
    return captured.ns() < compiled.ns()
               ? Decision{Action::adopt, Reason::capturedFaster, captured.ns(),
                          compiled.ns()}
               : Decision{Action::release, Reason::capturedSlower,
                          captured.ns(), compiled.ns()};
  case Capture::chosen:
    const bool isSlower = captured.samples() >= options.demotionSamples &&
                          captured.lowNs() >= compiled.highNs();
    return {isSlower ? Action::release : Action::none,
            isSlower ? Reason::capturedSlower : Reason::capturedKept,
            captured.lowNs(), compiled.highNs()};
  }
  return none;
}

static Decision decideRetry(const Record &record) {
  const double loss = lossWithNextCall(record);
  const double threshold = retryThreshold(record);
  if (loss >= threshold)
    return {Action::retry, Reason::lossSinceDemotion, loss, threshold};
  return {Action::none, Reason::remembered, loss, threshold};
}

Decision decide(const Record &record, const Conditions &conditions,
                const PolicyOptions &options) {
  switch (record.state) {
  case State::eager:
    return decideCompile(record, conditions, options);
  case State::queued:
    return decideQueued(record, conditions, options);
  case State::compiling:
    return {Action::none, Reason::compiling};
  case State::compiled:
    return decidePromotion(record, options);
  case State::provisional:
    return decideDemotion(record, options);
  case State::promoted: {
    const Decision decision = decideDemotion(record, options);
    return decision.action == Action::none
               ? decideCapture(record, options, decision)
               : decision;
  }
  case State::demoted:
    return decideRetry(record);
  case State::refused:
    break;
  }
  return {Action::none, Reason::refused};
}

//===----------------------------------------------------------------------===//
// Eviction
//===----------------------------------------------------------------------===//

/// The least recently called of the records for which `mayGo` holds.
template <typename MayGo>
static std::optional<size_t> leastRecent(std::span<const Record *const> records,
                                         MayGo mayGo) {
  std::optional<size_t> oldest;
  for (size_t i = 0; i < records.size(); ++i)
    if (records[i]->state != State::compiling && mayGo(*records[i]) &&
        (!oldest || records[i]->lastCallNs < records[*oldest]->lastCallNs))
      oldest = i;
  return oldest;
}

std::optional<Eviction> selectEviction(std::span<const Record *const> records,
                                       const PolicyOptions &options) {
  if (records.size() > options.maxSignatures)
    if (auto index = leastRecent(records, [](const Record &) { return true; }))
      return Eviction{*index, /*wholeSignature=*/true};
  int64_t bytes = 0;
  for (const Record *record : records)
    bytes += record->residentBytes;
  if (bytes <= options.maxResidentBytes)
    return std::nullopt;
  auto index = leastRecent(
      records, [](const Record &record) { return record.residentBytes > 0; });
  if (!index)
    return std::nullopt;
  return Eviction{*index, /*wholeSignature=*/false};
}

} // namespace tandem::tiering
