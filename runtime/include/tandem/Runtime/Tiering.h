//===- Tiering.h - How a function chooses tiers, and its books  -*- C++ -*-===//
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

/// How a Function chooses the tier that a call runs in. A *signature* is the
/// types of a call's inputs.
enum class Mode {
  /// Op by op, always.
  eager,
  /// The first call of a signature compiles, and waits for that.
  compile,
  /// Calls run eagerly at first. A signature is compiled in the background when
  /// that is predicted to pay; its calls run what was compiled once that has
  /// been certified to compute the same, and as long as it is faster.
  automatic,
  /// As automatic, but the first call of a signature compiles and certifies,
  /// whatever it costs, and nothing depends on times. For tests.
  compileNow,
};

std::span<const Mode> allModes();
/// "eager", "compile", "auto", "compile-now".
std::string_view name(Mode mode);
/// The mode of that name; nothing where there is none.
std::optional<Mode> parseMode(std::string_view text);

/// Where a signature stands on its way from eager to compiled calls.
enum class SignatureState {
  eager,     ///< It runs eagerly; compiling has not paid so far.
  queued,    ///< It waits for a background thread that compiles it.
  compiling, ///< It is being compiled.
  compiled,  ///< It is compiled, and a call's inputs have yet to certify that.
  provisional, ///< A certificate has passed, on inputs that prove little.
  promoted,    ///< Its calls run what was compiled.
  demoted,     ///< What was compiled is not faster: it runs eagerly again.
  refused,     ///< It cannot be compiled, or computes something else compiled.
};
/// The name of a state as it is written above.
std::string_view name(SignatureState state);

/// Something that has happened to a signature.
enum class EventKind {
  seen,         ///< Its first call.
  queued,       ///< The policy has chosen to compile it.
  cancelled,    ///< It was to be compiled, and is not.
  compiling,    ///< A background thread, or the call, compiles it.
  compiled,     ///< It was compiled.
  failed,       ///< It could not be compiled, or not be run.
  certified,    ///< The compiled program agrees with eager on a call's inputs.
  provisional,  ///< It agrees, on inputs that prove little.
  undecided,    ///< Nobody knows whether it agrees on a call's inputs.
  contradicted, ///< It does not agree.
  promoted,     ///< Its calls run what was compiled from now on.
  demoted,      ///< Its calls run eagerly again.
  capturing,    ///< Some calls run as captured work, to be timed.
  captured,     ///< Its calls run as captured work from now on.
  uncaptured,   ///< They run compiled: captured is not faster, or fails.
  evicted,      ///< It was dropped to make room.
};
std::string_view name(EventKind kind);

/// An entry of the log of decisions.
struct TieringEvent {
  /// When it happened (its end, where it took time), in nanoseconds since the
  /// function was created.
  double ns = 0;
  EventKind kind = EventKind::seen;
  /// How long it took, in nanoseconds; 0 for what takes no time.
  double tookNs = 0;
  /// The signature.
  std::vector<TensorType> inputs;
  /// The numbers behind it, or what went wrong, in one sentence.
  std::string reason;
  /// The thread, by the system's number.
  uint64_t thread = 0;

  std::string str() const;
};

/// How a function tiers. The defaults are for programs that share a machine
/// with nobody but themselves.
struct TieringOptions {
  Mode mode = Mode::automatic;
  /// The most signatures that are known at once. When there are more, the least
  /// recently used one is forgotten, with an event.
  size_t maxSignatures = 512;
  /// The most bytes that compiled programs hold: code, constants that were
  /// rearranged for them, and arenas of captured ones. When there are more, the
  /// least recently used program is dropped, and its signature runs eagerly.
  int64_t maxResidentBytes = int64_t(4) << 30;
  /// The most bytes of inputs that are copied so that a certificate can be made
  /// in the background. Calls with larger inputs make it themselves: they take
  /// the time of an eager and of a compiled run.
  int64_t maxCertificateBytes = int64_t(64) << 20;
  /// Whether a call fails that finds the compiled program to disagree, or finds
  /// that it could not be certified after several tries. Otherwise it returns
  /// eager's results, and the signature is refused.
  bool isStrict = false;
  /// Where signatures are compiled in the background.
  CompileIn compileIn = CompileIn::process;
  /// Where the inputs and outputs of such a call are written; as
  /// CompileOptions::reproducerDir.
  std::string reproducerDir;
  /// Called at each event, by the thread where it happens, with no lock held.
  /// It may be called by several threads at once and must not throw.
  std::function<void(const TieringEvent &)> log;
  /// Whether all calls are kept for FunctionReport::trace.
  bool isTraced = false;
};

/// A time per call, in nanoseconds: the median of the latest samples, and the
/// distance from the 10th to the 90th percentile.
struct CallTime {
  double ns = 0, spreadNs = 0;
  uint64_t samples = 0;
};

/// What a function knows of a signature.
struct SignatureReport {
  std::vector<TensorType> inputs;
  SignatureState state = SignatureState::eager;
  /// The tier that its next call runs in.
  Tier tier = Tier::eager;
  /// All calls, and those of them that ran compiled, captured or not, or
  /// carried a certificate.
  uint64_t calls = 0, compiledCalls = 0, certificates = 0;
  /// Those of the compiled calls that ran in the captured tier.
  uint64_t capturedCalls = 0;
  /// Certificates that could not be decided: eager and compiled differ by more
  /// than rounding usually does, and the error bounds of these inputs are so
  /// large that wrong results could pass.
  uint64_t undecidedCertificates = 0;
  /// What the latest certificate said that failed or was undecided, with the
  /// place of its reproducer.
  std::optional<Error> certificateError;
  /// e and c, as measured, and the time of a captured call.
  CallTime eager, compiled, captured;
  /// What it cost to capture: the processor time of the thread that prepared
  /// it, and what the calls that captured took longer than compiled ones.
  double captureNs = 0;
  /// C and c as they were predicted before compiling; 0 where nothing was.
  double predictedCompileNs = 0, predictedCompiledNs = 0;
  /// C as measured, in processor time of the compiling thread, and on the
  /// clock; 0 before it was compiled. `phases` as Compiled::phases.
  double compileNs = 0, compileWallNs = 0;
  std::vector<PhaseTime> phases;
  CompileIn compiledIn = CompileIn::thread;
  /// What could not be compiled as intended; the program is right all the same.
  std::vector<Warning> warnings;
  /// What the compiled program holds: TieringOptions::maxResidentBytes.
  int64_t residentBytes = 0;
  /// What has happened to it, the earliest first; only the latest 64 are kept.
  std::vector<TieringEvent> events;
  /// What it would take for the next decision, in one sentence.
  std::string next;

  /// n*, after how many calls compiling pays for itself, by what is known by
  /// now; nothing where c is not below e, or one of the three is unknown.
  std::optional<double> breakEvenCalls() const;
};

/// A call, a compilation or a certificate, for a trace.
struct TraceSpan {
  std::string name, category;
  /// Since the function was created, and how long it took, in nanoseconds.
  double startNs = 0, ns = 0;
  /// The thread, by the system's number.
  uint64_t thread = 0;
  std::vector<TensorType> inputs;
};

/// A thread that has called a function, or worked for it.
struct TraceThread {
  /// The system's number and name of it.
  uint64_t number = 0;
  std::string name;
};

/// The books of a function.
struct FunctionReport {
  Mode mode = Mode::automatic;
  /// The signatures, those with the most calls first.
  std::vector<SignatureReport> signatures;
  /// Signatures that were forgotten, and bytes that compiled programs hold.
  uint64_t evicted = 0;
  int64_t residentBytes = 0;
  /// The longest that any thread has waited for a lock of any function's engine
  /// since the process started, in nanoseconds.
  double longestLockWaitNs = 0;
  /// What has happened to all signatures, forgotten ones too, the earliest
  /// first.
  std::vector<TieringEvent> events;
  /// Where TieringOptions::isTraced.
  std::vector<TraceSpan> spans;
  std::vector<TraceThread> threads;

  /// The same as a text for people: for each signature the numbers, the
  /// decisions and when, and what would change them.
  std::string str() const;
  /// The same as JSON, an object.
  std::string json() const;
  /// The events as JSON lines.
  std::string eventLines() const;
  /// The spans and events in Chrome's trace event format, which Perfetto opens:
  /// the work of each thread, and for each signature what has become of it.
  std::string trace() const;
};

} // namespace tandem

#endif // TANDEM_RUNTIME_TIERING_H
