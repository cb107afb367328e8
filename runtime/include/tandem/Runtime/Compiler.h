//===- Compiler.h - What the runtime asks of a compiler -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_COMPILER_H
#define TANDEM_RUNTIME_COMPILER_H

#include "tandem/Runtime/Device.h"
#include "tandem/Runtime/Program.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tandem {

/// Time of one phase of making a compiled program ready, in nanoseconds. Where
/// threads share a phase it is the sum over them: what one thread would have
/// taken. Names: "specialise", "simplify", "layout", "fuse", …, "load", "first
/// run".
struct PhaseTime {
  std::string phase;
  double ns = 0;
};

/// Something that had to be done otherwise; the program is right all the same.
/// A library prints nothing: whoever compiles shows these.
struct Warning {
  std::string message;
  /// `file:line:col` of the op; empty when unknown.
  std::string location;
  /// A file that shows the failure by itself; empty when there is none.
  std::string reproducer;

  /// `location: warning: message; reproducer: FILE`, leaving out what is empty.
  std::string str() const;
};

/// Where the distinct kernels of a program have come from.
struct KernelCounts {
  /// Compiled for this program.
  size_t compiled = 0;
  /// Compiled before, or at the same time by another thread.
  size_t cached = 0;
  /// Not compiled: their ops are steps instead.
  size_t fallen = 0;
};

/// Steps that run a second time, so that values need not be held over the
/// program's peak.
struct Recomputation {
  struct Step {
    /// `file:line:col` of what is computed again; empty when unknown.
    std::string location;
    /// The size of the value that is not held for it, and what running the
    /// step costs by the device's model.
    int64_t bytes = 0;
    double ns = 0;
  };
  /// In the order in which they run.
  std::vector<Step> steps;
  /// By which the planned peak has fallen, steps that have moved included.
  int64_t peakBytesSaved = 0;
};

struct Compiled {
  std::shared_ptr<const Program> program;
  LoadedKernels kernels;
  /// Their sum, with "other" for what none claims, is what one thread would
  /// have taken ("single-thread sum").
  std::vector<PhaseTime> phases;
  /// From the call of `compile` to its return, kernels being compiled in
  /// parallel; nanoseconds.
  double wallNs = 0;
  KernelCounts kernelCounts;
  /// Of constants, such as weights, that were packed or transformed for this
  /// program; what an earlier compilation has left does not count.
  int64_t rearrangedBytes = 0;
  Recomputation recomputation;
  std::vector<Warning> warnings;
};

/// Turns a graph into a Program for one signature. Injected into the runtime,
/// which links no compiler. Thread-safe.
class Compiler {
public:
  virtual ~Compiler() = default;
  virtual Expected<Compiled> compile(std::span<const TensorType> inputs) = 0;
  /// Where what it compiles runs: its `load` takes a Program that was read from
  /// a file.
  virtual Device &device() const { return hostDevice(); }
};

} // namespace tandem

#endif // TANDEM_RUNTIME_COMPILER_H
