//===- Device.h - What runs programs: memory, order, kernels ----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime's side of a device; the compiler's is Target.h.
// docs/AddingADevice.md tells how to write one.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_DEVICE_H
#define TANDEM_RUNTIME_DEVICE_H

#include "tandem/Runtime/Program.h"
#include "tandem/Runtime/Tensor.h"

#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace tandem {

class Device;
class Provider;
class Stream;

/// Providers in order of preference.
using ProviderList = std::span<const Provider *const>;

/// What a step is given beside its operands and results.
struct StepContext {
  /// Where its work goes.
  Stream &stream;
  /// As many bytes as it has asked for (workspaceBytes), at a multiple of
  /// Allocator::kAlignment, in the memory of the stream's device. Their
  /// contents are undefined, and nothing else uses them until the stream has
  /// passed the step.
  std::span<std::byte> workspace;
  /// What an error calls it that is told when the step is long enqueued:
  /// "kernel_0 at g.mlir:3:8". Read before the call returns.
  std::string_view step = {};
};

/// A kernel that is ready to be launched; its code is kept while this lives.
/// Immutable and thread-safe.
class LoadedKernel {
public:
  virtual ~LoadedKernel() = default;
  /// What a launch needs now: it may change with the limit of threads.
  virtual int64_t workspaceBytes(const fb::KernelT &kernel) const = 0;
  /// Enqueues all iterations of `kernel`, whose code this is. `args` are the
  /// data pointers of the step's operands, then of its results; they are read
  /// before this returns.
  virtual Status launch(const fb::KernelT &kernel, const StepContext &context,
                        std::span<void *const> args) const = 0;
};

/// One per entry of Program::kernels, in order.
using LoadedKernels = std::vector<std::shared_ptr<const LoadedKernel>>;

/// A point in a stream's work. Thread-safe.
class Event {
public:
  virtual ~Event() = default;
  /// Whether the work before it is done.
  virtual bool isDone() const = 0;
  /// Waits until it is.
  virtual void synchronise() const = 0;
  /// When it was done, by a clock of the device's that all its events share, in
  /// nanoseconds. It is done.
  virtual double ns() const = 0;
};

/// Work of a device, done in the order in which it is enqueued, while whoever
/// enqueues it goes on. Any number of threads may enqueue. Outlives the tensors
/// that its allocator has made.
class Stream {
public:
  virtual ~Stream() = default;
  virtual Device &device() const = 0;
  /// Memory of the device for this stream's work: what is freed may be handed
  /// out again at once, for it is used by later work only. To free what another
  /// stream still uses, wait for that one first.
  virtual Allocator &allocator() = 0;
  /// Enqueues a copy of all bytes of `from` to `to`, which has as many. Each is
  /// in the memory of this device or of the host, and is kept until it is done;
  /// the host leaves them alone until then.
  virtual Status copy(const Tensor &from, const Tensor &to) = 0;
  virtual Expected<std::unique_ptr<Event>> record() = 0;
  /// Work that is enqueued later waits for `event`, of this device.
  virtual Status wait(const Event &event) = 0;
  /// Waits until all is done. What failed since the last time is told here
  /// where enqueuing it could not.
  virtual Status synchronise() = 0;
};

/// Something that runs programs. Lives as long as the process; thread-safe.
class Device {
public:
  virtual ~Device() = default;
  /// As errors call it: "cpu".
  virtual std::string_view name() const = 0;
  /// Whether its memory is the host's: tensors are where both reach them.
  virtual bool isHost() const { return false; }
  /// What executes ops here, in order of preference: eager.
  virtual ProviderList providers() const = 0;
  /// Makes the kernels of a program ready. Errors have phase "load".
  virtual Expected<LoadedKernels> load(const Program &program) = 0;
  virtual Expected<std::unique_ptr<Stream>> createStream() = 0;
  /// The tensors, which nobody writes to, where steps of any stream read them
  /// once `stream` has done its work: copies, which executors may share, of
  /// what is not there.
  virtual Expected<std::vector<Tensor>>
  placeConstants(std::span<const Tensor> constants, Stream &stream);
  /// Made once, for those who need no other.
  virtual Stream &defaultStream() = 0;

  /// What Tensor::device says of tensors in its memory.
  const Device *memory() const { return isHost() ? nullptr : this; }
};

/// The CPU. Its streams do their work on the thread that enqueues it, before
/// that returns.
Device &hostDevice();

/// A stream of the CPU's whose memory is from `allocator`, which outlives it.
std::unique_ptr<Stream> createHostStream(Allocator &allocator);

/// What hostDevice() loads kernels of a form with: linking takes a compiler's
/// libraries, which the runtime does without, so whoever links them says how.
/// Later ones replace earlier ones. Thread-safe.
using KernelLoader = Expected<LoadedKernels> (*)(const Program &program);
void setHostLoader(fb::KernelTarget form, KernelLoader loader);

/// The tensors where the stream's device uses them: those that are there
/// already, and copies of others, which the stream makes first.
Expected<std::vector<Tensor>> copyToDevice(std::span<const Tensor> tensors,
                                           Stream &stream);
/// The tensors where the host reads them, once the stream has done its work.
Expected<std::vector<Tensor>> copyToHost(std::span<const Tensor> tensors,
                                         Stream &stream);

/// Bytes of a stream's memory for one step, freed when this goes.
class Workspace {
public:
  explicit Workspace(Stream &stream) : stream(stream) {}
  Workspace(const Workspace &) = delete;
  Workspace &operator=(const Workspace &) = delete;
  ~Workspace();

  /// To be called once at most. Fails with phase "allocate".
  Status reserve(int64_t bytes);
  StepContext context(std::string_view step = {}) const {
    return {stream, bytes, step};
  }

private:
  Stream &stream;
  std::span<std::byte> bytes;
};

} // namespace tandem

#endif // TANDEM_RUNTIME_DEVICE_H
