//===- Tiering.h - How a function chooses tiers; reports --------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_TIERING_H
#define TANDEM_RUNTIME_TIERING_H

#include "tandem/Runtime/Compiler.h"
#include "tandem/Runtime/Tier.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

/// How a Function chooses the tier of a call. The *signature* of a call is the
/// list of the types of its inputs.
enum class Mode {
  /// Every call runs op by op.
  eager,
  /// The first call of a signature compiles and waits for the result.
  compile,
  /// Calls run eagerly at first. A signature is compiled in the background when
  /// compiling is predicted to pay off. A certificate then checks that the
  /// compiled program computes the same results as the eager tier. After the
  /// certificate has passed, calls run the compiled program for as long as it
  /// is faster than the eager tier.
  automatic,
  /// Like automatic, but the first call of a signature compiles and certifies,
  /// regardless of the cost, and no decision depends on measured times. This
  /// mode is intended for tests.
  compileNow,
};

/// All modes, in the order of the enumeration.
std::span<const Mode> allModes();
/// Returns "eager", "compile", "auto" or "compile-now".
std::string_view name(Mode mode);
/// Returns the mode whose `name` is `text`, or an empty optional if no mode has
/// this name.
std::optional<Mode> parseMode(std::string_view text);

/// The state of a signature.
enum class SignatureState {
  eager,     ///< Runs eagerly; compiling has not paid off so far.
  queued,    ///< Waits for a background thread to compile it.
  compiling, ///< Is being compiled.
  compiled,  ///< Is compiled, but not yet certified.
  /// Passed a certificate, but on inputs that may hide mistakes, such as zeros
  /// (docs/Engine.md).
  provisional,
  promoted, ///< Runs the compiled program.
  demoted,  ///< Runs eagerly again, because compiled was not faster.
  /// Runs eagerly permanently, because compiling, running or certifying the
  /// program failed.
  refused,
};
/// Returns the name of the enumerator.
std::string_view name(SignatureState state);

/// An event in the life of a signature.
enum class EventKind {
  seen,         ///< The signature was called for the first time.
  queued,       ///< The policy decided to compile.
  cancelled,    ///< The queued compilation was canceled.
  compiling,    ///< A background thread or a call began to compile.
  compiled,     ///< The compilation succeeded.
  failed,       ///< Compiling or running the program failed.
  certified,    ///< Compiled and eager agree on a call's inputs.
  provisional,  ///< The tiers agree, but the inputs may hide mistakes.
  undecided,    ///< The certificate could not decide.
  contradicted, ///< Compiled and eager disagree.
  promoted,     ///< Calls run the compiled program from now on.
  demoted,      ///< Calls run eagerly again.
  capturing,    ///< Some calls run as captured work, to be timed.
  captured,     ///< Calls run as captured work from now on.
  uncaptured,   ///< Calls run uncaptured: capture failed or is slower.
  evicted,      ///< The signature or its program was dropped.
};
/// Returns the name of the enumerator.
std::string_view name(EventKind kind);

/// An entry in the log of tiering decisions.
struct TieringEvent {
  /// The time of the event, in nanoseconds since the function was created. If
  /// the event has a duration, this is the time at which the event ended.
  double ns = 0;
  EventKind kind = EventKind::seen;
  /// Duration in nanoseconds; 0 for an event without a duration.
  double tookNs = 0;
  /// The input types of the signature.
  std::vector<TensorType> inputs;
  /// One sentence with the numbers that led to the decision, or with the error.
  std::string reason;
  /// The operating system's ID of the thread.
  uint64_t thread = 0;

  /// Returns the event as one line of text, without the signature.
  std::string str() const;
};

/// Options for choosing tiers. The defaults suit a program that does not share
/// the machine with other programs.
struct TieringOptions {
  Mode mode = Mode::automatic;
  /// The largest number of signatures that are kept, including signatures that
  /// are only used with an explicit tier. Beyond this number, the least
  /// recently used signature is dropped with its compiled programs. Dropping a
  /// signature adds an event, unless the signature was only used with explicit
  /// tiers.
  size_t maxSignatures = 512;
  /// The largest number of bytes that the compiled programs of a function may
  /// hold: code, constants transformed for these programs, and arenas of
  /// captured programs. Beyond this number, the least recently called program
  /// is dropped, and its signature runs eagerly.
  int64_t maxResidentBytes = int64_t(4) << 30;
  /// The largest number of bytes of inputs that a call copies so that a
  /// background thread can make a certificate. A call with larger inputs makes
  /// the certificate itself, which takes the time of an eager run plus the time
  /// of a compiled run.
  int64_t maxCertificateBytes = int64_t(64) << 20;
  /// If true, calls of a signature fail after a certificate has shown that the
  /// compiled program and the eager tier disagree, or after several
  /// certificates could not be decided. If false, such calls return the results
  /// of the eager tier. In both cases the signature is refused.
  bool isStrict = false;
  /// The place where signatures are compiled in the background.
  CompileIn compileIn = CompileIn::process;
  /// The directory for reproducers of certificates that failed or were
  /// undecided. A reproducer contains the inputs and outputs of the call. If
  /// empty, the directory is chosen as for CompileOptions::reproducerDir.
  std::string reproducerDir;
  /// Called for each event, on the thread where the event happens, with no lock
  /// held. May be called from several threads at once. The callback must not
  /// throw. May be empty.
  std::function<void(const TieringEvent &)> log;
  /// True if all calls are recorded for FunctionReport::trace.
  bool isTraced = false;
  /// If true, each output of a call has memory of its own, which the caller may
  /// write to: an output that would be a view of an input, a constant or
  /// another output is copied.
  bool ownsOutputs = false;
};

/// The time of a call, in nanoseconds: the median of the latest samples, the
/// distance between their 10th and 90th percentiles, and the number of all
/// samples.
struct CallTime {
  double ns = 0, spreadNs = 0;
  uint64_t samples = 0;
};

/// The state and the measurements of a signature.
struct SignatureReport {
  std::vector<TensorType> inputs;
  SignatureState state = SignatureState::eager;
  /// The tier in which the next call runs.
  Tier tier = Tier::eager;
  /// `calls` is the number of all calls, `compiledCalls` the number of calls
  /// that ran the compiled program (captured or not), and `certificates` the
  /// number of certificates.
  uint64_t calls = 0, compiledCalls = 0, certificates = 0;
  /// The number of compiled calls that ran in the captured tier.
  uint64_t capturedCalls = 0;
  /// The number of certificates that could not be decided. In an undecided
  /// certificate, eager and compiled differ by more than the usual rounding,
  /// and the error bounds for these inputs are so large that wrong results
  /// could pass.
  uint64_t undecidedCertificates = 0;
  /// The error of the latest certificate that failed or was undecided. The hint
  /// names the reproducer.
  std::optional<Error> certificateError;
  /// The measured times of eager calls (e), of calls that ran the compiled
  /// program without capture (c), and of captured calls.
  CallTime eager, compiled, captured;
  /// The cost of capturing in nanoseconds: the processor time of the thread
  /// that prepared the captured program, plus the additional time of calls that
  /// captured work, relative to compiled calls.
  double captureNs = 0;
  /// The predicted compile cost C and the predicted time c of a compiled call,
  /// in nanoseconds; 0 if nothing was predicted.
  double predictedCompileNs = 0, predictedCompiledNs = 0;
  /// The measured compile cost C, as processor time and as wall time, in
  /// nanoseconds; 0 before the first compilation. The processor time includes
  /// that of the helper process.
  double compileNs = 0, compileWallNs = 0;
  /// The phases of the last compilation, as in Compiled::phases.
  std::vector<PhaseTime> phases;
  /// The place where the program was compiled.
  CompileIn compiledIn = CompileIn::thread;
  /// Problems that the compiler worked around; the program is still correct.
  std::vector<Warning> warnings;
  /// The bytes that count toward TieringOptions::maxResidentBytes.
  int64_t residentBytes = 0;
  /// The latest 64 events, earliest first.
  std::vector<TieringEvent> events;
  /// One sentence that says what the next decision depends on.
  std::string next;

  /// Returns the break-even point n*, the number of calls after which compiling
  /// has paid off. The number is C / (e - c), rounded up, where C is the
  /// compile cost, e the time of an eager call, and c the time of a compiled
  /// call. The function uses measured values of C and c if available, and
  /// predictions otherwise. The result is empty if e was not measured, if C or
  /// c is unknown, or if c is not less than e.
  std::optional<double> breakEvenCalls() const;
};

/// A call, a compilation, a phase or a certificate in a trace.
struct TraceSpan {
  std::string name, category;
  /// The start time, counted from the creation of the function, and the
  /// duration, both in nanoseconds.
  double startNs = 0, ns = 0;
  /// The operating system's ID of the thread.
  uint64_t thread = 0;
  std::vector<TensorType> inputs;
};

/// A thread that called a function or worked for the function in the
/// background.
struct TraceThread {
  /// The operating system's ID and name of the thread.
  uint64_t number = 0;
  std::string name;
};

/// A snapshot of all measurements and decisions of a function.
struct FunctionReport {
  Mode mode = Mode::automatic;
  /// All signatures that are kept, those with the most calls first.
  std::vector<SignatureReport> signatures;
  /// The number of signatures that were dropped, and the number of bytes that
  /// compiled programs hold.
  uint64_t evicted = 0;
  int64_t residentBytes = 0;
  /// The longest time, in nanoseconds, that any thread has waited for a lock of
  /// any function's engine since the process started.
  double longestLockWaitNs = 0;
  /// The latest events of all signatures, including dropped ones, earliest
  /// first.
  std::vector<TieringEvent> events;
  /// The latest spans, and the threads of all these spans; empty unless
  /// TieringOptions::isTraced is set.
  std::vector<TraceSpan> spans;
  std::vector<TraceThread> threads;

  /// Returns the report as human-readable text. For each signature, the text
  /// lists the measurements, the decisions with their times, and the conditions
  /// that would change the decisions.
  std::string str() const;
  /// Returns the report as a JSON object.
  std::string json() const;
  /// Returns the events as JSON lines.
  std::string eventLines() const;
  /// Returns the spans and events in Chrome's trace event format, which
  /// Perfetto opens. The trace has one row per thread with its work, and one
  /// row per signature with its states.
  std::string trace() const;
};

} // namespace tandem

#endif // TANDEM_RUNTIME_TIERING_H
