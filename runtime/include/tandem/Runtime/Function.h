//===- Function.h - A graph that can be called with tensors -----*- C++ -*-===//
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

/// The ways to run a graph. Their results agree within the tolerance model
/// (docs/Measuring.md).
enum class Tier {
  reference, ///< Plain loops, f64 accumulation: the oracle.
  eager,     ///< A library call per op, at once and for any shapes.
  compiled,  ///< Fused kernels and planned memory, for one signature.
  captured,  ///< The compiled program as one piece of captured work.
};

/// All tiers, from the slowest to the fastest.
std::span<const Tier> allTiers();
/// Those that a device has, in the same order: all, or those before captured.
std::span<const Tier> tiersOf(const Device &device);
/// An Error, which lists those that there are, where `device` has not got it.
Status checkTier(Tier tier, const Device &device);
/// "reference", "eager", "compiled", "captured".
std::string_view name(Tier tier);
/// The tier of that name; nothing where there is none.
std::optional<Tier> parseTier(std::string_view text);

/// A program of one tier and its executor. For the tiers that compile nothing,
/// only `program` is set of the fields that are inherited, and `phases` where
/// prebuilt kernels had to be made ready.
struct PreparedTier : Compiled {
  /// Thread-safe.
  std::unique_ptr<Executor> executor;
  /// Wall time from the input types to the executor, in nanoseconds; 0 where
  /// nothing was compiled.
  double compileNs = 0;
  /// The part of it in which prebuilt kernels of a GPU were compiled, or read
  /// from disk, and loaded.
  double prebuiltNs = 0;
};

/// Compiles for inputs of these types and creates the executor, that of the
/// captured tier where `options` ask for capture. The `kernels`
/// of `options` are replaced by those that were compiled.
Expected<PreparedTier> compileTier(Compiler &compiler,
                                   std::span<const TensorType> inputs,
                                   ExecutorOptions options = {});

/// Creates the executor that runs a compiled program as captured work.
/// `options` as compileTier's.
Expected<PreparedTier> captureTier(const Compiled &compiled,
                                   ExecutorOptions options);

/// Creates the executor of a tier that compiles nothing, for inputs of any
/// types. `program` is the eager program of the graph: every op is a step. The
/// reference tier runs on the host, whatever the stream.
Expected<PreparedTier> interpretTier(std::shared_ptr<const Program> program,
                                     Tier tier, ExecutorOptions options = {});

/// A graph that is loaded once and can be called with tensors of any types that
/// it takes.
///
/// Thread-safe. Threads that call the compiled tier, or the captured one, with
/// the same new types wait for one compilation between them. Calls with other
/// types do not wait for it, and no call waits for another one's run.
class Function {
public:
  /// `program` is the eager program of the graph: every op is a step.
  /// `compiler` compiles the same graph; it may be null where the compiled tier
  /// is never used. `options` apply to all executors of the function, except
  /// for providers and kernels, which the tiers choose.
  Function(std::shared_ptr<const Program> program,
           std::shared_ptr<Compiler> compiler, ExecutorOptions options = {});
  ~Function();

  /// Runs the graph, compiling it first where the tier needs that for these
  /// types. Inputs and outputs are in the memory of the stream's device. The
  /// outputs are valid once the stream has done its work, which on the CPU is
  /// before this returns. Each output is newly allocated, or a view of an input
  /// or a constant; views must not be written to.
  Expected<std::vector<Tensor>> call(std::span<const Tensor> inputs,
                                     Tier tier = Tier::compiled);

  /// Prepares what `call` runs for inputs of these types, and returns it. Use
  /// it to compile ahead of the first call, or to ask for phases, warnings or
  /// memory. The result stays valid as long as the caller holds it.
  Expected<std::shared_ptr<const PreparedTier>>
  prepare(std::span<const TensorType> inputs, Tier tier = Tier::compiled);

  /// The eager program of the graph.
  const Program &program() const { return *eagerProgram; }

  /// The most compiled programs that a function keeps. When there are more, the
  /// least recently used one is dropped.
  static constexpr size_t kMaxCompiled = 512;

private:
  class Slots;
  Expected<std::shared_ptr<const PreparedTier>>
  make(std::span<const TensorType> inputs, Tier tier);

  std::shared_ptr<const Program> eagerProgram;
  std::shared_ptr<Compiler> compiler;
  ExecutorOptions options;
  std::unique_ptr<Slots> slots;
};

} // namespace tandem

#endif // TANDEM_RUNTIME_FUNCTION_H
