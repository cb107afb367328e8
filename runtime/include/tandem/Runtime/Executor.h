//===- Executor.h - Runs Programs, eager and compiled alike -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EXECUTOR_H
#define TANDEM_RUNTIME_EXECUTOR_H

#include "tandem/Runtime/Compiler.h"
#include "tandem/Runtime/Program.h"
#include "tandem/Runtime/Provider.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace tandem {

struct ExecutorOptions {
  /// Where runs are enqueued, and whose memory they take. Outlives the executor
  /// and the tensors that it makes. Null: the default stream of the CPU, or of
  /// the device that a compiler compiles for.
  Stream *stream = nullptr;
  /// Tried in order for each op step; empty: those of the stream's device.
  ProviderList providers = {};
  /// Needed where the program has kernels: loaded by the stream's device.
  LoadedKernels kernels = {};
  /// Does everything but the arithmetic (kernels and ops become no-ops): what
  /// remains is the host's dispatch time. Outputs are then unspecified.
  bool dispatchOnly = false;
};

/// One executor runs eager programs and compiled ones, so that a difference
/// measured is the difference compiled.
///
/// For an op step, each call applies the shape rule, allocates the result and
/// dispatches to a provider's primitive, cached by signature: eager as PyTorch
/// means it. Slots with an arena offset live in one block instead. A kernel
/// step is launched by the device.
///
/// Thread-safe: any number of threads may call run.
class Executor {
public:
  static Expected<std::unique_ptr<Executor>>
  create(std::shared_ptr<const Program> program, ExecutorOptions options = {});
  ~Executor();

  /// Enqueues the program on `inputs` (checked against the program's inputs),
  /// which are in the memory of the stream's device, and replaces the contents
  /// of `outputs`, which are there once the stream has done its work; on the
  /// CPU that is before this returns. Each call's outputs are fresh memory, or
  /// views of inputs or constants, which are not to be written to.
  Status run(std::span<const Tensor> inputs, std::vector<Tensor> &outputs) {
    return run(inputs, outputs, nullptr);
  }
  /// The same, and sets `*peakBytes` (unless it is null) to the most bytes that
  /// this call held at once beside inputs and constants: the arena, slots
  /// allocated when written, the workspaces of kernels' tasks, and the
  /// providers' temporaries. The outputs of an
  /// earlier call, which `outputs` may hold, do not count.
  Status run(std::span<const Tensor> inputs, std::vector<Tensor> &outputs,
             int64_t *peakBytes);

  /// What `peakBytes` will be of every call, with the present limit of threads,
  /// where all types are static and memory is planned (compiled programs);
  /// nothing otherwise.
  std::optional<int64_t> plannedPeakBytes() const;

  const Program &program() const;
  Stream &stream() const;

private:
  struct Impl;
  explicit Executor(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

/// Limits the threads of oneTBB and of oneDNN, process-wide. A limit above the
/// number of processors is kept, too: a caller whose oneTBB arena has so many
/// slots then runs kernels on as many threads. Where the process may not start
/// as many as it has processors when Tandem first asks, it has one, whatever
/// the limit (docs/Embedding.md).
void setNumThreads(int threads);
/// The limit; the number of processors where none was set.
int numThreads();

/// Calls `body`. Kernels and libraries that run in it do so on the calling
/// thread alone, whatever the limit is; other threads are not concerned.
void runOnOneThread(const std::function<void()> &body);

} // namespace tandem

#endif // TANDEM_RUNTIME_EXECUTOR_H
