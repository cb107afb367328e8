//===- Policy.h - When a signature changes its tier -----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_ENGINE_POLICY_POLICY_H
#define TANDEM_RUNTIME_ENGINE_POLICY_POLICY_H

#include "tandem/Runtime/Tiering.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tandem::tiering {

/// A robust running estimate of a time per call: the median and the 10th and
/// 90th percentile of the last samples, as order statistics. Memory is fixed;
/// adding costs one insertion into a short sorted array. Not thread-safe.
class TimeEstimate {
public:
  /// Adds a time in nanoseconds. What is not finite or negative is ignored.
  void add(double ns);

  /// Median; 0 with no sample.
  double ns() const { return rank(0.5); }
  /// 10th and 90th percentile. With fewer than ten samples, the least and the
  /// greatest.
  double lowNs() const { return rank(0.1); }
  double highNs() const { return rank(0.9); }
  double spreadNs() const { return highNs() - lowNs(); }
  /// Samples since the start; at most kWindow of them count.
  uint64_t samples() const { return count; }

  static constexpr size_t kWindow = 32;

private:
  double rank(double quantile) const;
  size_t held() const { return count < kWindow ? count : kWindow; }

  std::array<float, kWindow> recent{}; // a ring: the next at count % kWindow
  std::array<float, kWindow> sorted{};
  uint64_t count = 0;
};

using State = SignatureState;

/// Whether a promoted program runs as captured work.
enum class Capture : uint8_t {
  unavailable, ///< The device captures nothing, or not this program.
  untried,     ///< Nobody knows which is faster.
  preparing,   ///< A background thread prepares it.
  trial,       ///< Calls run captured and compiled by turns, and are timed.
  chosen,      ///< Captured is faster.
  rejected,    ///< It is not, or it failed.
};

/// Everything that is known of a signature and that the policy reads. Times are
/// in nanoseconds; points in time are those of any one monotonic clock. A
/// Record has no lock: threads that share one must guard it.
struct Record {
  State state = State::eager;
  /// Calls that began, and those of them that ran eagerly to their end.
  uint64_t calls = 0, eagerCalls = 0;
  /// Time of all eager calls.
  double eagerSumNs = 0;
  /// e and c as measured. `compiled` starts anew when the program is retried,
  /// and when it is compared with captured calls.
  TimeEstimate eager, compiled, captured;
  Capture capture = Capture::unavailable;
  /// What capturing has cost so far.
  double captureNs = 0;
  /// Ĉ, the predicted cost of compiling; 0 where there is no prediction yet.
  double predictedCompileNs = 0;
  /// ĉ, the predicted time of a compiled call; 0 where it is not known.
  double predictedCompiledNs = 0;
  /// e as it was predicted with ĉ; 0 where it was not.
  double predictedEagerNs = 0;
  /// C as measured; 0 before the first compilation.
  double compileNs = 0;
  /// How often the signature went back from compiled to eager.
  uint32_t demotions = 0;
  /// How many certificates of the program were undecided, and the first call
  /// that may make the next certificate.
  uint32_t undecidedCertificates = 0;
  uint64_t nextCertificateCall = 0;
  /// Bytes that go when the program does: code, packed weights, arenas.
  int64_t residentBytes = 0;
  double firstCallNs = 0, lastCallNs = 0;
  /// The longest time between the beginnings of two successive calls.
  double longestGapNs = 0;
  /// The values of `eagerCalls`, `eagerSumNs` and the time from which the loss
  /// counts: those at the last demotion or eviction. Before the first one,
  /// zeros and `firstCallNs`.
  uint64_t countedCalls = 0;
  double countedSumNs = 0, countedSinceNs = 0;

  /// A call begins.
  void beginCall(double nowNs);
  /// Adds `count` calls that were not recorded one by one; the last of them
  /// began at `lastNs`.
  void addCalls(uint64_t count, double lastNs);
  /// Adds the time of an eager call. One-time costs of the first call, such as
  /// preparing primitives, are left out if they are known.
  void addEager(double ns);
  /// Adds the time of an eager call during which background work ran, which may
  /// have shared the call's core. Such interference is a cost of compiling and
  /// not of eager execution, so at most the 90th percentile of the earlier
  /// times is counted.
  void addEagerBeside(double ns);
  /// Adds an eager call that was not timed. It is assumed to have taken as long
  /// as the others or, if there are none yet, as the first call that will be
  /// timed.
  void addUntimedEager();
  void addCompiled(double ns) { compiled.add(ns); }
  /// Adds a captured call. addCapturing adds a call that was also captured
  /// itself.
  void addCaptured(double ns) { captured.add(ns); }
  void addCapturing(double ns);
  /// There is a captured program to compare with.
  void beginTrial(double costNs);
  /// Whether the next call of a promoted program runs it as captured work.
  bool runsCaptured() const;
  /// The times of the calls that run what was promoted.
  const TimeEstimate &promoted() const {
    return capture == Capture::chosen ? captured : compiled;
  }
  /// Whether it is settled in which tier a promoted program runs.
  bool isCaptureDecided() const {
    return capture == Capture::unavailable || capture >= Capture::chosen;
  }
  /// A certificate was undecided. The next one is made after a gap that grows
  /// with each: 16 calls, 64, 256, ….
  void addUndecidedCertificate();
  /// Whether the call that began last may carry a certificate.
  bool isCertificateDue() const { return calls >= nextCertificateCall; }
  /// The compiled program turned out not to be faster.
  void demote(double nowNs);
  /// The demoted program is tried again: it is ready if it is still there,
  /// otherwise it has to be compiled (state queued).
  void retry(bool resident);
  /// The program was dropped to save memory. What is lost counts from here, so
  /// that the next compilation has to be worth its cost again.
  void dropProgram(double nowNs);

  /// C where it was measured, else Ĉ.
  double expectedCompileNs() const;
  /// c if it was measured, otherwise the corrected ĉ. For a demoted signature,
  /// the 10th percentile of c: an optimistic estimate of the time that the
  /// program may take.
  double expectedCompiledNs() const;
  /// ĉ, corrected by the measured e with the factor √(e/ê). Errors of a
  /// prediction that come from unknown properties of the machine or the graph
  /// affect both ĉ and ê; half of the error, as a logarithm, is assumed to be
  /// common to both.
  double correctedCompiledNs() const;
  /// Σ(e − c), what the eager calls since the last demotion or eviction took
  /// longer than compiled ones would have.
  double lossNs() const;
};

/// What the policy reads beside the record: of the machine and the engine.
struct Conditions {
  double nowNs = 0;
  /// Cores that compiling would take from nobody (CapacityMonitor).
  double spareCores = 0;
  /// The sum of lossRate over the other jobs that wait for a compile thread. A
  /// value that is some milliseconds old is accurate enough.
  double queuedLossRate = 0;
};

struct PolicyOptions {
  unsigned compileThreads = 1;
  /// The number of the call at which a signature is compiled, whatever the
  /// cost, for comparisons: 1 for the first call, kNever for none. 0 compiles
  /// when it pays.
  uint64_t compileAtCall = 0;
  static constexpr uint64_t kNever = std::numeric_limits<uint64_t>::max();
  /// The least loss at which a signature is compiled if cores are spare, as a
  /// share of the predicted compile time C. Waiting costs at most this share of
  /// C more than compiling at once. It is also the least probability that the
  /// program saves the processor time of compiling it (docs/Engine.md), so that
  /// shapes that occur only a few times keep no core busy.
  double spareShare = 0.01;
  /// Samples of c before a signature may be demoted.
  uint64_t demotionSamples = 3;
  /// Samples of c before a program is captured, and then of both tiers before
  /// one of them is chosen.
  uint64_t captureSamples = TimeEstimate::kWindow;
  /// Undecided certificates after which the signature stays eager.
  uint32_t maxUndecidedCertificates = 5;
  /// The most signatures, and the most bytes of programs, that are kept.
  size_t maxSignatures = 4096;
  int64_t maxResidentBytes = int64_t{1} << 32;
};

enum class Action : uint8_t {
  none,    ///< Go on as the state says.
  compile, ///< Queue a compilation.
  cancel,  ///< Take the job out of the queue; back to eager.
  promote, ///< Check the program beside eager, then run it.
  demote,  ///< Run eagerly again: Record::demote.
  retry,   ///< Try a demoted program again: Record::retry.
  refuse,  ///< Drop the program for good.
  capture, ///< Prepare the program to run as captured work, on trial.
  adopt,   ///< Run it as captured work: Capture::chosen.
  release, ///< Drop the captured work: Capture::rejected.
};
std::string_view name(Action action);

/// The reason of a decision. A comment says which numbers the decision compares
/// as `have` and `need`.
enum class Reason : uint8_t {
  firstCall,         ///< e is not known yet.
  notPredicted,      ///< Ĉ is not known yet.
  predictedSlower,   ///< e against the c that is expected.
  fixedCall,         ///< The call against PolicyOptions::compileAtCall.
  loss,              ///< The loss so far against the threshold, ns.
  waiting,           ///< Silence against what it may be, ns.
  quiet,             ///< The same.
  compiling,         ///< The compilation is under way.
  ready,             ///< The c that is expected against e.
  undecided,         ///< Calls against the call that certifies again.
  overMemory,        ///< Bytes of the program against the limit.
  fewSamples,        ///< Samples of c against those needed.
  notSlower,         ///< c (10th percentile) against e (90th), ns.
  measuredSlower,    ///< The same.
  remembered,        ///< The loss since the demotion against the threshold, ns.
  lossSinceDemotion, ///< The same.
  toBeCaptured,      ///< Samples of c against those needed.
  capturing,         ///< The captured program is being prepared.
  comparing,         ///< Samples of captured calls against those needed.
  capturedFaster,    ///< Captured against compiled, ns.
  capturedSlower,    ///< The same, or 10th against 90th percentile.
  capturedKept,      ///< Captured (10th percentile) against compiled (90th).
  refused,           ///< Nothing will change it.
};

/// What to do and why. Making one allocates nothing; `describe` renders it.
struct Decision {
  Action action = Action::none;
  Reason reason = Reason::loss;
  /// The two numbers that were compared: the action is or would be taken when
  /// `have` reaches `need`. The reason says what they are and in which unit.
  double have = 0, need = 0;
};
/// One sentence for a person, with what would change the decision.
std::string describe(const Decision &decision);

/// Decides what to do with a signature. Pure: it depends on its arguments only.
///
/// To be asked when a call of the signature begins, and at any time for one
/// that is queued. In the state eager it is ski rental with break-even (Karlin,
/// Manasse, Rudolph, Sleator: Competitive Snoopy Caching, Algorithmica 3,
/// 1988): compile once the loss, with that of the call that begins, reaches
/// compilePrice · Ĉ. docs/Engine.md derives each rule and its bound.
Decision decide(const Record &record, const Conditions &conditions,
                const PolicyOptions &options);

/// The cost of a nanosecond of compiling to callers, in nanoseconds, from
/// `spareShare` to 1. Work that no spare core runs takes time from callers, and
/// jobs that wait in the queue wait longer.
double compilePrice(const Conditions &conditions, const PolicyOptions &options);

/// The estimated loss per nanosecond. It is that of the calls so far, divided
/// by their time plus a silence as long as compiling takes: compiling cannot
/// help before that time has passed, and a rate that was observed for less time
/// is uncertain.
double lossRate(const Record &record, double nowNs);
/// The loss rate divided by the compile time, in 1/ns. In this order, jobs that
/// wait for one machine lose the least (Smith's rule; W. E. Smith, Naval
/// Research Logistics Quarterly 3, 1956).
double priority(const Record &record, double nowNs);
/// The index of the job to compile next; none where there is no job. The first
/// among equals.
std::optional<size_t> pickNext(std::span<const Record *const> jobs,
                               double nowNs);

/// What to drop.
struct Eviction {
  size_t index;
  /// The whole signature, or its program only.
  bool wholeSignature;
};
/// Selects what to drop to stay within the limits of the options: the least
/// recently called signature, or the program of the least recently called
/// signature that has one. Returns nothing if all is within the limits, or if
/// all that is left is being compiled. Call it until it returns nothing.
std::optional<Eviction> selectEviction(std::span<const Record *const> records,
                                       const PolicyOptions &options);

} // namespace tandem::tiering

#endif // TANDEM_RUNTIME_ENGINE_POLICY_POLICY_H
