//===- CUDAStream.h - Streams and events of a GPU ---------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_DEVICE_CUDA_CUDASTREAM_H
#define TANDEM_RUNTIME_DEVICE_CUDA_CUDASTREAM_H

#include "DeviceAllocator.h"
#include "Staging.h"
#include "StepLog.h"

#include "tandem/Runtime/Device.h"

#include <optional>

namespace tandem::cuda {

/// An event of the driver's, destroyed with this.
class OwnedEvent {
public:
  explicit OwnedEvent(Context &context) : context(context) {}
  ~OwnedEvent();
  OwnedEvent(const OwnedEvent &) = delete;
  OwnedEvent &operator=(const OwnedEvent &) = delete;

  Status record(StreamHandle stream);

  Context &context;
  EventHandle handle = nullptr;
};

class CUDAStream;

class CUDAEvent final : public Event {
public:
  /// `start`: when its device's clock was 0. `log` and `position`: the steps
  /// that are done when it is.
  CUDAEvent(Context &context, const OwnedEvent &start,
            std::shared_ptr<StepLog> log)
      : event(context), start(start), log(std::move(log)),
        position(this->log->position()) {}

  bool isDone() const override;
  void synchronise() const override;
  double ns() const override;

  OwnedEvent event;

private:
  const OwnedEvent &start;
  const std::shared_ptr<StepLog> log;
  const uint64_t position;
};

class CUDAStream final : public Stream {
public:
  static Expected<std::unique_ptr<CUDAStream>>
  create(Device &device, Context &context, const OwnedEvent &start);
  ~CUDAStream() override;

  Device &device() const override { return owner; }
  Allocator &allocator() override { return *blocks; }
  Status copy(const Tensor &from, const Tensor &to) override;
  Expected<std::unique_ptr<Event>> record() override;
  Status wait(const Event &event) override;
  Status synchronise() override;

  StreamHandle native() const { return handle; }

  /// Enqueues by `call`, a function of the driver's, and notes the step. Waits
  /// for it where TANDEM_CUDA_SYNC asks for that.
  template <typename Call> Status enqueue(std::string_view step, Call call) {
    TANDEM_RETURN_IF_ERROR(context.enter());
    log->add(step);
    const Result result = call(context.driver(), handle);
    if (result == kSuccess && !waitsForSteps) [[likely]]
      return {};
    return result == kSuccess ? synchronise() : failed(result, step);
  }

private:
  CUDAStream(Device &device, Context &context, StreamHandle handle,
             const OwnedEvent &start);
  /// A mistake of the call's, which is a step's; or an error of work before it,
  /// which is told now.
  Status failed(Result result, std::string_view step);

  Device &owner;
  Context &context;
  const StreamHandle handle;
  const OwnedEvent &start;
  const bool waitsForSteps;
  const std::shared_ptr<StepLog> log = std::make_shared<StepLog>();
  // These go before the handle does.
  std::optional<DeviceAllocator> blocks;
  std::optional<Staging> staging;
};

} // namespace tandem::cuda

#endif // TANDEM_RUNTIME_DEVICE_CUDA_CUDASTREAM_H
