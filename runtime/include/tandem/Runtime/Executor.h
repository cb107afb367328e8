//===- Executor.h - Runs eager and compiled Programs ------------*- C++ -*-===//
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

/// Where and how an Executor runs its program.
struct ExecutorOptions {
  /// The stream on which runs are enqueued and from which they take memory. It
  /// must outlive the executor and the tensors that it makes. Null stands for
  /// the default stream of the CPU, or of the device that a compiler compiles
  /// for.
  Stream *stream = nullptr;
  /// The providers that are tried, in this order, for each op step. Empty
  /// stands for those of the stream's device, with `libraries`.
  ProviderList providers = {};
  /// What the device's libraries may do.
  LibraryOptions libraries = {};
  /// The program's kernels, loaded by the stream's device. Needed only where
  /// the program has kernels.
  LoadedKernels kernels = {};
  /// Whether to skip the arithmetic: kernels and ops become no-ops, so that
  /// only the host's dispatch time remains to be measured. Outputs are then
  /// unspecified.
  bool dispatchOnly = false;
  /// Whether to run the program as captured work (Stream::capture), where its
  /// steps can be captured. For programs whose types are static and whose
  /// memory is planned, on devices that can capture.
  bool capture = false;
};

/// What an executor that captures has done, in runs of its program.
struct CaptureCounts {
  /// Runs that were launched as captured work. For that as many were captured,
  /// were captured before and given other addresses, and captured again in the
  /// place of an earlier one; all others were launched as they were.
  uint64_t launches = 0, captures = 0, patches = 0, recaptures = 0;
  /// Runs that were enqueued step by step.
  uint64_t stepByStep = 0;
};

/// Called before the first step of a run and after each: with the number of
/// steps that have been enqueued, and the values of all slots. A value is there
/// from the step that writes it to the last that reads it; null or without data
/// otherwise.
using StepObserver =
    std::function<Status(size_t steps, std::span<const Tensor *const> values)>;

/// Runs a Program. Eager and compiled programs run on the same executor, so
/// that a measured difference between them is due to compilation alone.
///
/// For an op step, each call applies the shape rule, allocates the result and
/// calls a provider's prepared op, which is cached by signature: eager
/// execution as in PyTorch. Slots with an arena offset live in one block of
/// memory instead. A kernel step is launched by the device.
///
/// An op step of an eager program that depends on constants alone runs once,
/// when the executor is created, where what each run saves by that is worth the
/// memory of the result (ConstantMemory.h).
///
/// Thread-safe: any number of threads may call run.
class Executor {
public:
  static Expected<std::unique_ptr<Executor>>
  create(std::shared_ptr<const Program> program, ExecutorOptions options = {});
  ~Executor();

  /// Enqueues the program on `inputs`, which must be in the memory of the
  /// stream's device and are checked against the program's inputs. Replaces the
  /// contents of `outputs`, whose elements are valid once the stream has done
  /// its work; on the CPU that is before this returns. Each output is newly
  /// allocated, or a view of an input or a constant; views must not be written
  /// to.
  Status run(std::span<const Tensor> inputs, std::vector<Tensor> &outputs) {
    return run(inputs, outputs, nullptr);
  }
  /// Does the same, and sets `*peakBytes` (unless it is null) to the most bytes
  /// that this call held at once beside inputs and constants: the arena, slots
  /// that are allocated when written, the workspaces of kernels' tasks, and the
  /// providers' temporaries. The outputs of an earlier call, which `outputs`
  /// may hold, do not count.
  Status run(std::span<const Tensor> inputs, std::vector<Tensor> &outputs,
             int64_t *peakBytes);

  /// Does the same step by step, without captured work, and calls `observer`
  /// between any two steps. With `all`, steps that have run once run again, so
  /// that all their operands and results are there.
  Status runObserved(std::span<const Tensor> inputs,
                     std::vector<Tensor> &outputs, const StepObserver &observer,
                     bool all = false);

  /// Whether a step of the program has run once, when the executor was created,
  /// and is no part of a run.
  bool hasRunOnce(size_t step) const;

  /// The `peakBytes` that every call will have with the present limit of
  /// threads, in bytes. Known only for compiled programs, whose types are
  /// static and whose memory is planned; nothing otherwise.
  std::optional<int64_t> plannedPeakBytes() const;

  /// Whether runs are captured, as ExecutorOptions::capture asks, and what came
  /// of it.
  CaptureCounts captureCounts() const;
  /// Why runs are no longer captured, though that was asked for; nothing where
  /// they are. They are enqueued step by step then.
  std::optional<Error> captureFailure() const;
  /// The most captured runs that a thread keeps. When there are more, the least
  /// recently used one is changed or dropped.
  static constexpr size_t kMaxCaptured = 8;

  const Program &program() const;
  Stream &stream() const;

private:
  struct Impl;
  explicit Executor(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

/// The largest limit of threads; libraries fail for more than a process can
/// start.
inline constexpr int kMostThreads = 1024;
/// Limits the number of threads of oneTBB and of oneDNN in this process, to 1
/// at least and kMostThreads at most. A limit above the number of processors is
/// allowed: a caller whose oneTBB arena has that many slots then runs kernels
/// on that many threads. If the process is not allowed to start as many threads
/// as it has processors when Tandem first asks, everything runs on one thread,
/// whatever the limit (docs/Embedding.md).
void setNumThreads(int threads);
/// The present limit of threads; the number of processors where none was set.
int numThreads();

/// Calls `body`. Kernels and libraries that `body` calls run on the calling
/// thread alone, whatever the limit is. Other threads are not affected.
void runOnOneThread(const std::function<void()> &body);

} // namespace tandem

#endif // TANDEM_RUNTIME_EXECUTOR_H
