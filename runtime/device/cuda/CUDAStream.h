//===- CUDAStream.h - Streams and events of a GPU ---------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_DEVICE_CUDA_CUDASTREAM_H
#define TANDEM_RUNTIME_DEVICE_CUDA_CUDASTREAM_H

#include "CapturedGraph.h"
#include "DeviceAllocator.h"
#include "DeviceClock.h"
#include "Staging.h"
#include "StepLog.h"

#include "tandem/Runtime/Device.h"

#include <optional>

namespace tandem::cuda {

/// An Error unless all addresses are multiples of `alignment`, which is what a
/// step was prepared for.
Status checkAlignment(std::span<void *const> pointers, int64_t alignment);

class CUDAEvent final : public Event {
public:
  /// `log`: of the stream that it is recorded on.
  CUDAEvent(Context &context, std::shared_ptr<const Epoch> epoch,
            std::shared_ptr<StepLog> log)
      : event(context), epoch(std::move(epoch)), log(std::move(log)),
        position(this->log->position()) {}

  bool isDone() const override;
  void synchronize() const override;
  double ns() const override;

  OwnedEvent event;

private:
  const std::shared_ptr<const Epoch> epoch;
  const std::shared_ptr<StepLog> log;
  /// The steps before it are done when it is.
  const uint64_t position;
};

class CUDAStream final : public Stream {
public:
  static Expected<std::unique_ptr<CUDAStream>>
  create(Device &device, Context &context, DeviceClock &clock);
  /// One on a stream of somebody else's, who destroys it later.
  static Expected<std::unique_ptr<CUDAStream>> adopt(Device &device,
                                                     Context &context,
                                                     DeviceClock &clock,
                                                     StreamHandle handle);
  ~CUDAStream() override;

  Device &device() const override { return owner; }
  void *handle() const override { return stream; }
  Allocator &allocator() override {
    return recording ? static_cast<Allocator &>(recording->memory) : *blocks;
  }
  Status copy(const Tensor &from, const Tensor &to) override;
  Expected<std::unique_ptr<Event>> record() override;
  Status wait(const Event &event) override;
  Status synchronize() override;
  Expected<std::unique_ptr<CapturedWork>>
  capture(const std::function<Status(Stream &)> &body,
          std::span<std::byte> workspace,
          std::unique_ptr<CapturedWork> replaced) override;

  /// Enqueues by `call`, a function of the driver's, and notes the step. Waits
  /// for it where TANDEM_CUDA_SYNC asks for that.
  template <typename Call> Status enqueue(std::string_view step, Call call) {
    TANDEM_RETURN_IF_ERROR(context.enter());
    log->add(step);
    const Result result = call(context.driver(), stream);
    if (result == kSuccess && !waitsForSteps) [[likely]]
      return {};
    return result == kSuccess ? synchronize()
                              : context.check(result, "execute", step);
  }

  /// Enqueues a kernel and notes the step. `args` are its parameters.
  Status enqueueKernel(std::string_view step, const KernelLaunch &launch,
                       std::span<void *const> args);

  /// Enqueues by `call`, a function that has a library enqueue on the stream,
  /// and notes the step. Where it fails because of work before, the Error is
  /// that work's.
  template <typename Call>
  Status enqueueByLibrary(std::string_view step, Call call) {
    TANDEM_RETURN_IF_ERROR(context.enter());
    log->add(step);
    Status status = call(stream);
    if (status && !waitsForSteps) [[likely]]
      return {};
    TANDEM_RETURN_IF_ERROR(synchronize());
    return status;
  }

private:
  CUDAStream(Device &device, Context &context, StreamHandle handle,
             DeviceClock &clock, Recording *recording = nullptr,
             bool isOwned = true);
  /// An Error where it captures, of which `what` cannot be a part.
  Status checkNotCapturing(std::string_view what) const;
  /// Captures what `body` enqueues on this stream, which has a recording.
  Expected<GraphHandle> record(const std::function<Status(Stream &)> &body);

  Device &owner;
  Context &context;
  const StreamHandle stream;
  DeviceClock &clock;
  /// Not null where all that it does is to capture.
  Recording *const recording;
  const bool isOwned, waitsForSteps;
  const std::shared_ptr<StepLog> log = std::make_shared<StepLog>();
  // These go before the handle does.
  std::optional<DeviceAllocator> blocks;
  std::optional<Staging> staging;
};

} // namespace tandem::cuda

#endif // TANDEM_RUNTIME_DEVICE_CUDA_CUDASTREAM_H
