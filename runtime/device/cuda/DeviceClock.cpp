//===- DeviceClock.cpp - The clock of a GPU's events ----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceClock.h"

using namespace tandem;
using namespace tandem::cuda;

OwnedEvent::~OwnedEvent() {
  if (handle)
    context.driver().eventDestroy(handle);
}

Status OwnedEvent::record(StreamHandle stream) {
  TANDEM_RETURN_IF_ERROR(context.enter());
  TANDEM_RETURN_IF_ERROR(context.check(context.driver().eventCreate(&handle, 0),
                                       "execute", "cuEventCreate"));
  return context.check(context.driver().eventRecord(handle, stream), "execute",
                       "cuEventRecord");
}

double OwnedEvent::nsTo(const OwnedEvent &later) const {
  float milliseconds = 0;
  if (context.enter())
    context.driver().eventElapsedTime(&milliseconds, handle, later.handle);
  return 1e6 * double(milliseconds);
}

Expected<std::shared_ptr<Epoch>> DeviceClock::record() const {
  auto epoch = std::make_shared<Epoch>(context);
  TANDEM_RETURN_IF_ERROR(epoch->event.record(stream));
  return epoch;
}

Status DeviceClock::open() {
  TANDEM_RETURN_IF_ERROR(context.enter());
  TANDEM_RETURN_IF_ERROR(
      context.check(context.driver().streamCreate(&stream, kNonBlocking),
                    "device", "cuStreamCreate"));
  TANDEM_ASSIGN_OR_RETURN(current, record());
  return context.check(context.driver().eventSynchronize(current->event.handle),
                       "device", "cuEventSynchronize");
}

Expected<std::shared_ptr<const Epoch>> DeviceClock::epoch() {
  std::lock_guard lock(mutex);
  if (next && context.enter() &&
      context.driver().eventQuery(next->event.handle) == kSuccess) {
    next->ns = current->ns + current->event.nsTo(next->event);
    current = std::move(next);
  }
  const auto age = std::chrono::steady_clock::now() - current->recorded;
  if (!next && age > std::chrono::seconds(1)) {
    TANDEM_ASSIGN_OR_RETURN(next, record());
  }
  return current;
}
