//===- Staging.cpp - Copies between a GPU and the host --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Staging.h"

#include <algorithm>
#include <cstring>

using namespace tandem;
using namespace tandem::cuda;

/// The size of a buffer: the bus is far slower than what a copy of that costs
/// to enqueue (64 µs at 16 GB/s, against about 2 µs).
static constexpr size_t kBufferBytes = size_t(1) << 20;

static DevicePointer addressOf(const void *pointer) {
  return reinterpret_cast<DevicePointer>(pointer);
}

Staging::~Staging() {
  for (const Buffer &buffer : buffers) {
    if (buffer.event)
      context.driver().eventDestroy(buffer.event);
    if (buffer.pinned)
      context.driver().memFreeHost(buffer.pinned);
  }
}

Status Staging::settle(Buffer &buffer) {
  if (!buffer.isInUse)
    return {};
  buffer.isInUse = false;
  void *target = std::exchange(buffer.target, nullptr);
  TANDEM_RETURN_IF_ERROR(
      check(context.driver().eventSynchronize(buffer.event), "a copy"));
  if (target)
    std::memcpy(target, buffer.pinned, buffer.bytes);
  return {};
}

Expected<Staging::Buffer *> Staging::take() {
  Buffer &buffer = buffers[next++ % buffers.size()];
  const Driver &driver = context.driver();
  if (!buffer.pinned)
    TANDEM_RETURN_IF_ERROR(
        check(driver.memHostAlloc(&buffer.pinned, kBufferBytes, 0),
              "cannot allocate pinned memory"));
  if (!buffer.event)
    TANDEM_RETURN_IF_ERROR(
        check(driver.eventCreate(&buffer.event, kDisableTiming), "an event"));
  TANDEM_RETURN_IF_ERROR(settle(buffer));
  return &buffer;
}

Status Staging::enqueued(Buffer &buffer, Result result) {
  TANDEM_RETURN_IF_ERROR(check(result, "a copy"));
  TANDEM_RETURN_IF_ERROR(
      check(context.driver().eventRecord(buffer.event, stream), "an event"));
  buffer.isInUse = true;
  return {};
}

Status Staging::toDevice(void *to, const void *from, size_t bytes) {
  std::lock_guard lock(mutex);
  for (size_t at = 0; at < bytes; at += kBufferBytes) {
    const size_t part = std::min(kBufferBytes, bytes - at);
    TANDEM_ASSIGN_OR_RETURN(Buffer * buffer, take());
    std::memcpy(buffer->pinned, static_cast<const char *>(from) + at, part);
    TANDEM_RETURN_IF_ERROR(enqueued(
        *buffer, context.driver().memcpyHtoDAsync(
                     addressOf(to) + at, buffer->pinned, part, stream)));
  }
  return {};
}

Status Staging::enqueueToHost(void *to, const void *from, size_t bytes) {
  for (size_t at = 0; at < bytes; at += kBufferBytes) {
    const size_t part = std::min(kBufferBytes, bytes - at);
    TANDEM_ASSIGN_OR_RETURN(Buffer * buffer, take());
    TANDEM_RETURN_IF_ERROR(enqueued(
        *buffer, context.driver().memcpyDtoHAsync(
                     buffer->pinned, addressOf(from) + at, part, stream)));
    buffer->target = static_cast<char *>(to) + at;
    buffer->bytes = part;
  }
  return {};
}

Status Staging::toHost(void *to, const void *from, size_t bytes) {
  std::lock_guard lock(mutex);
  Status status = enqueueToHost(to, from, bytes);
  for (Buffer &buffer : buffers) {
    if (!status) // Whoever wanted it is gone when a later copy waits for it.
      buffer.target = nullptr;
    else
      status = settle(buffer);
  }
  return status;
}
