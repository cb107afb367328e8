//===- ReadCPUDevice.h - The device model of a CPU pass ---------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_READCPUDEVICE_H
#define TANDEM_LIB_TARGET_CPU_READCPUDEVICE_H

#include "tandem/Analysis/PassDevice.h"
#include "tandem/Target/CPU/CPUShares.h"

namespace tandem {

/// The same as readDevice, for a pass of the CPU target: also checks the
/// numbers that only the target knows.
inline mlir::LogicalResult readCPUDevice(mlir::MLIRContext *context,
                                         llvm::StringRef spec,
                                         DeviceModel &device) {
  if (failed(readDevice(context, spec, device)))
    return mlir::failure();
  if (Status status = checkCPUShares(device); !status)
    return mlir::emitError(mlir::UnknownLoc::get(context))
           << status.error().message << "; " << status.error().hint;
  return mlir::success();
}

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_READCPUDEVICE_H
