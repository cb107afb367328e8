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

/// The time of one phase of compilation, in nanoseconds. Where several threads
/// work on a phase, it is the sum of their times: what one thread would have
/// taken. Names of phases: "specialise", "simplify", "layout", "fuse", …,
/// "load", "first run".
struct PhaseTime {
  std::string phase;
  double ns = 0;
};

/// Something that the compiler could not do as intended, such as a kernel that
/// could not be compiled. The program is correct all the same. The library
/// prints nothing; whoever calls the compiler shows the warnings.
struct Warning {
  std::string message;
  /// `file:line:col` of the op; empty when unknown.
  std::string location;
  /// Path of a file that reproduces the failure by itself; empty when there is
  /// none.
  std::string reproducer;

  /// The text `location: warning: message; reproducer: FILE`, without the parts
  /// that are empty.
  std::string str() const;
};

/// How the distinct kernels of a program were obtained.
struct KernelCounts {
  /// Number of kernels compiled for this program.
  size_t compiled = 0;
  /// Number of kernels found in the cache: compiled before, or at the same time
  /// by another thread.
  size_t cached = 0;
  /// Number of kernels read from the cache on disk (docs/Cache.md).
  size_t stored = 0;
  /// Number of kernels that could not be compiled; their ops are op steps of
  /// the program instead.
  size_t fellBack = 0;
};

/// Steps that a compiled program runs a second time (rematerialisation), so
/// that values need not be held while its memory use peaks.
struct Recomputation {
  struct Step {
    /// `file:line:col` of the op that is computed again; empty when unknown.
    std::string location;
    /// The size of the value that is not held, in bytes, and the time that the
    /// repeated step takes by the device's model, in nanoseconds.
    int64_t bytes = 0;
    double ns = 0;
  };
  /// The repeated steps, in the order in which they run.
  std::vector<Step> steps;
  /// By how many bytes the planned peak has fallen. This includes the effect of
  /// steps that were moved, not repeated.
  int64_t peakBytesSaved = 0;
};

/// Where the engine has signatures compiled that calls do not wait for.
enum class CompileIn {
  /// In a helper process, where that can be started: it disturbs the calls
  /// less,
  /// and if the compiler crashes, this process does not.
  process,
  /// On a thread of this process.
  thread,
};
std::string_view name(CompileIn place);
std::optional<CompileIn> parseCompileIn(std::string_view text);

/// How a program is to be compiled.
struct CompileRequest {
  CompileIn in = CompileIn::thread;
  /// Once a stop is requested, a compilation in a helper fails soon.
  std::stop_token stop;
};

/// A compiled program, ready to be executed, and how it was made.
struct Compiled {
  std::shared_ptr<const Program> program;
  LoadedKernels kernels;
  /// Time by phase. Time outside all named phases is in the phase "other". The
  /// sum of all phases is what one thread would have taken (the "single-thread
  /// sum").
  std::vector<PhaseTime> phases;
  /// Wall time of the call of `compile`, in nanoseconds. Kernels are compiled
  /// in parallel, so this may be less than the sum of `phases`.
  double wallNs = 0;
  KernelCounts kernelCounts;
  /// One per entry of Program::kernels, in the same order.
  std::vector<KernelReport> kernelReports;
  /// Where it was compiled.
  CompileIn compiledIn = CompileIn::thread;
  /// The processor time that a helper process took for it, in nanoseconds.
  double helperNs = 0;
  /// Why a helper process did not compile it, or not at the first attempt, in
  /// one sentence. What is the same for all compilations is said once.
  std::string helperProblem;
  /// Whether the program as a whole was read from the cache on disk, and
  /// nothing was compiled. Its phases are "read cache" and "load".
  bool isStored = false;
  /// Bytes of constants, such as weights, that were packed or transformed for
  /// this program. Constants that an earlier compilation had already rearranged
  /// do not count.
  int64_t rearrangedBytes = 0;
  Recomputation recomputation;
  std::vector<Warning> warnings;
  /// What each of the kernels computes, as an eager program; of a kernel's
  /// operands and results. Empty unless it was asked for
  /// (CompileOptions::keepsOps).
  std::vector<std::shared_ptr<const Program>> kernelOps;
};

/// What is expected of compiling for a signature, before it is done. 0 stands
/// for what is not known.
struct Prediction {
  /// C, in nanoseconds of one thread, and c, in nanoseconds per call.
  double compileNs = 0, compiledNs = 0;
  /// e, predicted in the same way as c: how far it is off tells how far c is.
  double eagerNs = 0;
};

/// What was found out about a compiled program by running it, for processes
/// that have yet to.
struct ProgramFindings {
  /// How often it went back to eager, as it was not faster.
  uint32_t demotions = 0;
  /// Whether it is not faster as captured work.
  bool isSlowerCaptured = false;

  bool operator==(const ProgramFindings &) const = default;
};

/// Compiles one graph to a Program for a given signature. The runtime links no
/// compiler; whoever has one passes it in through this interface. Thread-safe.
class Compiler {
public:
  virtual ~Compiler() = default;
  /// Compiles the graph for inputs of these static types, one per input.
  virtual Expected<Compiled> compile(std::span<const TensorType> inputs) = 0;
  /// The same in a helper process, whose work disturbs the calls of this one
  /// less (docs/Engine.md); in this process where that is not possible. Once
  /// `stop` is requested, it fails soon, unless it compiles in this process.
  virtual Expected<Compiled> compileInHelper(std::span<const TensorType> inputs,
                                             std::stop_token stop) {
    (void)stop;
    return compile(inputs);
  }
  /// What compiling for inputs of these types is expected to cost and to give.
  /// Takes microseconds: it is asked at the first call of a signature.
  virtual Prediction predict(std::span<const TensorType> inputs) const {
    (void)inputs;
    return {};
  }
  /// What other processes have found out about the program for inputs of these
  /// types: what was kept last, where findings are kept on disk.
  virtual ProgramFindings findings(std::span<const TensorType> inputs) {
    (void)inputs;
    return {};
  }
  virtual void keepFindings(std::span<const TensorType> inputs,
                            const ProgramFindings &findings) {
    (void)inputs, (void)findings;
  }
  /// The graph as MLIR text or bytecode, for reproducers; empty where it is not
  /// known. Lives as long as the compiler.
  virtual std::string_view source() const { return {}; }
  /// The device that the compiled programs run on. Its `load` also takes a
  /// Program that this compiler made earlier and that was read from a file.
  virtual Device &device() const { return hostDevice(); }
  /// What the device's libraries may do in the compiled programs.
  virtual LibraryOptions libraries() const { return {}; }
};

} // namespace tandem

#endif // TANDEM_RUNTIME_COMPILER_H
