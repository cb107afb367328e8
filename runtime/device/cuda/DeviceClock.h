//===- DeviceClock.h - The clock of a GPU's events --------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_DEVICE_CUDA_DEVICECLOCK_H
#define TANDEM_RUNTIME_DEVICE_CUDA_DEVICECLOCK_H

#include "Context.h"

#include <chrono>
#include <memory>

namespace tandem::cuda {

/// An event of the driver's, destroyed with this.
class OwnedEvent {
public:
  explicit OwnedEvent(Context &context) : context(context) {}
  ~OwnedEvent();
  OwnedEvent(const OwnedEvent &) = delete;
  OwnedEvent &operator=(const OwnedEvent &) = delete;

  Status record(StreamHandle stream);
  /// From here to a later one; both are done.
  double nsTo(const OwnedEvent &later) const;

  Context &context;
  EventHandle handle = nullptr;
};

/// A moment of the device's that is done, by which events are dated.
struct Epoch {
  explicit Epoch(Context &context) : event(context) {}
  OwnedEvent event;
  std::chrono::steady_clock::time_point recorded =
      std::chrono::steady_clock::now();
  /// Since the first.
  double ns = 0;
};

/// The driver tells the time between two events in milliseconds, as a float, so
/// events are dated by one of about the last second: to 60 ns. Thread-safe.
class DeviceClock {
public:
  explicit DeviceClock(Context &context) : context(context) {}
  /// Waits for the first epoch.
  Status open();
  /// The latest; waits for nothing.
  Expected<std::shared_ptr<const Epoch>> epoch();

private:
  Expected<std::shared_ptr<Epoch>> record() const;

  Context &context;
  StreamHandle stream = nullptr; ///< Of its own: nothing else delays an epoch.
  std::mutex mutex;              // guards the rest
  std::shared_ptr<Epoch> current, next;
};

} // namespace tandem::cuda

#endif // TANDEM_RUNTIME_DEVICE_CUDA_DEVICECLOCK_H
