//===- Compiler.h - The runtime's interface to a compiler -------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_COMPILER_H
#define TANDEM_RUNTIME_COMPILER_H

#include "tandem/Runtime/Device.h"
#include "tandem/Runtime/KernelReport.h"
#include "tandem/Runtime/Program.h"

#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

/// The time of one phase of a compilation. If several threads work on the
/// phase, this is the sum of the times of the threads, i.e. the time that a
/// single thread would have taken. Examples of phases are "specialize",
/// "simplify", "layout", "fuse", "load" and "first run".
struct PhaseTime {
  std::string phase;
  /// The time in nanoseconds.
  double ns = 0;
};

/// A problem that the compiler worked around, such as a kernel that failed to
/// compile. The compiled program is still correct. The library prints nothing;
/// the caller of the compiler shows the warnings.
struct Warning {
  std::string message;
  /// Source location of the op, `file:line:col`; empty if unknown.
  std::string location;
  /// Path of a file that reproduces the failure on its own; empty if there is
  /// none.
  std::string reproducer = {};
  /// The locations of all ops that the problem concerns; empty if unknown.
  std::vector<std::string> sources = {};

  /// Returns the text `location: warning: message; reproducer: FILE`. Empty
  /// parts are omitted.
  std::string str() const;
};

/// The numbers of kernels of a compiled program, by how the compiler obtained
/// the kernels.
struct KernelCounts {
  /// The number of kernels that were compiled for this program.
  size_t compiled = 0;
  /// The number of kernels that were taken from the kernel cache of this
  /// process. Such a kernel had already been compiled, or another thread was
  /// compiling it and the compiler waited for that thread.
  size_t cached = 0;
  /// The number of kernels that were read from the disk cache (docs/Cache.md).
  size_t stored = 0;
  /// The number of kernels that could not be compiled. The program executes the
  /// ops of these kernels as op steps.
  size_t fellBack = 0;
};

/// The steps that a compiled program runs twice (rematerialization), so that
/// the results of these steps need not be kept in memory while memory use is at
/// its peak.
struct Recomputation {
  struct Step {
    /// Source location of the recomputed op, `file:line:col`; empty if unknown.
    std::string location;
    /// `bytes` is the size of the recomputed value in bytes. `ns` is the time
    /// of the repeated step in nanoseconds, as estimated by the device model.
    int64_t bytes = 0;
    double ns = 0;
  };
  /// The repeated steps, in execution order.
  std::vector<Step> steps;
  /// The reduction of the planned peak memory, in bytes, including the effect
  /// of steps that were moved but are not repeated.
  int64_t peakBytesSaved = 0;
};

/// The place where the engine compiles signatures in the background.
enum class CompileIn {
  /// In a helper process, if one can be started. A helper process slows down
  /// concurrent calls less than a thread of this process does, and a crash of
  /// the compiler in a helper process does not crash this process.
  process,
  /// On a thread of this process.
  thread,
};
/// Returns "process" or "thread".
std::string_view name(CompileIn place);
/// Inverse of name; empty for any other text.
std::optional<CompileIn> parseCompileIn(std::string_view text);

/// A request to compile: the place where the program is compiled, and a token
/// that stops the compilation.
struct CompileRequest {
  CompileIn in = CompileIn::thread;
  /// The token. After a stop is requested, a compilation in a helper process
  /// fails soon.
  std::stop_token stop;
};

/// A compiled program that is ready to be executed, and facts about the
/// compilation.
struct Compiled {
  std::shared_ptr<const Program> program;
  /// The loaded kernels, one per entry of Program::kernels, in the same order.
  LoadedKernels kernels;
  /// The time of each phase. Time outside the named phases is in the phase
  /// "other". The sum over all phases is the time that a single thread would
  /// have taken for the compilation (the "single-thread sum").
  std::vector<PhaseTime> phases;
  /// Wall time of the call of `compile`, in nanoseconds. Kernels are compiled
  /// in parallel, so this time may be less than the sum of `phases`.
  double wallNs = 0;
  KernelCounts kernelCounts;
  /// One report per entry of Program::kernels, in the same order. Empty if the
  /// program was read from the disk cache or compiled in a helper process.
  std::vector<KernelReport> kernelReports;
  /// The place where the program was compiled.
  CompileIn compiledIn = CompileIn::thread;
  /// The processor time that a helper process spent on compiling the program,
  /// in nanoseconds.
  double helperNs = 0;
  /// One sentence that says why no helper process compiled the program, or why
  /// the first attempt failed. A reason that applies to all compilations is
  /// reported only once. Empty if there was no problem.
  std::string helperProblem;
  /// True if the whole program was read from the disk cache, so that nothing
  /// was compiled. In that case the phases are "read cache" and "load".
  bool isStored = false;
  /// The number of bytes of constants, such as weights, that this compilation
  /// packed or transformed. Constants that an earlier compilation had already
  /// transformed are not counted.
  int64_t relayoutedBytes = 0;
  Recomputation recomputation;
  std::vector<Warning> warnings;
  /// For each kernel, an eager program that computes the same results from the
  /// same operands. Empty unless CompileOptions::keepsOps is set.
  std::vector<std::shared_ptr<const Program>> kernelOps;
};

/// The predicted costs of a signature, before it is compiled. 0 means unknown.
struct Prediction {
  /// `compileNs` is C, the processor time of the compilation, and `compiledNs`
  /// is c, the time of a compiled call, both in nanoseconds.
  double compileNs = 0, compiledNs = 0;
  /// The time e of an eager call in nanoseconds, predicted in the same way as
  /// c. Once e has been measured, the error of the predicted e indicates the
  /// error of the predicted c.
  double eagerNs = 0;
};

/// Facts learned by running a compiled program, saved so that other processes
/// need not learn them again.
struct ProgramProfile {
  /// The number of times that the signature went back to the eager tier because
  /// the compiled program was not faster than the eager tier.
  uint32_t demotions = 0;
  /// True if the program was not faster in the captured tier than in the
  /// compiled tier.
  bool isSlowerCaptured = false;

  bool operator==(const ProgramProfile &) const = default;
};

/// Compiles one graph to a Program for a given signature. The runtime does not
/// link a compiler; the application passes one through this interface.
/// Thread-safe.
class Compiler {
public:
  virtual ~Compiler() = default;
  /// Compiles the graph for inputs of the given static types, one per input, in
  /// this process. Blocks until the compilation ends.
  virtual Expected<Compiled> compile(std::span<const TensorType> inputs) = 0;
  /// Like compile, but compiles in a helper process, which slows down calls in
  /// this process less (docs/Engine.md). Compiles in this process if no helper
  /// process can compile the graph. After a stop is requested through `stop`, a
  /// compilation in a helper process fails soon; a compilation in this process
  /// continues.
  virtual Expected<Compiled> compileInHelper(std::span<const TensorType> inputs,
                                             std::stop_token stop) {
    (void)stop;
    return compile(inputs);
  }
  /// Predicts the costs of compiling for inputs of the given types. The engine
  /// calls this function while a call of the signature runs, so the function
  /// must take only microseconds.
  virtual Prediction predict(std::span<const TensorType> inputs) const {
    (void)inputs;
    return {};
  }
  /// Returns the profile that was saved last, by this process or another one,
  /// for inputs of the given types. Returns a default-constructed profile if no
  /// profile is on disk.
  virtual ProgramProfile profile(std::span<const TensorType> inputs) {
    (void)inputs;
    return {};
  }
  /// Saves `profile` for inputs of the given types, if this compiler has a disk
  /// cache.
  virtual void keepProfile(std::span<const TensorType> inputs,
                           const ProgramProfile &profile) {
    (void)inputs, (void)profile;
  }
  /// The graph as MLIR text or bytecode, for reproducers; empty if unknown. The
  /// text lives as long as the compiler.
  virtual std::string_view source() const { return {}; }
  /// The device that runs the compiled programs. Device::load of this device
  /// also accepts a Program that this compiler produced earlier and that was
  /// read from a file.
  virtual Device &device() const { return hostDevice(); }
  /// The library options with which compiled programs run.
  virtual LibraryOptions libraries() const { return {}; }
};

} // namespace tandem

#endif // TANDEM_RUNTIME_COMPILER_H
