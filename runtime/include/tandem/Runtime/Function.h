//===- Function.h - A graph to call -----------------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_FUNCTION_H
#define TANDEM_RUNTIME_FUNCTION_H

#include "tandem/Runtime/Compiler.h"
#include "tandem/Runtime/Executor.h"

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tandem {

/// The ways to run a graph, which agree on its results (docs/Measuring.md).
enum class Tier {
  reference, ///< Plain loops, f64 accumulation: the oracle.
  eager,     ///< A library call per op, at once and for any shapes.
  compiled,  ///< Fused kernels and planned memory, for one signature.
};

/// From the slowest to the fastest.
std::span<const Tier> allTiers();
/// "reference", "eager", "compiled".
std::string_view name(Tier tier);
std::optional<Tier> parseTier(std::string_view text);

/// A program of one tier and what runs it. Of the tiers that compile nothing,
/// `program` alone is of interest in what it is derived from.
struct PreparedTier : Compiled {
  /// Thread-safe.
  std::unique_ptr<Executor> executor;
  /// From types to executor, on the clock; 0 where nothing was compiled.
  double compileNs = 0;
};

/// Compiles for inputs of these types and makes the executor. Of `options` the
/// kernels are those that were compiled.
Expected<PreparedTier> compileTier(Compiler &compiler,
                                   std::span<const TensorType> inputs,
                                   ExecutorOptions options = {});

/// The executor of a tier that compiles nothing, for inputs of any types:
/// `program` is the graph with every op a step. The reference runs on the host,
/// whatever the stream.
Expected<PreparedTier> interpretTier(std::shared_ptr<const Program> program,
                                     Tier tier, ExecutorOptions options = {});

/// A graph that is loaded once and called with tensors of any types it takes.
///
/// Thread-safe. Threads that call the compiled tier with the same new types
/// wait for one compilation; no others do, and nobody waits for a run.
class Function {
public:
  /// `program`: the graph with every op a step. `compiler`: of the same graph;
  /// null where nothing is to be compiled. `options` are of all its executors,
  /// but for providers and kernels, which the tiers choose.
  Function(std::shared_ptr<const Program> program,
           std::shared_ptr<Compiler> compiler, ExecutorOptions options = {});
  ~Function();

  /// Runs the graph, compiling it first where the tier needs that for these
  /// types. Inputs and outputs are in the memory of the stream's device;
  /// outputs are there once it has done its work, which on the CPU is at once.
  /// They are fresh memory, or views of inputs or constants, which are not to
  /// be written to.
  Expected<std::vector<Tensor>> call(std::span<const Tensor> inputs,
                                     Tier tier = Tier::compiled);

  /// What `call` runs for inputs of these types, made ready: so that a first
  /// call need not wait, and to ask for phases, warnings or memory. Valid for
  /// as long as it is held.
  Expected<std::shared_ptr<const PreparedTier>>
  prepare(std::span<const TensorType> inputs, Tier tier = Tier::compiled);

  const Program &program() const { return *eagerProgram; }

  /// Compiled programs that are kept; beyond, the one that was not used for the
  /// longest time is given up.
  static constexpr size_t kMaxCompiled = 512;

private:
  class Slots;
  Expected<std::shared_ptr<const PreparedTier>>
  make(std::span<const TensorType> inputs, Tier tier) const;

  std::shared_ptr<const Program> eagerProgram;
  std::shared_ptr<Compiler> compiler;
  ExecutorOptions options;
  std::unique_ptr<Slots> slots;
};

} // namespace tandem

#endif // TANDEM_RUNTIME_FUNCTION_H
