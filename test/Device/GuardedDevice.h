//===- GuardedDevice.h - A device that the host cannot read -----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the CPU's providers and kernels the way a GPU would: on a thread of each
// stream's own, some time after they are enqueued, and in memory that nobody
// may touch meanwhile. Pages are open while a step runs that was given a
// pointer into them. So whoever reads a device's memory on the host, forgets to
// wait, or gives a step less than it uses is ended by a signal.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TEST_DEVICE_GUARDEDDEVICE_H
#define TANDEM_TEST_DEVICE_GUARDEDDEVICE_H

#include "tandem/Runtime/Device.h"

namespace tandem::test {

class GuardedDevice : public Device {
public:
  /// A kernel of the CPU's, for this device.
  virtual std::shared_ptr<const LoadedKernel>
  wrap(std::shared_ptr<const LoadedKernel> kernel) = 0;
  /// A provider of the CPU's, which outlives it, for this device.
  virtual std::unique_ptr<Provider> wrap(const Provider &provider) = 0;
};

/// "guarded".
GuardedDevice &guardedDevice();

} // namespace tandem::test

#endif // TANDEM_TEST_DEVICE_GUARDEDDEVICE_H
