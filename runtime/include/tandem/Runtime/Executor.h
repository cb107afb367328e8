//===- Executor.h - Running eager and compiled programs ---------*- C++ -*-===//
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

/// Options that say where and how an Executor runs its program.
struct ExecutorOptions {
  /// The stream on which runs are enqueued and that allocates their memory. The
  /// stream must outlive the executor and the tensors that the executor
  /// returns. Null stands for the default stream of the CPU, or, in a Function
  /// that has a compiler, for the default stream of the compiler's device.
  Stream *stream = nullptr;
  /// The providers that are tried, in this order, for each op step. If empty,
  /// the executor uses Device::providers(libraries) of the stream's device.
  ProviderList providers = {};
  /// Options of the device's libraries.
  LibraryOptions libraries = {};
  /// The program's kernels, loaded by the stream's device. May be empty if the
  /// program has no kernels.
  LoadedKernels kernels = {};
  /// If true, kernels and ops do nothing, so that a run takes only the host's
  /// dispatch time. Outputs are then unspecified.
  bool dispatchOnly = false;
  /// If true, runs are captured (Stream::capture), and later runs launch the
  /// captured work. Requires a device that can capture and a compiled program
  /// with static types and planned memory; otherwise Executor::create fails.
  /// Programs with loops or custom calls run step by step
  /// (Executor::captureFailure).
  bool capture = false;
  /// If true, each output of a run has memory of its own: an output that would
  /// be a view of an input, a constant or another output is copied.
  bool ownsOutputs = false;
};

/// The numbers of runs of a capturing executor, by how the runs were executed.
struct CaptureCounts {
  /// `launches` counts runs that were launched as captured work. Before such a
  /// launch, the executor may have captured new work (`captures`), changed the
  /// addresses in earlier captured work (`patches`), or replaced earlier
  /// captured work by new work (`recaptures`). The remaining launches reused
  /// earlier captured work unchanged.
  uint64_t launches = 0, captures = 0, patches = 0, recaptures = 0;
  /// The number of runs that were enqueued step by step.
  uint64_t stepByStep = 0;
};

/// The phase of the error of a run that failed after it had begun to update its
/// inputs.
inline constexpr std::string_view kStateLostPhase = "update";

/// Called before the first step of a run and after each step. `steps` is the
/// number of steps that have been enqueued so far, and `values` has one entry
/// per slot of the program. The entry of a slot is valid from the step that
/// writes the slot to the last step that reads the slot. At other times the
/// entry is null or a tensor without memory. An error that the observer returns
/// ends the run and becomes the run's error.
using StepObserver =
    std::function<Status(size_t steps, std::span<const Tensor *const> values)>;

/// Runs a Program. Eager and compiled programs use the same executor, so any
/// measured difference is due to compilation alone.
///
/// For an op step, each call applies the shape rule, allocates the result and
/// calls a provider's prepared op, which is cached by signature, as in
/// PyTorch's eager mode. Slots with an arena offset are not allocated
/// individually; they share one block of memory. The device launches kernel
/// steps.
///
/// In an eager program, an op step that depends only on constants runs once,
/// when the executor is created, if the time saved per run justifies keeping
/// the result in memory (tandem/Support/ConstantMemory.h).
///
/// Thread-safe: any number of threads may call run.
class Executor {
public:
  /// Creates an executor: verifies the program, copies constants to the
  /// stream's device if necessary, prepares the ops whose types are static, and
  /// runs the steps that run only once.
  static Expected<std::unique_ptr<Executor>>
  create(std::shared_ptr<const Program> program, ExecutorOptions options = {});
  ~Executor();

  /// Enqueues the program for `inputs`. The inputs must be in the memory of the
  /// stream's device, and their types must match the program's inputs
  /// (checkInputs). Replaces the contents of `outputs`. The elements of the
  /// outputs are valid after the stream has completed its work; on the CPU, the
  /// work is complete before run returns. Each output is newly allocated, or is
  /// a view of an input or a constant. Views must not be written to.
  Status run(std::span<const Tensor> inputs, std::vector<Tensor> &outputs) {
    return run(inputs, outputs, nullptr);
  }
  /// Like the other overload. If `peakBytes` is not null, also sets
  /// `*peakBytes` to the peak memory of this call: the largest number of bytes
  /// that the call held at any time, not counting inputs and constants. The
  /// number includes the arena, slots that are allocated individually,
  /// workspaces of kernels, and temporary memory of providers. Outputs of an
  /// earlier call that `outputs` still holds do not count.
  Status run(std::span<const Tensor> inputs, std::vector<Tensor> &outputs,
             int64_t *peakBytes);
  /// Like run, but writes the outputs into the tensors `given`, one for each
  /// output, and sets `outputs` to them. If a tensor of `given` has no memory,
  /// the run allocates this output. The tensors must be in the memory of the
  /// stream's device and have the types of the outputs. None may overlap an
  /// input or another one, with one exception: an output that updates an input
  /// (Program::updates) may have the memory of this input. Errors have phase
  /// "output". After an error during the run, the contents of the tensors are
  /// undefined. If the run had begun to write to an input, the phase of its
  /// error is kStateLostPhase.
  Status runInto(std::span<const Tensor> inputs, std::span<const Tensor> given,
                 std::vector<Tensor> &outputs, int64_t *peakBytes = nullptr);
  /// Like runInto, but writes each output that updates an input
  /// (Program::updates) to the memory of that input. The run allocates the
  /// other outputs.
  Status runInPlace(std::span<const Tensor> inputs,
                    std::vector<Tensor> &outputs, int64_t *peakBytes = nullptr);

  /// Like run, but never uses captured work, and calls `observer` before the
  /// first step and after each step. If `all` is true, steps that ran once when
  /// the executor was created run again, so that their operands and results can
  /// be observed.
  Status runObserved(std::span<const Tensor> inputs,
                     std::vector<Tensor> &outputs, const StepObserver &observer,
                     bool all = false);

  /// True if the step ran once, when the executor was created, and is therefore
  /// not executed in each run.
  bool hasRunOnce(size_t step) const;

  /// The peak memory in bytes (`peakBytes` of run) of every call under the
  /// present thread limit. If the program updates inputs, this is the peak of
  /// the runs that write these outputs to the memory of the inputs. Known only
  /// for compiled programs with static types and planned memory; empty
  /// otherwise.
  std::optional<int64_t> plannedPeakBytes() const;

  /// The numbers of runs so far, by how the runs were executed. All numbers are
  /// 0 if runs are not captured.
  CaptureCounts captureCounts() const;
  /// The reason why runs are enqueued step by step although
  /// ExecutorOptions::capture is set; empty if runs are captured.
  std::optional<Error> captureFailure() const;
  /// The largest number of captured runs that are kept for each thread that
  /// runs the program. Beyond this number, the executor patches or replaces the
  /// least recently used captured run.
  static constexpr size_t kMaxCaptured = 8;

  const Program &program() const;
  Stream &stream() const;
  /// The providers that are tried for each op step, in this order. Valid as
  /// long as the executor.
  ProviderList providers() const;

private:
  struct Impl;
  explicit Executor(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

/// The largest value of the thread limit. There is a maximum because libraries
/// fail if they try to use more threads than a process can start.
inline constexpr int kMaxThreads = 1024;
/// Limits the number of threads that oneTBB and oneDNN use in this process.
/// `threads` is clamped to the range from 1 to kMaxThreads. The limit may
/// exceed the number of processors: a caller whose oneTBB arena has that many
/// slots then runs kernels on that many threads. Tandem checks once whether the
/// process can start two threads per processor. If not, the limit has no
/// effect, and everything runs on the calling thread (docs/Embedding.md).
/// Thread-safe.
void setNumThreads(int threads);
/// The present thread limit. If no limit is set, the number of processors that
/// the process may use. Thread-safe.
int numThreads();
/// Runs kernels and Eigen's ops of the program's first thread on OpenMP workers
/// from now on, instead of on threads of oneTBB. Use this function in programs
/// whose other work runs on OpenMP workers, as the work of PyTorch does. If
/// Tandem and that other work used different workers, the idle workers of one
/// would occupy the cores that the other one needs. The program's OpenMP
/// settings then decide how long idle workers spin: Tandem does not make them
/// sleep early (letIdleWorkersSleep). Calls of other threads run on oneTBB as
/// before. `library` is the path of a shared library that the process has
/// loaded and that uses these workers, such as libtorch_cpu.so. Returns false,
/// and changes nothing, if the process has not loaded the library, or if the
/// library does not use libgomp. In a forked child, which has no workers,
/// nothing is shared. Thread-safe.
bool shareOpenMP(const std::string &library);

/// Calls `body`. Kernels and libraries that `body` calls use only the calling
/// thread, regardless of the thread limit. Other threads are not affected.
void runOnOneThread(const std::function<void()> &body);

} // namespace tandem

#endif // TANDEM_RUNTIME_EXECUTOR_H
