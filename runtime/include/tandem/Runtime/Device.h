//===- Device.h - The runtime's interface to a device -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Device is the runtime's interface to hardware: memory, streams, events,
// libraries and loaded kernels. The compiler's interface to the same hardware
// is Target (tandem/Target/Target.h). docs/AddingADevice.md explains how to
// implement a device.
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

/// A list of providers, in order of preference.
using ProviderList = std::span<const Provider *const>;

/// Optimizations of a device's libraries that may change results.
struct LibraryOptions {
  /// Precision of f32 contractions.
  Precision precision = Precision::strict;
  /// Whether a relu that is fused into a library call may turn a NaN into 0. If
  /// false, a relu is fused only into calls that are known to preserve NaN, as
  /// the definition of relu in the dialect requires.
  bool mayDropNaN = false;
};

/// The data that the executor passes to a step in addition to the operands and
/// results.
struct StepContext {
  /// The stream on which the step enqueues its work.
  Stream &stream;
  /// Scratch memory of the size that the step requested (workspaceBytes), in
  /// the memory of the stream's device, aligned to Allocator::kAlignment. The
  /// contents are undefined. Nothing else uses this memory until the stream has
  /// finished the step.
  std::span<std::byte> workspace;
  /// The name of the step, e.g. "kernel_0 at g.mlir:3:8". Errors that are
  /// reported after the step was enqueued contain this name. The callee reads
  /// this name before it returns.
  std::string_view step = {};
};

/// A kernel that is ready to be launched. The kernel's code stays loaded for
/// the lifetime of this object. Immutable and thread-safe.
class LoadedKernel {
public:
  virtual ~LoadedKernel() = default;
  /// The size, in bytes, of the workspace that a launch needs under the current
  /// thread limit.
  virtual int64_t workspaceBytes(const fb::KernelT &kernel) const = 0;
  /// Enqueues all iterations of `kernel`. `kernel` must be the kernel that this
  /// object was loaded from. `args` holds the data pointers of the step's
  /// operands, followed by the data pointers of the step's results. `args` is
  /// read before this function returns.
  virtual Status launch(const fb::KernelT &kernel, const StepContext &context,
                        std::span<void *const> args) const = 0;
};

/// The loaded kernels of a program, one per entry of Program::kernels, in the
/// same order.
using LoadedKernels = std::vector<std::shared_ptr<const LoadedKernel>>;

/// A point in the sequence of a stream's work. Thread-safe.
class Event {
public:
  virtual ~Event() = default;
  /// True if the device has completed all work that was enqueued before the
  /// event.
  virtual bool isDone() const = 0;
  /// Blocks until the device has completed all work that was enqueued before
  /// the event.
  virtual void synchronize() const = 0;
  /// The time at which the work before the event was completed, in nanoseconds
  /// of a clock that all events of the device share. May be called only if
  /// isDone returns true.
  virtual double ns() const = 0;
};

/// Work that a stream recorded (Stream::capture) and that is enqueued as a
/// whole. Enqueuing captured work takes less host time than enqueuing the steps
/// one by one. Only one thread may use an object at a time. An object may be
/// destroyed while the device still executes the work.
class CapturedWork {
public:
  virtual ~CapturedWork() = default;
  /// Enqueues all of the work on `stream`, which must belong to the device that
  /// recorded the work.
  virtual Status launch(Stream &stream) = 0;
  /// Replaces the arguments of one recorded kernel launch, for later launches
  /// of this work. `number` is the zero-based index among the recorded calls of
  /// LoadedKernel::launch.
  virtual Status setArguments(size_t number, std::span<void *const> args) = 0;
};

/// A queue of work for a device. The device executes work in the order in which
/// the work is enqueued. Enqueuing does not wait until the work is complete,
/// except on the CPU. Any number of threads may enqueue work. A stream must
/// outlive all tensors that its allocator allocated.
class Stream {
public:
  virtual ~Stream() = default;
  /// The device that executes the work.
  virtual Device &device() const = 0;
  /// The native handle of the stream, which is a CUstream on NVIDIA GPUs; null
  /// if there is none, as on the CPU.
  virtual void *handle() const { return nullptr; }
  /// Allocates device memory for work of this stream. The allocator may reuse
  /// freed memory immediately, because only later work of this stream will use
  /// the memory. If another stream uses a block, wait for that stream before
  /// freeing the block.
  virtual Allocator &allocator() = 0;
  /// Enqueues a copy of all bytes of `from` to `to`. Both tensors must have the
  /// same number of bytes, and each must be in the memory of this device or of
  /// the host. The caller must keep both tensors alive, and must not access
  /// them, until the copy is complete.
  virtual Status copy(const Tensor &from, const Tensor &to) = 0;
  /// Creates an event that marks the end of all work enqueued so far.
  virtual Expected<std::unique_ptr<Event>> record() = 0;
  /// Makes all work that is enqueued later wait for `event`, which must belong
  /// to the same device.
  virtual Status wait(const Event &event) = 0;
  /// Blocks until all enqueued work is complete. If work that was enqueued
  /// successfully has failed since the last call of synchronize, returns the
  /// error of that work.
  virtual Status synchronize() = 0;
  /// Records work without executing it. Calls `body` with a temporary stream,
  /// which is valid only during the call, and records the work that `body`
  /// enqueues on that stream. The temporary stream accepts kernels, ops, and
  /// copies within device memory. The allocator of the temporary stream hands
  /// out `workspace`, to one allocation at a time. All memory that the work
  /// uses must outlive the last launch of the work.
  ///
  /// `replaced` may be null, or earlier work of the same device that is no
  /// longer needed. If the new work differs from `replaced` only in arguments,
  /// `replaced` is updated and returned, which costs less than creating new
  /// work. Fails if the device cannot capture, if `body` fails, or if `body`
  /// enqueues work that cannot be recorded.
  virtual Expected<std::unique_ptr<CapturedWork>>
  capture(const std::function<Status(Stream &)> &body,
          std::span<std::byte> workspace,
          std::unique_ptr<CapturedWork> replaced = nullptr);
};

/// Hardware that runs programs. A device exists until the process ends, and is
/// thread-safe.
class Device {
public:
  virtual ~Device() = default;
  /// The name of the device in errors, e.g. "cpu" or "cuda:0".
  virtual std::string_view name() const = 0;
  /// True if the device's memory is host memory, so that tensors need not be
  /// copied between the host and the device.
  virtual bool isHost() const { return false; }
  /// True if streams of this device implement Stream::capture.
  virtual bool canCapture() const { return false; }
  /// The providers that execute op steps on this device within the limits of
  /// `options`, in order of preference. The list lives as long as the device.
  virtual ProviderList providers(const LibraryOptions &options) const = 0;
  /// The providers for the default options.
  ProviderList providers() const { return providers(LibraryOptions()); }
  /// Loads the kernels of a program so that they can be launched. Errors have
  /// phase "load".
  virtual Expected<LoadedKernels> load(const Program &program) = 0;
  /// Creates a new stream, which the caller owns.
  virtual Expected<std::unique_ptr<Stream>> createStream() = 0;
  /// Returns `constants` in the memory of this device, aligned to
  /// Allocator::kAlignment. Constants that are in other memory, or are not
  /// aligned, are copied. No one may write to `constants` or to the results.
  /// Steps on any stream may read the results once `stream` has completed the
  /// work that is enqueued by this call. Several executors may receive the same
  /// copies.
  virtual Expected<std::vector<Tensor>>
  placeConstants(std::span<const Tensor> constants, Stream &stream);
  /// A stream that the device owns, for callers that do not need a stream of
  /// their own.
  virtual Stream &defaultStream() = 0;

  /// The value of Tensor::device for tensors in the memory of this device,
  /// which is null for host memory.
  const Device *memory() const { return isHost() ? nullptr : this; }
};

/// The CPU. Streams of the CPU are synchronous: each call that enqueues work
/// returns after the work is complete.
Device &hostDevice();

/// Creates a CPU stream that allocates memory from `allocator`, which must
/// outlive the stream.
std::unique_ptr<Stream> createHostStream(Allocator &allocator);

/// The type of functions that load the kernels of a program for hostDevice().
using KernelLoader = Expected<LoadedKernels> (*)(const Program &program);
/// Registers the function that loads kernels of the form `form` on the CPU.
/// Loading such kernels requires compiler libraries that the runtime does not
/// link, so the compiler registers the loaders. A later registration replaces
/// an earlier one for the same form. Thread-safe.
void setHostLoader(fb::KernelTarget form, KernelLoader loader);

/// Returns `tensors` in the memory of the stream's device. Tensors that are
/// already in that memory are returned unchanged. For the other tensors, copies
/// are enqueued on the stream.
Expected<std::vector<Tensor>> copyToDevice(std::span<const Tensor> tensors,
                                           Stream &stream);
/// Returns `tensors` in host memory. Copies tensors from other memory, and
/// waits until the stream has completed all its work.
Expected<std::vector<Tensor>> copyToHost(std::span<const Tensor> tensors,
                                         Stream &stream);

/// The workspace of one step. The memory is allocated from a stream and freed
/// by the destructor.
class Workspace {
public:
  /// `stream` must outlive the workspace.
  explicit Workspace(Stream &stream) : stream(stream) {}
  Workspace(const Workspace &) = delete;
  Workspace &operator=(const Workspace &) = delete;
  ~Workspace();

  /// Allocates `bytes` bytes. May be called at most once. Errors have phase
  /// "allocate".
  Status reserve(int64_t bytes);
  /// Returns the context of a step that uses this workspace.
  StepContext context(std::string_view step = {}) const {
    return {stream, bytes, step};
  }

private:
  Stream &stream;
  std::span<std::byte> bytes;
};

} // namespace tandem

#endif // TANDEM_RUNTIME_DEVICE_H
