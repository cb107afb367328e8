//===- Function.h - A graph that can be called with tensors -----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_FUNCTION_H
#define TANDEM_RUNTIME_FUNCTION_H

#include "tandem/Runtime/Profile.h"
#include "tandem/Runtime/Tier.h"
#include "tandem/Runtime/Tiering.h"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace tandem {

/// Options of one call of a Function.
struct CallOptions {
  /// The tensors that receive the outputs, one for each output of the graph;
  /// if empty, the call allocates the outputs. The call also allocates each
  /// output whose tensor has no memory. The tensors must be in the memory of
  /// the function's device and have the types of the outputs. The call fails
  /// with phase "output" if a tensor overlaps an input or another output. After
  /// a failed call, the contents of the tensors are undefined.
  std::span<const Tensor> outputs = {};
  /// The stream that the call's work is ordered with: the work begins after all
  /// work that is enqueued on this stream, and later work of this stream begins
  /// after the call's work. Must belong to the function's device. If null, the
  /// caller orders the work (Function::stream).
  Stream *stream = nullptr;
  /// The tier that runs the call. If not set, the mode of the function selects
  /// the tier.
  std::optional<Tier> tier = std::nullopt;
};

/// Options of Function::profile.
struct ProfileOptions {
  /// The tier to profile. If not set, the tier in which the next call of these
  /// input types would run. The captured tier cannot be profiled; its steps are
  /// those of the compiled tier.
  std::optional<Tier> tier = std::nullopt;
  /// The number of runs with timed steps, at least 1.
  int runs = 50;
};

/// A graph that is loaded once and can be called with tensors of all types that
/// the graph accepts.
///
/// Thread-safe. No call waits for the run of another call. In the modes eager
/// and automatic, no call waits for a compilation. Threads that request the
/// compiled tier for the same new types wait for one shared compilation.
class Function {
public:
  /// `program` is the eager program of the graph, in which every op is a step.
  /// `compiler` compiles the same graph. If `compiler` is null, calls run
  /// eagerly, but calls in mode compile and calls that select the compiled or
  /// captured tier fail. `options` applies to all executors of the function,
  /// except that each tier sets `providers` and `kernels` itself.
  Function(std::shared_ptr<const Program> program,
           std::shared_ptr<Compiler> compiler, ExecutorOptions options = {},
           TieringOptions tiering = {});
  /// Cancels compilations, as `cancel` does.
  ~Function();

  /// Runs the graph in the tier that the mode selects for the types of the
  /// inputs. Inputs and outputs are in the memory of the stream's device. The
  /// outputs are valid after the stream has completed its work; on the CPU, the
  /// work is complete before the call returns. Each output is newly allocated,
  /// or is a view of an input or a constant. Views must not be written to.
  ///
  /// An output that updates an input (Graph::withUpdates) is written to the
  /// memory of this input, and the returned tensor is the input. The call fails
  /// with phase "output", and changes nothing, if an updated input overlaps
  /// another input. If the phase of the error is "update" (kStateLostPhase),
  /// the call failed after it had begun to write to updated inputs, whose
  /// elements are then undefined. After any other error, the inputs are
  /// unchanged.
  Expected<std::vector<Tensor>> call(std::span<const Tensor> inputs);
  /// Like the other overload, but runs the graph in the given tier, and
  /// compiles first if the tier needs compilation for these types. `report`
  /// does not count such calls.
  Expected<std::vector<Tensor>> call(std::span<const Tensor> inputs, Tier tier);
  /// Like the first overload, with options. If `options.outputs` is not empty,
  /// returns these tensors.
  Expected<std::vector<Tensor>> call(std::span<const Tensor> inputs,
                                     const CallOptions &options);

  /// Enqueues a background compilation for each of these signatures, ahead of
  /// the compilations that calls have requested. In automatic mode, the next
  /// call of each signature also makes the certificate, which compares the
  /// compiled program with the eager tier. Fails if the function has no
  /// compiler or a signature does not fit the graph.
  Status compileAhead(std::span<const std::vector<TensorType>> signatures);
  /// Waits until all background work of this function has ended: compilations,
  /// and comparisons of compiled programs with the eager tier.
  void wait();
  /// Cancels queued compilations and compilations that run in a helper process.
  /// Waits for compilations that run on a thread of this process.
  void cancel();
  /// Returns the times, costs and decisions of all signatures, with reasons.
  FunctionReport report() const;

  /// Prepares and returns the executor that `call` uses for the tier `tier` and
  /// inputs of these types. Use the result to read phases, warnings or memory
  /// use. The result stays valid as long as the caller holds the pointer.
  Expected<std::shared_ptr<const PreparedTier>>
  prepare(std::span<const TensorType> inputs, Tier tier = Tier::compiled);

  /// Measures how the time of a call is divided among the steps of the program.
  /// Compiles first if the tier needs compilation for these types. The inputs
  /// must be in the memory of the function's device. `report` does not count
  /// these runs.
  Expected<Profile> profile(std::span<const Tensor> inputs,
                            const ProfileOptions &options = {});

  /// The eager program of the graph.
  const Program &program() const;
  /// The stream on which calls enqueue their work. Lives as long as the
  /// device.
  Stream &stream() const;

private:
  struct Impl;
  const std::unique_ptr<Impl> impl;
};

/// Sets the number of threads that compile in the background, at least 1. All
/// functions of this process share these threads. The default is 1.
/// Thread-safe.
void setCompileThreads(int threads);

/// Sets whether this process may do background work, i.e. work for which no
/// call waits. The default is true. If false, functions that are created
/// afterwards in mode automatic use mode compile instead, and libraries create
/// their execution plans during the calls that need the plans. Thread-safe.
void allowBackgroundWork(bool isAllowed);
/// The present setting of allowBackgroundWork. Thread-safe.
bool isBackgroundWorkAllowed();

} // namespace tandem

#endif // TANDEM_RUNTIME_FUNCTION_H
