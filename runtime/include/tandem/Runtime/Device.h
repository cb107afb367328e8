//===- Device.h - The runtime's interface to a device -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Device is what the runtime needs to run programs on some hardware: memory,
// streams, events, libraries and loaded kernels. The compiler's interface to
// the same hardware is Target (tandem/Target/Target.h). docs/AddingADevice.md
// tells how to write one.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_DEVICE_H
#define TANDEM_RUNTIME_DEVICE_H

#include "tandem/Runtime/Program.h"
#include "tandem/Runtime/Tensor.h"
#include "tandem/Support/Choices.h"

#include <functional>
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

/// What a device's libraries may do that changes results.
struct LibraryOptions {
  Precision precision = Precision::strict;
  /// Whether a relu that is fused into a library's call may turn NaN into 0.
  /// Where not, relu is fused only into what is known to keep NaN: the op's
  /// definition in the dialect.
  bool mayDropNaN = false;
};

/// What the executor gives a step beside its operands and results.
struct StepContext {
  /// The stream on which the step's work is enqueued.
  Stream &stream;
  /// As many bytes as the step has asked for (workspaceBytes), aligned to
  /// Allocator::kAlignment, in the memory of the stream's device. Their
  /// contents are undefined. Nothing else uses them until the stream has
  /// finished the step.
  std::span<std::byte> workspace;
  /// What an error calls it that is told when the step is long enqueued:
  /// "kernel_0 at g.mlir:3:8". Read before the call returns.
  std::string_view step = {};
};

/// A kernel that is ready to be launched. It keeps the kernel's code loaded as
/// long as it lives. Immutable and thread-safe.
class LoadedKernel {
public:
  virtual ~LoadedKernel() = default;
  /// Bytes of workspace that a launch needs now. The number may change with the
  /// limit of threads.
  virtual int64_t workspaceBytes(const fb::KernelT &kernel) const = 0;
  /// Enqueues all iterations of `kernel`, whose code this is. `args` are the
  /// data pointers of the step's operands, then of its results; they are read
  /// before this returns.
  virtual Status launch(const fb::KernelT &kernel, const StepContext &context,
                        std::span<void *const> args) const = 0;
};

/// The loaded kernels of a program: one per entry of Program::kernels, in the
/// same order.
using LoadedKernels = std::vector<std::shared_ptr<const LoadedKernel>>;

/// A point in a stream's work that can be waited for. Thread-safe.
class Event {
public:
  virtual ~Event() = default;
  /// Whether all work that was enqueued before the event is done.
  virtual bool isDone() const = 0;
  /// Blocks until all work that was enqueued before the event is done.
  virtual void synchronise() const = 0;
  /// The time at which that work was done, in nanoseconds of a clock that all
  /// events of the device share. The event must be done.
  virtual double ns() const = 0;
};

/// Work that a stream has recorded (Stream::capture), to be enqueued as one
/// piece, which costs the host less than enqueuing it step by step. Used by one
/// thread at a time. It may be destroyed while it is in flight.
class CapturedWork {
public:
  virtual ~CapturedWork() = default;
  /// Enqueues all of it on `stream`, which is of the device that recorded it.
  virtual Status launch(Stream &stream) = 0;
  /// Replaces the arguments of the kernel that was the `number`th, from 0, to
  /// be launched by LoadedKernel::launch, for later launches of the work.
  virtual Status setArguments(size_t number, std::span<void *const> args) = 0;
};

/// A queue of work for a device. Work is done in the order in which it is
/// enqueued; enqueuing does not wait for it. Any number of threads may enqueue.
/// A stream must outlive the tensors that its allocator has made.
class Stream {
public:
  virtual ~Stream() = default;
  virtual Device &device() const = 0;
  /// What the device's own libraries call the stream: the CUstream of a GPU's.
  /// Null where there is no such thing, as on the CPU.
  virtual void *handle() const { return nullptr; }
  /// Allocates memory of the device for this stream's work. Memory that is
  /// freed may be handed out again at once, because only later work of this
  /// stream will use it. Before freeing memory that another stream still uses,
  /// wait for that stream.
  virtual Allocator &allocator() = 0;
  /// Enqueues a copy of all bytes of `from` to `to`, which must have the same
  /// number of bytes. Each of them is in the memory of this device or of the
  /// host. The caller keeps both alive, and does not touch them, until the copy
  /// is done.
  virtual Status copy(const Tensor &from, const Tensor &to) = 0;
  /// Creates an event at the present end of the stream's work.
  virtual Expected<std::unique_ptr<Event>> record() = 0;
  /// Makes all work that is enqueued later wait for `event`, which must be of
  /// the same device.
  virtual Status wait(const Event &event) = 0;
  /// Blocks until all enqueued work is done. Returns the error of work that
  /// failed since the last call, if enqueuing it could not tell.
  virtual Status synchronise() = 0;
  /// Records the work that `body` enqueues on the stream that it is called
  /// with, and does none of it. That stream, which ends with the call, takes
  /// kernels, ops and copies within the device's memory; its allocator hands
  /// out `workspace`, one allocation at a time. All memory that the work uses
  /// must outlive its last launch.
  ///
  /// `replaced`, where it is not null, is earlier work of the same device that
  /// is no longer wanted: where only arguments differ it is changed, which
  /// costs less than making a new one. Fails where the device captures nothing,
  /// and where `body` fails, or enqueues what cannot be recorded.
  virtual Expected<std::unique_ptr<CapturedWork>>
  capture(const std::function<Status(Stream &)> &body,
          std::span<std::byte> workspace,
          std::unique_ptr<CapturedWork> replaced = nullptr);
};

/// Hardware that runs programs. A device lives as long as the process and is
/// thread-safe.
class Device {
public:
  virtual ~Device() = default;
  /// The name that errors use: "cpu".
  virtual std::string_view name() const = 0;
  /// Whether the device's memory is the host's, so that tensors need no copy
  /// between the two.
  virtual bool isHost() const { return false; }
  /// Whether its streams can capture work.
  virtual bool canCapture() const { return false; }
  /// The providers that execute op steps on this device, in order of
  /// preference, where libraries may do what `options` says. The list lives as
  /// long as the device.
  virtual ProviderList providers(const LibraryOptions &options) const = 0;
  /// Those of the default options.
  ProviderList providers() const { return providers(LibraryOptions()); }
  /// Loads the kernels of a program, so that they can be launched. Errors have
  /// phase "load".
  virtual Expected<LoadedKernels> load(const Program &program) = 0;
  /// Creates a new stream.
  virtual Expected<std::unique_ptr<Stream>> createStream() = 0;
  /// Copies `constants`, which nobody may write to, into the device's memory
  /// where they are not there yet, aligned to Allocator::kAlignment. Steps of
  /// any stream may read the results once `stream` has done its work. Executors
  /// may share the copies.
  virtual Expected<std::vector<Tensor>>
  placeConstants(std::span<const Tensor> constants, Stream &stream);
  /// A stream that the device owns, for callers that need no stream of their
  /// own.
  virtual Stream &defaultStream() = 0;

  /// The value that Tensor::device has for tensors in this device's memory:
  /// null for the host's memory.
  const Device *memory() const { return isHost() ? nullptr : this; }
};

/// The CPU. Its streams are synchronous: work is done before the call that
/// enqueues it returns.
Device &hostDevice();

/// Creates a stream of the CPU whose memory comes from `allocator`, which must
/// outlive the stream.
std::unique_ptr<Stream> createHostStream(Allocator &allocator);

/// Loads the kernels of a program for hostDevice(). Linking kernels takes the
/// compiler's libraries, which the runtime does not link, so the compiler
/// registers a loader for each form of kernels. A later loader replaces an
/// earlier one of the same form. Thread-safe.
using KernelLoader = Expected<LoadedKernels> (*)(const Program &program);
void setHostLoader(fb::KernelTarget form, KernelLoader loader);

/// Returns `tensors` in the memory of the stream's device. Tensors that are
/// there already are returned as they are; copies of the others are enqueued on
/// the stream.
Expected<std::vector<Tensor>> copyToDevice(std::span<const Tensor> tensors,
                                           Stream &stream);
/// Returns `tensors` in the memory of the host, copying where necessary, and
/// waits until the stream has done all its work.
Expected<std::vector<Tensor>> copyToHost(std::span<const Tensor> tensors,
                                         Stream &stream);

/// The workspace of one step: memory of a stream, freed by the destructor.
class Workspace {
public:
  explicit Workspace(Stream &stream) : stream(stream) {}
  Workspace(const Workspace &) = delete;
  Workspace &operator=(const Workspace &) = delete;
  ~Workspace();

  /// Allocates `bytes` bytes. May be called once at most. Errors have phase
  /// "allocate".
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
