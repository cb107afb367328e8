//===- Function.h - A graph that can be called with tensors -----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_FUNCTION_H
#define TANDEM_RUNTIME_FUNCTION_H

#include "tandem/Runtime/Tier.h"
#include "tandem/Runtime/Tiering.h"

#include <memory>
#include <span>
#include <vector>

namespace tandem {

/// A graph that is loaded once and can be called with tensors of any types that
/// it takes.
///
/// Thread-safe. No call waits for another one's run, nor, in the modes eager
/// and automatic, for a compilation. Threads that ask for the compiled tier
/// with the same new types wait for one compilation between them.
class Function {
public:
  /// `program` is the eager program of the graph: every op is a step.
  /// `compiler` compiles the same graph; where it is null, all calls are eager.
  /// `options` apply to all executors of the function, except for providers and
  /// kernels, which the tiers choose.
  Function(std::shared_ptr<const Program> program,
           std::shared_ptr<Compiler> compiler, ExecutorOptions options = {},
           TieringOptions tiering = {});
  /// Cancels compilations as `cancel` does.
  ~Function();

  /// Runs the graph, in the tier that the mode chooses for these types. Inputs
  /// and outputs are in the memory of the stream's device. The outputs are
  /// valid once the stream has done its work, which on the CPU is before this
  /// returns. Each output is newly allocated, or a view of an input or a
  /// constant; views must not be written to.
  Expected<std::vector<Tensor>> call(std::span<const Tensor> inputs);
  /// The same in a tier of the caller's choice, compiling first where the tier
  /// needs that for these types. `report` does not count it.
  Expected<std::vector<Tensor>> call(std::span<const Tensor> inputs, Tier tier);

  /// Has these signatures compiled in the background, before those that calls
  /// ask for. In mode automatic, the next call of each carries the certificate.
  Status compileAhead(std::span<const std::vector<TensorType>> signatures);
  /// Waits until nothing is compiled or certified in the background.
  void wait();
  /// Cancels what waits to be compiled, and what is compiled in a helper
  /// process; waits for what is compiled on a thread of this one.
  void cancel();
  /// What is known of all signatures: times, costs, decisions and reasons.
  FunctionReport report() const;

  /// Prepares what `call` with a tier runs for inputs of these types, and
  /// returns it. Use it to ask for phases, warnings or memory. The result stays
  /// valid as long as the caller holds it.
  Expected<std::shared_ptr<const PreparedTier>>
  prepare(std::span<const TensorType> inputs, Tier tier = Tier::compiled);

  /// The eager program of the graph.
  const Program &program() const;

  /// The most compiled programs that a function keeps for callers who choose
  /// the tier. When there are more, the least recently used one is dropped.
  static constexpr size_t kMaxCompiled = 512;

private:
  struct Impl;
  const std::unique_ptr<Impl> impl;
};

/// Sets how many threads of this process compile in the background, at least 1;
/// all functions share them. One by default. Thread-safe.
void setCompileThreads(int threads);

/// Sets whether this process may work while no call waits for it. By default it
/// may. Where it may not, functions that are created afterwards in mode
/// automatic compile as in mode compile, and libraries plan within the calls.
/// Thread-safe.
void allowBackgroundWork(bool isAllowed);
bool isBackgroundWorkAllowed();

} // namespace tandem

#endif // TANDEM_RUNTIME_FUNCTION_H
