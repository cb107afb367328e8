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

/// All that is known of a signature, and all of it that the policy reads. Times
/// are in nanoseconds; points in time are of any one monotonic clock. A value:
/// whoever shares it between threads guards it.
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
  /// How many certificates of the program were undecided, and from which call
  /// on the next one is made.
  uint32_t undecidedCertificates = 0;
  uint64_t nextCertificateCall = 0;
  /// Bytes that go when the program does: code, packed weights, arenas.
  int64_t residentBytes = 0;
  double firstCallNs = 0, lastCallNs = 0;
  /// The longest time between the beginnings of two successive calls.
  double longestGapNs = 0;
  /// The point that the loss counts from: `eagerCalls`, `eagerSumNs` and the
  /// time at the last demotion or eviction; zeros and `firstCallNs` before the
  /// first one.
  uint64_t countedCalls = 0;
  double countedSumNs = 0, countedSinceNs = 0;

  /// A call begins.
  void beginCall(double nowNs);
  /// So many calls have begun that it was not told of, the last one then.
  void addCalls(uint64_t count, double lastNs);
  /// A call that ran eagerly, or compiled, took this long: without what only
  /// the first call pays, such as preparing primitives, where that is known.
  void addEager(double ns);
  /// The same of a call while something was done in the background, which may
  /// have had its core for a part of the time. That is a cost of compiling, not
  /// of eager: of the time counts what it has taken before (90th percentile).
  void addEagerBeside(double ns);
  /// A call that ran eagerly took nobody knows how long: as long as others, or
  /// where there are none yet, as the first that will be timed.
  void addUntimedEager();
  void addCompiled(double ns) { compiled.add(ns); }
  /// A captured call; one that also captured it.
  void addCaptured(double ns) { captured.add(ns); }
  void addCapturing(double ns);
  /// There is a captured program to compare with.
  void beginTrial(double costNs);
  /// Whether the next call runs captured, of a promoted program.
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
  /// c where it was measured, else ĉ as corrected. Of a demoted signature the
  /// 10th percentile: what the program may be hoped to take.
  double expectedCompiledNs() const;
  /// ĉ, corrected by what is known of e: times √(e/ê). What the prediction did
  /// not know of the machine or of the graph, it did not know of both; half of
  /// its error, in logarithms, is taken to be shared.
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
  /// Sum of lossRate over the other jobs that wait for a compile thread; one of
  /// some milliseconds ago will do.
  double queuedLossRate = 0;
};

struct PolicyOptions {
  unsigned compileThreads = 1;
  /// The call of a signature at which it is compiled, whatever that costs, for
  /// comparison: 1 is the first, kNever none. 0: when it pays.
  uint64_t compileAtCall = 0;
  static constexpr uint64_t kNever = std::numeric_limits<uint64_t>::max();
  /// The least share of its compile time that a signature has to have lost
  /// before it is compiled, where cores are spare. Waiting costs at most this
  /// share of the predicted C beyond compiling at once. It is also the least
  /// chance that the program saves the processor time that compiling it takes
  /// (docs/Engine.md), so that shapes which come a few times keep no core busy.
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

/// Why. The numbers that go with it are the decision's `have` and `need`.
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
  /// What was compared: the action follows, or would, when `have` reaches
  /// `need`. Units as the reason says.
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

/// What a nanosecond of compiling costs callers, in nanoseconds, from
/// `spareShare` to 1: what is not run by a spare core is taken from callers,
/// and what waits in the queue waits longer.
double compilePrice(const Conditions &conditions, const PolicyOptions &options);

/// Nanoseconds lost per nanosecond, as estimated from the calls so far, with
/// silence for as long as compiling takes added to their time: until then
/// compiling cannot help, and a rate that was seen for less is little known.
double lossRate(const Record &record, double nowNs);
/// Loss rate per compile time, 1/ns: the order that loses least while jobs wait
/// for one machine (Smith's rule; W. E. Smith, Naval Research Logistics
/// Quarterly 3, 1956).
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
/// What is to be dropped to stay within the options' limits: the least recently
/// called of the signatures, or of those with programs. None where all is
/// within the limits, or all that is left is being compiled. To be asked until
/// it says none.
std::optional<Eviction> selectEviction(std::span<const Record *const> records,
                                       const PolicyOptions &options);

} // namespace tandem::tiering

#endif // TANDEM_RUNTIME_ENGINE_POLICY_POLICY_H
